/** The steps to register an app at Google and Microsoft; docs/providers.md explains them. */
import type { AppKind } from '../access/provider-apps.ts';

export type SetupSteps = {
  readonly console: string;
  readonly before: readonly string[];
  /** The step for the scopes, then the step for the redirect URI. */
  readonly scopes: string;
  readonly address: string;
  readonly after: readonly string[];
  /** Scopes that the console calls differently than requests do. */
  readonly scopeNames: Readonly<Record<string, string>>;
  /** Hosts for which the provider accepts plain http. */
  readonly plainHosts: readonly string[];
};

export const SETUP_STEPS: Readonly<Record<AppKind, SetupSteps>> = {
  google: {
    console: 'https://console.cloud.google.com',
    before: [
      'Create or select a project. APIs & Services, Library: enable Google Calendar API.',
      'Google Auth Platform, Branding: the name users will see, a support address, your domain, home page and privacy policy.',
      'Audience: External for everyone, Internal for your own Workspace organization only.',
    ],
    scopes: 'Data access, Add or remove scopes, Manually add scopes:',
    address: 'Clients, Create client, Web application, Authorised redirect URIs:',
    after: ['Audience, Publish app: an app in Testing loses every connection after seven days.'],
    scopeNames: { email: 'https://www.googleapis.com/auth/userinfo.email' },
    plainHosts: ['localhost', '127.0.0.1'],
  },
  microsoft: {
    console: 'https://entra.microsoft.com',
    before: [
      'App registrations, New registration. Supported account types: any organizational directory and personal Microsoft accounts, for everyone.',
    ],
    scopes: 'API permissions, Add a permission, Microsoft Graph, Delegated permissions:',
    address: 'Authentication, Add a platform, Web, Redirect URI:',
    after: [
      'Certificates & secrets, New client secret: copy its value (not its id) at once, and note when it expires.',
      'Branding & properties, Publisher domain: many organizations let their users consent to verified publishers only.',
    ],
    scopeNames: {},
    plainHosts: ['localhost'],
  },
};
