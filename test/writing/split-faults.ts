/** Splits of which the n-th write fails: whatever happens, the series is whole in the end, and nobody gets a message too many. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { finishSplits } from '../../src/writing/finish-splits.ts';
import { type CalendarServer, get } from '../harness/calendar-server.ts';
import { SPECIAL, WEEKLY } from './split-series.ts';

/** A status in place of the write; a lost response; a process that ends before or after the write, and does nothing more. */
export type WriteFault = 400 | 403 | 409 | 503 | 'response lost' | 'ended before' | 'ended after';

export const ALL_FAULTS: readonly WriteFault[] = [
  400,
  403,
  409,
  503,
  'response lost',
  'ended before',
  'ended after',
];

/** A series before it is split. */
export type Variant = {
  readonly name: string;
  readonly guests?: true;
  readonly exceptions?: true;
  readonly conferences?: true;
  readonly room?: true;
};

export const FULL: Variant = {
  name: 'a room, exceptions and conferences',
  guests: true,
  exceptions: true,
  conferences: true,
  room: true,
};

/** `occurrence` is empty of a message about a whole event or series. */
export type Told = {
  readonly method: string;
  readonly uid: string;
  readonly to: string;
  readonly occurrence: string;
};

export type FaultSite = {
  readonly server: CalendarServer;
  readonly place: { readonly provider: string; readonly calendarId: string };
  /** The attendees. */
  readonly guests: readonly string[];
  /** Whether each of them gets each message of a provider that sends any: some servers tell less. */
  readonly tells: 'all' | 'some' | 'none';
  /** The write number `n` from now on, from 1, meets the fault. */
  fail(n: number, fault: WriteFault): void;
  /** Ends the fault. Returns whether a write met it. */
  heal(): boolean;
  takeSent(): Promise<readonly Told[]>;
  /** Makes an invited address a room, where a provider has rooms. */
  markRoom(address: string): void;
  close(): Promise<void>;
};

const ROOM = 'room@rooms.example';
const EXTRA = 'extra@elsewhere.example';

type Shown = {
  readonly id: string;
  readonly start: string;
  readonly title: string;
  readonly location?: string;
  readonly conference?: string;
  readonly attendees?: readonly { readonly email: string; readonly organizer?: boolean }[];
};

async function openRuns(site: FaultSite, variant: Variant) {
  const { server, place } = site;
  // Time passes, and tokens expire.
  const newToken = () => server.token('read-write');
  await get(server, '/calendars', await newToken());
  const [row] = await server.db.all<{ key: string }>(
    "SELECT calendar_key AS key FROM calendar WHERE href LIKE '%' || :id || '%'",
    { id: place.calendarId },
  );
  const calendarKey = row?.key ?? assert.fail('The calendar is not there');
  const send = async (method: 'POST' | 'PUT' | 'DELETE', body: object) => {
    const headers = { authorization: `Bearer ${await newToken()}` };
    const answer = await server.app.inject({
      method,
      url: '/event',
      headers,
      payload: { ...place, ...body },
    });
    return { status: answer.statusCode, text: answer.body };
  };
  const sent = async (method: 'POST' | 'PUT' | 'DELETE', body: object) => {
    const { status, text } = await send(method, body);
    assert.equal(status, 200, text);
  };
  const shown = async (): Promise<readonly Shown[]> => {
    server.clock.now += 60_000;
    const url = '/events?start=2027-01-01&end=2027-02-28';
    const answer = (await get(server, url, await newToken())).json();
    assert.deepEqual(answer.errors ?? [], []);
    return answer.events;
  };
  const guests = variant.guests ? [...site.guests, ...(variant.room ? [ROOM] : [])] : [];
  const attendees = (emails: readonly string[]) =>
    variant.guests ? { attendees: emails.map((email) => ({ email })) } : {};
  return {
    send,
    shown,
    finish: () => finishSplits(calendarKey, server.deps),
    journal: () => server.deps.splits.openSplits(calendarKey),
    /** Five Mondays, and returns what is shown of them. */
    async create() {
      const conference = variant.conferences ? { conference: { url: 'https://zoom.us/j/1' } } : {};
      await sent('POST', { ...WEEKLY, ...conference, ...attendees(guests) });
      if (variant.room) site.markRoom(ROOM);
      if (variant.exceptions) {
        const events = await shown();
        const own = attendees([...guests, EXTRA]);
        await sent('PUT', { ...SPECIAL, eventId: events[3]?.id, updateMode: 'this', ...own });
        await sent('PUT', { title: 'Other', eventId: events[2]?.id, updateMode: 'this' });
        await sent('DELETE', { eventId: events[4]?.id, deleteMode: 'this' });
      }
      const before = await shown();
      await site.takeSent();
      return before;
    },
    split: (events: readonly Shown[]) =>
      send('PUT', { eventId: events[1]?.id, location: 'Roof', updateMode: 'following' }),
    async remove() {
      const [event] = await shown();
      if (event === undefined) return;
      await sent('DELETE', { eventId: event.id, deleteMode: 'all' });
      await this.remove();
    },
  };
}

