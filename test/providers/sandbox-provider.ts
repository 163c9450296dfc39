/** A provider of the sandbox with the real adapter in front of it, and how a person signs in there. */
import { type CalDavSandbox, caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { type SandboxClock, sandboxClock } from '../../sandbox/core/clock.ts';
import { type Faults, faultBoard } from '../../sandbox/core/faults.ts';
import type { ManualChanges } from '../../sandbox/core/provider-sandbox.ts';
import {
  type GoogleSandbox,
  type GoogleSandboxOptions,
  googleSandbox,
} from '../../sandbox/google/google-sandbox.ts';
import { completeSignIn } from '../../sandbox/microsoft/complete-sign-in.ts';
import { type MicrosoftSandbox, microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import type { NewAccount } from '../../src/calendars/account-store.ts';
import type {
  CalendarProvider,
  PasswordProvider,
  RedirectProvider,
} from '../../src/calendars/calendar-provider.ts';
import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { createEgress } from '../../src/lib/egress/egress.ts';
import type { Scope } from '../../src/oauth/scope.ts';
import { appleProvider } from '../../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { googleProvider } from '../../src/providers/google/google-provider.ts';
import { microsoftProvider } from '../../src/providers/microsoft/microsoft-provider.ts';
import { walk } from '../sandbox/google/google-client.ts';
import { recordingLog } from '../servers/recording-log.ts';

/** Time that a test turns; it runs on by itself between. */
export type MovableTime = { now: number };

/** Real time from `start` on, plus what is turned. */
export function movableTime(start: number): MovableTime {
  let offset = start - Date.now();
  return {
    get now() {
      return Date.now() + offset;
    },
    set now(at) {
      offset = at - Date.now();
    },
  };
}

/** How the user signs in: what is left out at Google, and what is requested, reading unless said; `besides`: more of the
 * provider's own scopes, which another part of the application requests. */
export type SignIn = { untick?: string[]; scope?: Scope; besides?: readonly string[] };

type SignedIn = Pick<
  NewAccount,
  'accountId' | 'display' | 'credentials' | 'grantedScopes' | 'calendarPermission'
>;

export type StartedProvider = {
  /** Changes that people make in the provider's own app. */
  readonly manual: ManualChanges;
  readonly provider: CalendarProvider;
  /** The faults of its answers; none at a real server. */
  readonly faults: Faults;
  /** A person signs in, again or for the first time. */
  signIn(email: string, options?: SignIn): Promise<SignedIn>;
  close(): Promise<void>;
};

export type Sandbox = GoogleSandbox | MicrosoftSandbox | CalDavSandbox;

type SandboxProvider = StartedProvider & { readonly sandbox: Sandbox; readonly clock: SandboxClock };

export type SandboxOptions = {
  /** The number of events in a page of Google or Microsoft, or in a part of a CalDAV response. */
  readonly pageSize?: number;
  /** How Google behaves. */
  readonly google?: GoogleSandboxOptions;
  /** At Google: users who let events be written are asked for their calendars too. */
  readonly asksForCalendars?: boolean;
  /** At CalDAV: the server sends invitations itself. */
  readonly schedules?: boolean;
};

/** The app registered with Google and Microsoft. */
export const APP = { clientId: '11111111-2222-4333-8444-555555555555', clientSecret: 'canary-app-secret' };
const REDIRECT_URI = 'http://127.0.0.1:9/callback';
export const REGISTERED = { ...APP, redirectUris: [REDIRECT_URI], name: 'Kalends' };

export const adapterDeps = (time: MovableTime) => ({
  egress: createEgress({ privateNetwork: { mode: 'loopback' } }),
  log: recordingLog().log,
  now: () => time.now,
});

export async function startSandbox(
  kind: ProviderKind,
  time: MovableTime,
  options: SandboxOptions = {},
): Promise<SandboxProvider> {
  const clock = sandboxClock(() => time.now);
  const faults = faultBoard();
  const adapter = { ...adapterDeps(time), asksForCalendars: options.asksForCalendars ?? false };
  const started =
    kind === 'google' || kind === 'microsoft'
      ? await startWithPages(kind, { clock, faults, adapter, ...options })
      : await startWithPassword(kind, { clock, faults, adapter, ...options });
  return {
    ...started,
    manual: started.sandbox.manual,
    clock,
    faults,
    async close() {
      await adapter.egress.close();
      await started.sandbox.close();
    },
  };
}

type Starting = SandboxOptions & {
  readonly clock: SandboxClock;
  readonly faults: Faults;
  readonly adapter: ReturnType<typeof adapterDeps>;
};
type Connected = Pick<SandboxProvider, 'sandbox' | 'provider' | 'signIn'>;

async function startWithPages(
  kind: 'google' | 'microsoft',
  { clock, faults, adapter, pageSize, google = {} }: Starting,
): Promise<Connected> {
  const page = pageSize === undefined ? {} : { eventsPerPage: pageSize };
  const given = { clock, faults, apps: [REGISTERED], ...page };
  const sandbox =
    kind === 'google' ? await googleSandbox({ ...given, ...google }) : await microsoftSandbox(given);
  const { issuer, apiUrl } = sandbox;
  const make = kind === 'google' ? googleProvider : microsoftProvider;
  const provider = make({ ...adapter, issuer, apiUrl });
  return { sandbox, provider, signIn: (email, options) => signInAtPages(provider, email, options) };
}

async function signInAtPages(
  { kind, signIn }: RedirectProvider,
  email: string,
  { untick = [], scope = 'read', besides = [] }: SignIn = {},
): Promise<SignedIn> {
  const request = { app: APP, redirectUri: REDIRECT_URI, scope, state: 'state', language: 'en' };
  const { url, pending } = await signIn.begin(request);
  url.searchParams.set('scope', [url.searchParams.get('scope'), ...besides].join(' '));
  const callback = kind === 'google' ? walk(url, { email, untick }) : completeSignIn(url, { account: email });
  return signIn.complete(await callback, pending, APP);
}

async function startWithPassword(
  kind: 'apple' | 'caldav',
  { clock, faults, adapter, pageSize, schedules = false }: Starting,
): Promise<Connected> {
  const page = pageSize === undefined ? {} : { syncPage: pageSize };
  const isApple = kind === 'apple';
  const behaviour = { kind: isApple ? ('icloud' as const) : ('caldav' as const), schedules };
  const sandbox = await caldavSandbox({ clock, faults, ...behaviour, ...page });
  const { origin } = sandbox;
  const provider = isApple ? appleProvider({ ...adapter, serverUrl: origin }) : caldavProvider(adapter);
  const server = isApple ? {} : { server: origin };
  const signIn = (email: string) =>
    signInByPassword(provider, { ...server, username: email, password: sandbox.passwordOf(email) });
  return { sandbox, provider, signIn };
}

export async function signInByPassword(
  { signIn }: PasswordProvider,
  login: Parameters<typeof signIn.verify>[0],
): Promise<SignedIn> {
  return { ...(await signIn.verify(login)), grantedScopes: [], calendarPermission: undefined };
}
