/** One account of one kind, linked at the sandbox's provider with the real adapter, and read over HTTP. */
import assert from 'node:assert/strict';

import { caldavSandbox } from '../../sandbox/caldav/caldav-sandbox.ts';
import { type SandboxClock, sandboxClock } from '../../sandbox/core/clock.ts';
import { type FaultEffect, type Faults, faultBoard } from '../../sandbox/core/faults.ts';
import type { EventDraft, ManualChanges } from '../../sandbox/core/provider-sandbox.ts';
import { googleSandbox } from '../../sandbox/google/google-sandbox.ts';
import { completeSignIn } from '../../sandbox/microsoft/complete-sign-in.ts';
import { type MicrosoftSandbox, microsoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import type { NewAccount } from '../../src/calendars/account-store.ts';
import type { CalendarProvider, RedirectSignIn } from '../../src/calendars/calendar-provider.ts';
import type { ProviderKind } from '../../src/calendars/provider-kind.ts';
import { createEgress } from '../../src/lib/egress/egress.ts';
import type { Scope } from '../../src/oauth/scope.ts';
import { appleProvider } from '../../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { googleProvider } from '../../src/providers/google/google-provider.ts';
import { microsoftProvider } from '../../src/providers/microsoft/microsoft-provider.ts';
import {
  type CalendarServer,
  type CalendarServerOptions,
  get,
  link,
  openCalendarServer,
} from '../harness/calendar-server.ts';
import { walk } from '../sandbox/google/google-client.ts';
import { recordingLog } from '../servers/recording-log.ts';

export const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };
export const APP = { clientId: '11111111-2222-4333-8444-555555555555', clientSecret: 'canary-app-secret' };

const REDIRECT_URI = 'http://127.0.0.1:9/callback';
const REGISTERED = { ...APP, redirectUris: [REDIRECT_URI], name: 'Kalends' };

/** What a reader sees of the account. */
export type Reading = {
  /** The titles of the events shown; `undefined` when nothing could be shown. */
  readonly titles: readonly string[] | undefined;
  readonly errors: readonly { code: string; reason?: string; actor?: string; message: string }[];
  readonly syncState: string;
  readonly permission: boolean | null;
  readonly health: { state: string; reason?: string; actor?: string; message?: string; since: string };
};

/** How the user signs in: what is left out at Google, and what is asked for, reading unless said; `besides`: more of the provider's
 * own scopes, which another part of the application asks for. */
export type SignIn = { untick?: string[]; scope?: Scope; besides?: readonly string[] };

export type Bench = {
  readonly server: CalendarServer;
  readonly clock: SandboxClock;
  readonly hand: ManualChanges;
  /** Microsoft's own; throws elsewhere. */
  microsoft(): MicrosoftSandbox;
  calendarId: string;
  /** Changes what is known of the app at the provider. */
  registerApp(change: { clientSecret?: string; secretExpiresAt?: number; status?: 'testing' }): void;
  fault(effect: FaultEffect, operation?: string, times?: number): void;
  clearFaults(): void;
  /** Requests of this operation so far. */
  requests(operation: string): number;
  addEvent(title: string): Promise<void>;
  /** The user signs in, again or for the first time. */
  link(options?: SignIn): Promise<void>;
  /** Time passes, for us and for the provider. */
  pass(milliseconds: number): void;
  /** Reads the events, then the connection's status. */
  read(): Promise<Reading>;
  close(): Promise<void>;
};

export type BenchOptions = {
  readonly writing?: CalendarServerOptions['writing'];
  /** At Google: users who let events be written are asked for their calendars too. */
  readonly asksForCalendars?: boolean;
};

