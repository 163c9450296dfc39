/** The four providers of the sandbox, and the settings that make Kalends treat them as the real ones. */
import type { CalDavSandbox } from './caldav/caldav-sandbox.ts';
import { caldavSandbox } from './caldav/caldav-sandbox.ts';
import type { ProviderSandbox, SandboxDeps } from './core/provider-sandbox.ts';
import { type GoogleSandbox, googleSandbox } from './google/google-sandbox.ts';
import type { SandboxState } from './kept-folder.ts';
import { type MicrosoftSandbox, microsoftSandbox } from './microsoft/microsoft-sandbox.ts';
import type { Ports } from './ports.ts';

export type Providers = {
  readonly google: GoogleSandbox;
  readonly microsoft: MicrosoftSandbox;
  readonly icloud: CalDavSandbox;
  readonly caldav: CalDavSandbox;
};

export type ProvidersDeps = SandboxDeps & {
  readonly ports: Ports;
  readonly kalendsUrl: string;
  readonly state: SandboxState | undefined;
};

/** These are not secret: anyone can read them here, and they only work at the sandbox. */
const GOOGLE_APP = { clientId: 'sandbox-google-app', clientSecret: 'sandbox-google-secret' };
const APP_NAME = 'Kalends sandbox';
const MICROSOFT_APP = {
  clientId: '5a4db0c5-0000-4000-8000-000000000001',
  clientSecret: 'sandbox-microsoft-secret',
};

/** Starts the providers; `later` receives the functions that stop them. */
export async function startProviders(
  { ports, kalendsUrl, state, ...deps }: ProvidersDeps,
  later: (stop: () => Promise<unknown>) => void,
): Promise<Providers> {
  const closedLater = <T extends ProviderSandbox>(provider: T): T => {
    later(() => provider.close());
    return provider;
  };
  const at = (kind: 'google' | 'microsoft') => [`${kalendsUrl}/connect/${kind}/callback`];
  // Every new app at Google begins in Testing: turn the clock forward by eight days to see the effect.
  const googleApps = [
    { ...GOOGLE_APP, name: APP_NAME, redirectUris: at('google'), status: 'testing' as const },
  ];
  const microsoftApps = [{ ...MICROSOFT_APP, redirectUris: at('microsoft'), name: APP_NAME }];
  const google = { ...deps, port: ports.google, apps: googleApps, state: state?.google };
  const microsoft = { ...deps, port: ports.microsoft, apps: microsoftApps, state: state?.microsoft };
  const icloud = { ...deps, port: ports.icloud, homePort: ports.icloudHome, state: state?.icloud };
  const caldav = { ...deps, port: ports.caldav, schedules: true, state: state?.caldav };
  return {
    google: closedLater(await googleSandbox(google)),
    microsoft: closedLater(await microsoftSandbox(microsoft)),
    icloud: closedLater(await caldavSandbox({ ...icloud, kind: 'icloud' })),
    caldav: closedLater(await caldavSandbox({ ...caldav, kind: 'caldav' })),
  };
}

export function settingsFor({ google, microsoft, icloud }: Providers): Record<string, string> {
  return {
    KALENDS_GOOGLE_CLIENT_ID: GOOGLE_APP.clientId,
    KALENDS_GOOGLE_CLIENT_SECRET: GOOGLE_APP.clientSecret,
    KALENDS_GOOGLE_ISSUER: google.issuer,
    KALENDS_GOOGLE_API_URL: google.apiUrl,
    KALENDS_GOOGLE_CALENDARS: 'on',
    KALENDS_MICROSOFT_CLIENT_ID: MICROSOFT_APP.clientId,
    KALENDS_MICROSOFT_CLIENT_SECRET: MICROSOFT_APP.clientSecret,
    KALENDS_MICROSOFT_ISSUER: microsoft.issuer,
    KALENDS_MICROSOFT_API_URL: microsoft.apiUrl,
    KALENDS_APPLE_URL: icloud.origin,
    KALENDS_PRIVATE_NETWORK: 'loopback',
    KALENDS_LOG_LEVEL: 'warn',
  };
}
