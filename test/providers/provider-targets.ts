/** The providers that one suite is played on: the sandbox's four, and real CalDAV servers. */
import { type CalDavSandbox, caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../sandbox/core/clock.ts';
import { type Faults, faultBoard, type SandboxKind } from '../../sandbox/core/faults.ts';
import type { ManualChanges } from '../../sandbox/core/provider-sandbox.ts';
import { googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { completeSignIn } from '../../sandbox/microsoft/complete-sign-in.ts';
import { microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import type { NewAccount } from '../../src/calendars/account-store.ts';
import type {
  CalendarProvider,
  PasswordProvider,
  RedirectProvider,
} from '../../src/calendars/calendar-provider.ts';
import type { ProviderKind } from '../../src/calendars/provider-kind.ts';
import { createEgress } from '../../src/lib/egress/egress.ts';
import type { Scope } from '../../src/oauth/scope.ts';
import { appleProvider } from '../../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { googleProvider } from '../../src/providers/google/google-provider.ts';
import { microsoftProvider } from '../../src/providers/microsoft/microsoft-provider.ts';
import { counterpart } from '../harness/counterpart.ts';
import { walk } from '../sandbox/google/google-client.ts';
import { serverHand, userOf } from '../servers/caldav-hand.ts';
import { CYRUS, startCyrus } from '../servers/cyrus.ts';
import { type ManagedCalDavServer, USERS } from '../servers/process.ts';
import { RADICALE, startRadicale } from '../servers/radicale.ts';
import { recordingLog } from '../servers/recording-log.ts';
import { startXandikos, XANDIKOS } from '../servers/xandikos.ts';

/** Time that a test turns; it runs on by itself between. */
export type MovableTime = { now: number };

export type ProviderTarget = {
  /** For the titles of tests. */
  readonly name: string;
  readonly kind: ProviderKind;
  /** For `describe`. */
  readonly options: { readonly skip: string | false };
  /** What its hand cannot do, and why. */
  readonly lacks: Partial<Record<Ability, string>>;
  start(time: MovableTime): Promise<StartedProvider>;
};

export type Ability =
  | 'calendars that can only be read'
  | 'names and zones of calendars'
  | 'backslashes before an n'
  | 'forgetting sync tokens';

export type StartedProvider = {
  readonly hand: ManualChanges;
  readonly provider: CalendarProvider;
  /** What befalls requests; none at a real server. */
  readonly faults: Faults;
  /** A person signs in, again or for the first time, and allows what is asked for. */
  signIn(email: string, scope: Scope): Promise<SignedIn>;
  close(): Promise<void>;
};

export type SignedIn = Pick<
  NewAccount,
  'accountId' | 'display' | 'credentials' | 'grantedScopes' | 'calendarPermission'
>;

/** The app registered with Google and Microsoft. */
export const APP = { clientId: '11111111-2222-4333-8444-555555555555', clientSecret: 'canary-app-secret' };
const REDIRECT_URI = 'http://127.0.0.1:9/callback';
const APPS = [{ ...APP, redirectUris: [REDIRECT_URI], name: 'Kalends' }];

const sandboxTarget = (name: string, kind: SandboxKind): ProviderTarget => ({
  name: `the sandbox’s ${name}`,
  kind: kind === 'icloud' ? 'apple' : kind,
  options: { skip: false },
  lacks: {},
  start: (time) => startSandbox(kind, time),
});

export const SANDBOX_TARGETS: readonly ProviderTarget[] = [
  sandboxTarget('Google', 'google'),
  sandboxTarget('Microsoft', 'microsoft'),
  sandboxTarget('Apple', 'icloud'),
  sandboxTarget('CalDAV', 'caldav'),
];

type Starting = (calendars: readonly string[]) => Promise<ManagedCalDavServer>;
const REAL = {
  'calendars that can only be read': 'its users can write to all that is theirs',
  'forgetting sync tokens':
    'it cannot be told to; test/contract/calendar-provider.contract.ts sends it one it never gave',
};

const serverTarget = (
  name: string,
  start: Starting,
  options: ProviderTarget['options'],
  lacks: ProviderTarget['lacks'] = {},
): ProviderTarget => ({
  name,
  kind: 'caldav',
  options,
  lacks: { ...REAL, ...lacks },
  start: async (time) => startedServer(await start([]), time),
});

export const RADICALE_TARGET = serverTarget('Radicale', startRadicale, counterpart('Radicale', RADICALE));
export const XANDIKOS_TARGET = serverTarget('Xandikos', startXandikos, counterpart('Xandikos', XANDIKOS), {
  'names and zones of calendars': 'it takes no properties with MKCALENDAR',
  'backslashes before an n': 'it stores them as line breaks',
});
export const CYRUS_TARGET = serverTarget('Cyrus', startCyrus, counterpart('Cyrus', CYRUS, { root: true }));

const adapterDeps = (time: MovableTime) => ({
  egress: createEgress({ privateNetwork: { mode: 'loopback' } }),
  log: recordingLog().log,
  now: () => time.now,
});

/** So many events in a page of Google’s or a part of a CalDAV answer, so that some answers have several. */
const SMALL_PAGE = 10;

async function startSandbox(kind: SandboxKind, time: MovableTime): Promise<StartedProvider> {
  const deps = { clock: sandboxClock(() => time.now), faults: faultBoard() };
  if (kind === 'icloud' || kind === 'caldav') {
    return startedCalDav(await caldavSandbox({ ...deps, kind, syncPage: SMALL_PAGE }), deps.faults, time);
  }
  const start = kind === 'google' ? googleSandbox : microsoftSandbox;
  const sandbox = await start({ ...deps, apps: APPS, eventsPerPage: SMALL_PAGE });
  const { issuer, apiUrl } = sandbox;
  const adapter = adapterDeps(time);
  const make = kind === 'google' ? googleProvider : microsoftProvider;
  const provider = make({ ...adapter, issuer, apiUrl });
  return {
    hand: sandbox.manual,
    provider,
    faults: deps.faults,
    signIn: (email, scope) => signInAtPages(provider, email, scope),
    async close() {
      await adapter.egress.close();
      await sandbox.close();
    },
  };
}

async function signInAtPages(
  { kind, signIn }: RedirectProvider,
  email: string,
  scope: Scope,
): Promise<SignedIn> {
  const asked = { app: APP, redirectUri: REDIRECT_URI, scope, state: 'state', language: 'en' };
  const { url, pending } = await signIn.begin(asked);
  const back = await (kind === 'google' ? walk(url, { email }) : completeSignIn(url, { account: email }));
  return signIn.complete(back, pending, APP);
}

async function startedCalDav(
  sandbox: CalDavSandbox,
  faults: Faults,
  time: MovableTime,
): Promise<StartedProvider> {
  const adapter = adapterDeps(time);
  const { origin } = sandbox;
  const isApple = sandbox.kind === 'icloud';
  const provider = isApple ? appleProvider({ ...adapter, serverUrl: origin }) : caldavProvider(adapter);
  return {
    hand: sandbox.manual,
    provider,
    faults,
    signIn: (email) =>
      signInByPassword(provider, email, sandbox.passwordOf(email), isApple ? {} : { server: origin }),
    async close() {
      await adapter.egress.close();
      await sandbox.close();
    },
  };
}

async function startedServer(server: ManagedCalDavServer, time: MovableTime): Promise<StartedProvider> {
  const adapter = adapterDeps(time);
  const provider = caldavProvider(adapter);
  const hand = serverHand(server, () => time.now);
  return {
    hand: {
      ...hand,
      // Its users are there already.
      addPerson: (person) => hand.addPerson({ ...person, password: USERS[userOf(person.email)] ?? '' }),
    },
    provider,
    faults: faultBoard(),
    signIn: (email) =>
      signInByPassword(provider, userOf(email), hand.passwordOf(email), { server: server.typed }),
    async close() {
      await adapter.egress.close();
      await server.stop();
    },
  };
}

async function signInByPassword(
  { signIn }: PasswordProvider,
  username: string,
  password: string,
  where: { readonly server?: string },
): Promise<SignedIn> {
  const verified = await signIn.verify({ ...where, username, password });
  return { ...verified, grantedScopes: [], calendarPermission: undefined };
}

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
