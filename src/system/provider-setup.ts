/** How to register a provider app at Google and Microsoft, and a check of one. Changes nothing. */
import { APP_NAMES, type AppKind, checkProviderApp } from '../access/provider-apps.ts';
import type { ProviderApp } from '../calendars/calendar-provider.ts';
import type { Config } from '../config/config.ts';
import { SCOPES, type Scope } from '../oauth/scope.ts';
import type { Check } from './doctor-checks.ts';
import { providerAddress } from './doctor-config-checks.ts';
import { checkProvider } from './doctor-provider-checks.ts';

/** Returns the `scope` parameter of the provider's authorization request for a scope of Kalends. */
export type RequestedScope = (kind: AppKind, config: Config) => Promise<(scope: Scope) => string>;

export type SetupDeps = { readonly config: Config; readonly requestedScope: RequestedScope };

export type ProviderSetup = {
  readonly kind: AppKind;
  readonly redirectUri: string;
  readonly scopes: readonly NamedScope[];
  /** The names of the settings for the id and the secret. */
  readonly settings: readonly [string, string];
  readonly notice: string | undefined;
  /** Undefined without an app. */
  readonly check: Check | undefined;
};

/** Returns what to register, and the check of `app`, by default the configured one. Throws ApiError 400. */
export async function readProviderSetup(
  kind: AppKind,
  typed: ProviderApp | undefined,
  deps: SetupDeps,
): Promise<ProviderSetup> {
  const { config } = deps;
  if (typed !== undefined) checkProviderApp({ ...typed, appClientId: typed.clientId });
  const app = typed ?? config[kind].app;
  const setting = `KALENDS_${kind.toUpperCase()}`;
  return {
    ...{ kind, redirectUri: providerAddress(kind, config), scopes: await listScopes(kind, deps) },
    settings: [`${setting}_CLIENT_ID`, `${setting}_CLIENT_SECRET`],
    notice: httpNotice(kind, config),
    check: app && (await checkProvider(kind, { ...config, [kind]: { ...config[kind], app } })),
  };
}

type NamedScope = { readonly scope: string; readonly for: readonly string[] };

/** Lists each scope of the provider once, with the scopes of Kalends that need it. */
async function listScopes(
  kind: AppKind,
  { config, requestedScope }: SetupDeps,
): Promise<readonly NamedScope[]> {
  const requested = await requestedScope(kind, config);
  const pairs = SCOPES.flatMap((scope) =>
    requested(scope)
      .split(' ')
      .map((name) => ({ scope, name })),
  );
  return [...Map.groupBy(pairs, ({ name }) => name)].map(([name, uses]) => ({
    scope: SETUP_STEPS[kind].scopeNames[name] ?? name,
    for: uses.map(({ scope }) => scope),
  }));
}

/** Returns a notice if the provider will reject the address because it is plain http. */
function httpNotice(kind: AppKind, { url }: Config): string | undefined {
  const { plainHosts } = SETUP_STEPS[kind];
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || plainHosts.includes(hostname)) return undefined;
  return `${APP_NAMES[kind]} accepts plain http only for ${plainHosts.join(' and ')}: set KALENDS_URL to the public https address.`;
}

type SetupSteps = {
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
    address: 'Clients, Create client, Web application, Authorized redirect URIs:',
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
