/** One account of one kind, linked at the sandbox's provider with the real adapter, and read over HTTP. */
import assert from 'node:assert/strict';

import type { SandboxClock } from '../../sandbox/core/clock.ts';
import type { FaultEffect, Faults } from '../../sandbox/core/faults.ts';
import type { EventDraft, ManualChanges } from '../../sandbox/core/provider-sandbox.ts';
import type { GoogleSandbox } from '../../sandbox/google/google-sandbox.ts';
import type { MicrosoftSandbox } from '../../sandbox/microsoft/microsoft-sandbox.ts';
import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import {
  type CalendarServer,
  type CalendarServerOptions,
  get,
  link,
  openCalendarServer,
} from '../harness/calendar-server.ts';
import {
  APP,
  type MovableTime,
  movableTime,
  REGISTERED,
  type Sandbox,
  type SignIn,
  startSandbox,
} from './sandbox-provider.ts';

export const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };

/** The account as a reader sees it. */
export type Reading = {
  /** The titles of the events shown; `undefined` when nothing could be shown. */
  readonly titles: readonly string[] | undefined;
  readonly errors: readonly { code: string; reason?: string; actor?: string; message: string }[];
  readonly syncState: string;
  readonly permission: boolean | null;
  readonly health: { state: string; reason?: string; actor?: string; message?: string; since: string };
};

export type Bench = {
  /** The provider of the sandbox. */
  readonly started: Awaited<ReturnType<typeof startSandbox>>;
  readonly server: CalendarServer;
  readonly clock: SandboxClock;
  readonly manual: ManualChanges;
  readonly sandbox: Sandbox;
  /** Microsoft's own; throws elsewhere. */
  microsoft(): MicrosoftSandbox;
  /** Google's own; throws elsewhere. */
  google(): GoogleSandbox;
  calendarId: string;
  /** Changes what is known of the app at the provider. */
  registerApp(change: { clientSecret?: string; secretExpiresAt?: number; status?: 'testing' }): void;
  /** Faults of the provider; `fault` sets one. */
  readonly faults: Faults;
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
  /** At CalDAV: the server sends invitations itself. */
  readonly schedules?: boolean;
  /** The time here and at the provider. By default the real time, which runs on. */
  readonly time?: MovableTime;
};

/** `status: 'testing'` is Google's word for an app nobody reviewed. */
export async function openBench(
  kind: ProviderKind,
  {
    writing = {},
    asksForCalendars = false,
    schedules = false,
    time = movableTime(Date.now()),
  }: BenchOptions = {},
): Promise<Bench> {
  const window = windowAround(time.now);
  const started = await startSandbox(kind, time, { asksForCalendars, schedules });
  const { sandbox, manual, clock, faults, provider } = started;
  await manual.addPerson(ADA);
  const server = await openCalendarServer({
    [kind]: provider,
    apps: { google: APP, microsoft: APP },
    clock: time,
    writing,
  });
  const calendarId = await manual.addCalendar(ADA.email, { title: 'Work', timeZone: 'Europe/Paris' });
  const faultAt = kind === 'apple' ? 'icloud' : kind;

  const bench: Bench = {
    started,
    server,
    clock,
    manual,
    sandbox,
    calendarId,
    faults,
    microsoft() {
      assert.ok(sandbox.kind === 'microsoft' && 'issuer' in sandbox);
      return sandbox;
    },
    google() {
      assert.ok(sandbox.kind === 'google' && 'issuer' in sandbox);
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
      await manual.createEvent(ADA.email, bench.calendarId, today(title, time.now));
    },
    async link(options) {
      await link(server, { provider: kind, ...(await started.signIn(ADA.email, options)) });
    },
    pass(milliseconds) {
      time.now += milliseconds;
    },
    async read() {
      const token = await server.token();
      const answer = (await get(server, `/events?${window}`, token)).json();
      const status = (await get(server, '/connection-status', token)).json();
      const [connection] = status.connections[kind];
      assert.ok(connection, 'the account is linked');
      const titles = answer.events?.map(({ title }: { title: string }) => title).sort();
      const { syncState, calendarPermissionGranted: permission, health } = connection;
      return { titles, errors: answer.errors ?? [], syncState, permission, health };
    },
    async close() {
      await server.close();
      await started.close();
    },
  };
  return bench;
}

const DAY_MS = 24 * 3_600_000;

/** Not the month that a read shows unless asked otherwise: time passes, and months end. */
function windowAround(now: number): URLSearchParams {
  const at = (days: number) => new Date(now + days * DAY_MS).toISOString();
  return new URLSearchParams({ start: at(-2), end: at(30) });
}

/** One hour, noon of today. */
function today(title: string, now: number): EventDraft {
  const date = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO('UTC').toPlainDate().toString();
  const at = (hour: number) => ({ dateTime: `${date}T${hour}:00:00`, timeZone: 'Europe/Paris' });
  return { title, start: at(12), end: at(13) };
}