const linesOf = (events: readonly Shown[]): string[] =>
  events.map(({ start, title, location = '', conference = '', attendees = [] }) => {
    const emails = attendees.filter(({ organizer }) => organizer !== true).map(({ email }) => email);
    return `${start.slice(5, 16)} ${title} ${location} ${JSON.stringify(conference)} ${emails.sort().join(' ')}`;
  });

/** Nobody gets two messages about one series or occurrence, and no series is cancelled. */
function assertTold(told: readonly Told[], site: FaultSite, variant: Variant, isSplit: boolean): void {
  if (!isSplit) assert.deepEqual(told, [], 'A split that was taken back sends no message');
  const keys = told.map(({ uid, to, occurrence }) => `${uid} ${to} ${occurrence}`);
  assert.deepEqual([...new Set(keys)].sort(), keys.sort(), JSON.stringify(told));
  const ofSeries = told.filter(({ occurrence }) => occurrence === '');
  assert.deepEqual(
    ofSeries.filter(({ method }) => method === 'CANCEL'),
    [],
  );
  if (!isSplit || !variant.guests || site.tells !== 'all') return;
  for (const guest of site.guests) {
    const uids = ofSeries.filter(({ to }) => to === guest).map(({ uid }) => uid);
    assert.equal(new Set(uids).size, 2, `${guest} is notified of both series: ${JSON.stringify(told)}`);
  }
}

/** A split of more writes is not one of these. */
const MOST_WRITES = 40;

type Runs = Awaited<ReturnType<typeof openRuns>>;

/** Splits a series whose n-th write fails, finishes it, and returns whether a write met the fault. */
async function failAt(n: number, fault: WriteFault, site: FaultSite, { variant, runs, whole }: Case) {
  const before = await runs.create();
  site.fail(n, fault);
  const answer = await runs.split(before);
  const isMet = site.heal();
  let left: unknown = {};
  for (let tries = 0; tries < 25 && left !== undefined; tries += 1) {
    site.server.clock.now += 120_000;
    left = await runs.finish();
  }
  const how = `write ${n}: ${fault}, answered ${answer.status} ${answer.text.slice(0, 300)}`;
  assert.deepEqual([left, await runs.journal()], [undefined, []], how);
  const lines = linesOf(await runs.shown());
  const isSplit = JSON.stringify(lines) !== JSON.stringify(linesOf(before));
  if (isSplit) assert.deepEqual(lines, whole, how);
  if (answer.status === 200) assert.ok(isSplit, how);
  assertTold(await site.takeSent(), site, variant, isSplit);
  await runs.remove();
  await site.takeSent();
  return isMet;
}

type Case = { readonly variant: Variant; readonly runs: Runs; readonly whole: readonly string[] };

/** Splits a series without faults, for comparison. */
async function openCase(site: FaultSite, variant: Variant): Promise<Case> {
  const runs = await openRuns(site, variant);
  const answer = await runs.split(await runs.create());
  assert.equal(answer.status, 200, answer.text);
  const whole = linesOf(await runs.shown());
  assertTold(await site.takeSent(), site, variant, true);
  await runs.remove();
  await site.takeSent();
  return { variant, runs, whole };
}

export type SplitFaults = {
  readonly name: string;
  readonly options?: { readonly skip: string | false };
  open(): Promise<FaultSite>;
  readonly variants: readonly Variant[];
  readonly faults: readonly WriteFault[];
};

export function splitFaults({ name, options = { skip: false }, open, variants, faults }: SplitFaults): void {
  describe(`a split at ${name} of which one write fails`, options, () => {
    for (const variant of variants)
      it(`leaves the series as it was and notifies nobody, or splits it and notifies each attendee once: ${variant.name}`, async (t) => {
        const site = await open();
        t.after(() => site.close());
        const split = await openCase(site, variant);
        for (const fault of faults) {
          let n = 1;
          while (await failAt(n, fault, site, split)) n += 1;
          assert.ok(n > 2 && n < MOST_WRITES, 'A split has some writes');
        }
      });
  });
}