/** `status: 'testing'` is Google's word for an app nobody reviewed. */
export async function openBench(
  kind: ProviderKind,
  { writing = {}, asksForCalendars = false }: BenchOptions = {},
): Promise<Bench> {
  let offset = 0;
  const time = {
    get now() {
      return Date.now() + offset;
    },
    set now(at: number) {
      offset = at - Date.now();
    },
  };
  const clock = sandboxClock(() => time.now);
  const faults = faultBoard();
  const sandbox = await startSandbox(kind, { clock, faults });
  await sandbox.manual.addPerson(ADA);
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  const upstream = { egress, log: recordingLog().log, now: () => time.now, asksForCalendars };
  const provider = providerOf(kind, sandbox, upstream);
  const server = await openCalendarServer({
    [kind]: provider,
    apps: { google: APP, microsoft: APP },
    clock: time,
    writing,
  });
  const calendarId = await sandbox.manual.addCalendar(ADA.email, { title: 'Work', timeZone: 'Europe/Paris' });
  const faultAt = kind === 'apple' ? 'icloud' : kind;

  const bench: Bench = {
    server,
    clock,
    hand: sandbox.manual,
    calendarId,
    microsoft() {
      assert.ok(isMicrosoft(sandbox));
      return sandbox;
    },
    registerApp(change) {
      assert.ok('registerApp' in sandbox);
      sandbox.registerApp({ ...REGISTERED, ...change });
    },
    fault(effect, operation, times) {
      const where = operation === undefined ? {} : { operation };
      faults.set({ provider: faultAt, effect, ...where, ...(times === undefined ? {} : { times }) });
    },
    clearFaults: () => faults.clear(),
    requests: (operation) => sandbox.requests(operation),
    addEvent: async (title) => {
      await sandbox.manual.createEvent(ADA.email, bench.calendarId, today(title, time.now));
    },
    async link(options) {
      const { signIn } = provider;
      const signedIn: Partial<NewAccount> =
        signIn.method === 'redirect'
          ? await signInAt(signIn, kind, options)
          : await signIn.verify({
              ...(kind === 'caldav' ? { server: sandbox.origin } : {}),
              username: ADA.email,
              password: 'passwordOf' in sandbox ? sandbox.passwordOf(ADA.email) : '',
            });
      await link(server, { provider: kind, grantedScopes: [], calendarPermission: undefined, ...signedIn });
    },
    pass(milliseconds) {
      time.now += milliseconds;
    },
    async read() {
      const token = await server.token();
      const answer = (await get(server, '/events', token)).json();
      const status = (await get(server, '/connection-status', token)).json();
      const [connection] = status.connections[kind];
      assert.ok(connection, 'the account is linked');
      const titles = answer.events?.map(({ title }: { title: string }) => title).sort();
      const { syncState, calendarPermissionGranted: permission, health } = connection;
      return { titles, errors: answer.errors ?? [], syncState, permission, health };
    },
    async close() {
      await server.close();
      await egress.close();
      await sandbox.close();
    },
  };
  return bench;
}

type Started = Awaited<ReturnType<typeof startSandbox>>;
const isMicrosoft = (sandbox: Started): sandbox is MicrosoftSandbox => sandbox.kind === 'microsoft';

function startSandbox(kind: ProviderKind, deps: { clock: SandboxClock; faults: Faults }) {
  switch (kind) {
    case 'google':
      return googleSandbox({ ...deps, apps: [REGISTERED] });
    case 'microsoft':
      return microsoftSandbox({ ...deps, apps: [REGISTERED] });
    default:
      return caldavSandbox({ ...deps, kind: kind === 'apple' ? 'icloud' : 'caldav' });
  }
}

type AdapterDeps = Omit<Parameters<typeof googleProvider>[0], 'issuer' | 'apiUrl'>;

function providerOf(kind: ProviderKind, sandbox: Started, deps: AdapterDeps): CalendarProvider {
  if ('issuer' in sandbox) {
    const { issuer, apiUrl } = sandbox;
    const make = kind === 'google' ? googleProvider : microsoftProvider;
    return make({ ...deps, issuer, apiUrl });
  }
  return kind === 'apple' ? appleProvider({ ...deps, serverUrl: sandbox.origin }) : caldavProvider(deps);
}

async function signInAt(
  signIn: RedirectSignIn,
  kind: ProviderKind,
  { untick = [], scope = 'read', besides = [] }: SignIn = {},
) {
  const request = {
    app: APP,
    redirectUri: REDIRECT_URI,
    scope,
    state: 'state',
    language: 'en',
  } as const;
  const { url, pending } = await signIn.begin(request);
  url.searchParams.set('scope', [url.searchParams.get('scope'), ...besides].join(' '));
  const callback =
    kind === 'google'
      ? await walk(url, { email: ADA.email, untick })
      : await completeSignIn(url, { account: ADA.email });
  return signIn.complete(callback, pending, APP);
}

/** One hour, noon of today: within the month that a read shows unless asked otherwise. */
function today(title: string, now: number): EventDraft {
  const date = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO('UTC').toPlainDate().toString();
  const at = (hour: number) => ({ dateTime: `${date}T${hour}:00:00`, timeZone: 'Europe/Paris' });
  return { title, start: at(12), end: at(13) };
}
