/**
 * Series at Google that people and applications change in turn, with all of Google's habits: an application reads what
 * Google's own app shows, at once after its own writes.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GoogleSandboxOptions } from '../../../sandbox/google/google-sandbox.ts';
import { type CalendarServer, link, openCalendarServer } from '../../harness/calendar-server.ts';
import { rounds } from '../../harness/rounds.ts';
import { readEvents } from '../provider-reader.ts';
import { type Pick, random } from '../random-changes.ts';
import { type MovableTime, movableTime, type StartedProvider, startSandbox } from '../sandbox-provider.ts';

const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };
const HABITS: GoogleSandboxOptions = {
  uidFindsCancelled: false,
  cancelledDetails: true,
  guestChanges: 'ignored',
  mostGuestsWritten: 0,
  instancesPerPage: 3,
};
const START = Date.UTC(2026, 8, 1);
const WINDOW = { start: START, end: Date.UTC(2027, 5, 1) };
const MINUTE = 60_000;
const CHANGES = 25;

type Site = {
  readonly started: StartedProvider;
  readonly server: CalendarServer;
  readonly time: MovableTime;
  readonly calendarId: string;
  send(method: 'POST' | 'PUT' | 'DELETE', body: object): Promise<number>;
  /** How many requests of this operation Google has answered. */
  requests(operation: string): number;
  /** Reads the calendar as an application: the ids of instances, and their visible fields. */
  read(): Promise<{ readonly ids: readonly string[]; readonly seen: readonly object[] }>;
  /** Returns what Google's own app shows. */
  shown(): Promise<readonly object[]>;
};

async function withSite(test: (site: Site) => Promise<void>): Promise<void> {
  const time = movableTime(START);
  const started = await startSandbox('google', time, { google: HABITS });
  const { signIn } = started.provider;
  assert.ok(signIn.method === 'redirect');
  const server = await openCalendarServer({ google: { ...started.provider, signIn }, clock: time });
  try {
    await started.manual.addPerson(ADA);
    const calendarId = await started.manual.addCalendar(ADA.email, {
      title: 'Work',
      timeZone: 'Europe/Berlin',
    });
    await link(server, { provider: 'google', ...(await started.signIn(ADA.email, { scope: 'read-write' })) });
    await test(siteAt({ started, server, time, calendarId, sandbox: started.sandbox }));
  } finally {
    await server.close();
    await started.close();
  }
}

type Counting = { readonly sandbox: { requests(operation?: string): number } };

const siteAt = (place: Omit<Site, 'send' | 'requests' | 'read' | 'shown'> & Counting): Site => ({
  ...place,
  requests: (operation) => place.sandbox.requests(operation),
  async send(method, body) {
    const answer = await place.server.app.inject({
      method,
      url: '/event',
      headers: { authorization: `Bearer ${await place.server.token()}` },
      payload: { provider: 'google', calendarId: place.calendarId, ...body },
    });
    return answer.statusCode;
  },
  async read() {
    const { server, calendarId } = place;
    const query = { kind: 'google', calendarId, window: WINDOW } as const;
    const { events, problems } = await readEvents(server, await server.token(), query);
    assert.deepEqual(problems, []);
    const seen = events.map(({ title, start, end, allDay }) => ({
      ...{ title, start: Date.parse(start), end: Date.parse(end), allDay },
    }));
    return { ids: events.map(({ id }) => id), seen: seen.sort(byStartThenTitle) };
  },
  shown: () => place.started.manual.instances(ADA.email, place.calendarId, WINDOW),
});

const WRITES = ['events.insert', 'events.patch', 'events.delete'] as const;

type Titled = { readonly start: number; readonly title: string };
const byStartThenTitle = (a: Titled, b: Titled): number =>
  a.start - b.start || (a.title < b.title ? -1 : Number(a.title > b.title));

const draft = (title: string) => ({
  title,
  start: { dateTime: '2026-09-07T09:00:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-09-07T10:00:00', timeZone: 'Europe/Berlin' },
  recurrence: { frequency: 'weekly', count: 12 } as const,
});

/** Splits the id of an instance, `{series}_{original start}`. */
function original(id: string): {
  readonly id: string;
  readonly original: { dateTime: string; timeZone: string };
} {
  const [, series = '', ...parts] = /^(.+)_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(id) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  return {
    id: series,
    original: { dateTime: `${year}-${month}-${day}T${hour}:${minute}:${second}`, timeZone: 'UTC' },
  };
}

/** A change of one instance, of all, or of this and the following; by an application. */
async function writeOver(site: Site, id: string, pick: Pick): Promise<void> {
  const eventId = id;
  const title = `Written ${pick(1000)}`;
  const mode = (['this', 'following', 'all'] as const)[pick(3)] ?? 'this';
  const status =
    pick(4) === 0 && mode !== 'all'
      ? await site.send('DELETE', { eventId, deleteMode: mode })
      : await site.send('PUT', { eventId, title, updateMode: mode });
  assert.equal(status, 200, `${mode} of ${id}`);
}

/** A change of one instance by hand. */
async function changeByHand({ started, calendarId }: Site, id: string, pick: Pick): Promise<void> {
  const occurrence = original(id);
  if (pick(2) === 0) await started.manual.deleteOccurrence(ADA.email, calendarId, occurrence);
  else
    await started.manual.changeOccurrence(ADA.email, calendarId, {
      ...occurrence,
      title: `By hand ${pick(1000)}`,
    });
}

describe('a series at Google whose organizer is shown what was deleted', () => {
  it('is split once, with one new series, where a later occurrence was deleted by hand', async () => {
    await withSite(async (site) => {
      const { started, calendarId } = site;
      const id = await started.manual.createEvent(ADA.email, calendarId, draft('Weekly'));
      const deleted = { dateTime: '2026-10-05T09:00:00', timeZone: 'Europe/Berlin' };
      await started.manual.deleteOccurrence(ADA.email, calendarId, { id, original: deleted });
      site.time.now += MINUTE;
      await site.read();
      const before = WRITES.map(site.requests);

      const eventId = `${id}_20260921T070000Z`;
      const status = await site.send('PUT', { eventId, title: 'Later', updateMode: 'following' });

      const sent = WRITES.map((operation, i) => site.requests(operation) - (before[i] ?? 0));
      assert.deepEqual([status, ...sent], [200, 1, 1, 0]);
      const { seen } = await site.read();
      assert.equal(seen.length, 11);
      assert.deepEqual(seen, await site.shown());
    });
  });
});

describe('series at Google, written by people and applications', () => {
  for (let seed = 1; seed <= rounds(2); seed += 1)
    it(`an application reads what Google shows after each write and each change at Google, seed ${seed}`, async () => {
      await withSite(async (site) => {
        const pick = random(seed);
        await site.started.manual.createEvent(ADA.email, site.calendarId, draft('Weekly'));
        for (let made = 0; made < CHANGES; made += 1) {
          site.time.now += MINUTE;
          const { ids, seen } = await site.read();
          assert.deepEqual(seen, await site.shown());
          const id = ids[pick(Math.max(ids.length, 1))];
          if (id === undefined || !/_\d{8}T\d{6}Z$/.test(id)) {
            await site.started.manual.createEvent(ADA.email, site.calendarId, draft(`Series ${made}`));
          } else if (pick(3) === 0) await changeByHand(site, id, pick);
          else {
            await writeOver(site, id, pick);
            assert.deepEqual((await site.read()).seen, await site.shown(), 'read your own writes');
          }
        }
      });
    });
});
