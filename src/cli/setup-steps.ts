/** What to do at Google and Microsoft to register an app, step by step; docs/providers.md has the reasons. */
import type { AppKind } from '../access/provider-apps.ts';

export type SetupSteps = {
  readonly console: string;
  readonly before: readonly string[];
  /** Where the scopes go, then where the address goes. */
  readonly scopes: string;
  readonly address: string;
  readonly after: readonly string[];
  /** Scopes whose name in the console is not the one that requests have. */
  readonly scopeNames: Readonly<Record<string, string>>;
  /** Hosts for which the provider takes an address of plain http. */
  readonly plainHosts: readonly string[];
};

export const SETUP_STEPS: Readonly<Record<AppKind, SetupSteps>> = {
  google: {
    console: 'https://console.cloud.google.com',
    before: [
      'Make a project or choose one. APIs & Services, Library: enable Google Calendar API.',
      'Google Auth Platform, Branding: the name users will see, a support address, your domain, home page and privacy policy.',
      'Audience: External for everybody, Internal for your own Workspace organisation alone.',
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
      'App registrations, New registration. Supported account types: any organisational directory and personal Microsoft accounts, for everybody.',
    ],
    scopes: 'API permissions, Add a permission, Microsoft Graph, Delegated permissions:',
    address: 'Authentication, Add a platform, Web, Redirect URI:',
    after: [
      'Certificates & secrets, New client secret: copy its value (not its id) at once, and note when it ends.',
      'Branding & properties, Publisher domain: many organisations let their people consent to verified publishers only.',
    ],
    scopeNames: {},
    plainHosts: ['localhost'],
  },
};
