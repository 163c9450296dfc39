/** Changes that people make in the sandbox's Outlook: every view of Graph agrees on the outcome. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

import fc from 'fast-check';

import type { EventDraft } from '../../../sandbox/core/provider-sandbox.ts';
import { countWork } from '../../harness/processor-time.ts';
import { openGraph } from './graph.ts';
import { ADA, everyPage, type Graph, type Json } from './harness.ts';

const zoned = (dateTime: string, timeZone = 'Europe/Berlin') => ({ dateTime, timeZone });
const STANDUP: EventDraft = {
  title: 'Standup',
  start: zoned('2026-10-05T09:00:00'),
  end: zoned('2026-10-05T09:30:00'),
  recurrence: { frequency: 'weekly', weekdays: ['MO', 'WE'], until: '2026-11-30' },
};
const WINDOW = { start: Date.UTC(2026, 9, 1), end: Date.UTC(2026, 11, 1) };
const QUERY = 'startDateTime=2026-10-01T00:00:00Z&endDateTime=2026-12-01T00:00:00Z';
const utc = (text: string): number => Date.parse(`${text}Z`);

describe('Manual changes at the Microsoft sandbox', () => {
  it('people at Microsoft see a series with a moved and a deleted occurrence over a change of clocks', async (t) => {
    const { manual, calendarId } = await openGraph(t);
    const id = await manual.createEvent(ADA, calendarId, {
      ...STANDUP,
      recurrence: { frequency: 'weekly', count: 5 },
    });
    const change = { title: 'Late', start: zoned('2026-10-13T15:00:00'), end: zoned('2026-10-13T16:00:00') };
    await manual.changeOccurrence(ADA, calendarId, { ...change, id, original: zoned('2026-10-12T09:00:00') });
    await manual.deleteOccurrence(ADA, calendarId, { id, original: zoned('2026-10-19T09:00:00') });

    const instances = await manual.instances(ADA, calendarId, WINDOW);

    assert.deepEqual(instances, [
      { title: 'Standup', start: utc('2026-10-05T07:00'), end: utc('2026-10-05T07:30'), allDay: false },
      { title: 'Late', start: utc('2026-10-13T13:00'), end: utc('2026-10-13T14:00'), allDay: false },
      { title: 'Standup', start: utc('2026-10-26T08:00'), end: utc('2026-10-26T08:30'), allDay: false },
      { title: 'Standup', start: utc('2026-11-02T08:00'), end: utc('2026-11-02T08:30'), allDay: false },
    ]);
  });

  it('people at Microsoft write everything of a draft as Outlook does', async (t) => {
    const { manual, graph, calendarId } = await openGraph(t);
    const id = await manual.createEvent(ADA, calendarId, {
      title: 'Review',
      start: zoned('2026-11-28T09:00:00', 'America/New_York'),
      end: zoned('2026-11-28T10:00:00', 'America/New_York'),
      description: 'Bring <numbers>',
      location: 'Room 1',
      attendees: [{ email: 'grace@contoso.example', name: 'Grace' }],
      availability: 'free',
      privacy: 'private',
      conference: 'https://meet.example/1',
    });

    const { body } = await graph('GET', `/me/events/${encodeURIComponent(id)}`, {
      headers: { prefer: 'outlook.body-content-type="text"' },
    });

    assert.equal(body.originalStartTimeZone, 'Eastern Standard Time');
    assert.deepEqual(body.start, { dateTime: '2026-11-28T14:00:00.0000000', timeZone: 'UTC' });
    assert.deepEqual(body.body, { contentType: 'text', content: 'Bring <numbers>' });
    assert.equal((body.location as Json).displayName, 'Room 1');
    assert.equal(
      ((body.attendees as Json[])[0]?.emailAddress as Json | undefined)?.address,
      'grace@contoso.example',
    );
    assert.deepEqual([body.showAs, body.sensitivity], ['free', 'private']);
    assert.equal((body.onlineMeeting as Json).joinUrl, 'https://meet.example/1');
  });

  it('people at Microsoft put back what a new draft leaves out, and keep exceptions while the pattern stays', async (t) => {
    const { manual, calendarId } = await openGraph(t);
    const id = await manual.createEvent(ADA, calendarId, STANDUP);
    await manual.changeOccurrence(ADA, calendarId, {
      id,
      original: zoned('2026-10-12T09:00:00'),
      title: 'Special',
    });
    const special = async () =>
      (await manual.instances(ADA, calendarId, WINDOW)).filter(({ title }) => title === 'Special').length;

    await manual.updateEvent(ADA, calendarId, { id, ...STANDUP, title: 'Sync' });
    const before = await special();
    const later = { start: zoned('2026-10-05T10:00:00'), end: zoned('2026-10-05T10:30:00') };
    await manual.updateEvent(ADA, calendarId, { id, ...STANDUP, ...later });

    assert.deepEqual([before, await special()], [1, 0]);
  });

  it('people at Microsoft take away the exceptions behind the end of a trimmed series', async (t) => {
    const { manual, calendarId } = await openGraph(t);
    const draft = (count: number): EventDraft => ({ ...STANDUP, recurrence: { frequency: 'daily', count } });
    const id = await manual.createEvent(ADA, calendarId, draft(5));
    await manual.changeOccurrence(ADA, calendarId, {
      id,
      original: zoned('2026-10-06T09:00:00'),
      title: 'Second',
    });
    await manual.changeOccurrence(ADA, calendarId, {
      id,
      original: zoned('2026-10-09T09:00:00'),
      title: 'Fifth',
    });

    await manual.updateEvent(ADA, calendarId, { ...draft(3), id });

    const instances = await manual.instances(ADA, calendarId, WINDOW);
    assert.deepEqual(
      instances.map(({ title }) => title),
      ['Standup', 'Second', 'Standup'],
    );
  });

  const strangers: [rule: string, act: (t: TestContext) => Promise<unknown>][] = [
    [
      'a person',
      async (t) => (await openGraph(t)).manual.addCalendar('no@one.example', { title: 'x', timeZone: 'UTC' }),
    ],
    ['a calendar', async (t) => (await openGraph(t)).manual.removeCalendar(ADA, 'AAMk')],
    [
      'an event',
      async (t) => {
        const { manual, calendarId } = await openGraph(t);
        await manual.deleteEvent(ADA, calendarId, 'AAMk');
      },
    ],
    [
      'an occurrence',
      async (t) => {
        const { manual, calendarId } = await openGraph(t);
        const id = await manual.createEvent(ADA, calendarId, STANDUP);
        await manual.deleteOccurrence(ADA, calendarId, { id, original: zoned('2026-10-06T09:00:00') });
      },
    ],
  ];
  for (const [rule, act] of strangers) {
    it(`a change to ${rule} that does not exist fails at Microsoft`, async (t) => {
      await assert.rejects(act(t), Error);
    });
  }
});

type Manual = Awaited<ReturnType<typeof openGraph>>['manual'];
type Step = { kind: number; which: number; day: number; hour: number };

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.nat(7),
  which: fc.nat(20),
  day: fc.integer({ min: 1, max: 28 }),
  hour: fc.integer({ min: 0, max: 22 }),
});

const two = (value: number): string => String(value).padStart(2, '0');

/** One random act; acts that Outlook refuses are no acts. */
async function act(
  manual: Manual,
  calendarId: string,
  ids: string[],
  { kind, which, day, hour }: Step,
): Promise<void> {
  const id = ids[which % Math.max(1, ids.length)];
  const times = {
    start: zoned(`2026-1${day % 2}-${two(day)}T${two(hour)}:00:00`),
    end: zoned(`2026-1${day % 2}-${two(day)}T${two(hour)}:45:00`),
  };
  const instances = await manual.instances(ADA, calendarId, WINDOW);
  const original = zoned(
    new Date(instances[which % Math.max(1, instances.length)]?.start ?? 0).toISOString().slice(0, 19),
    'UTC',
  );
  if (kind === 0) ids.push(await manual.createEvent(ADA, calendarId, { title: `e${which}`, ...times }));
  if (kind === 1)
    ids.push(await manual.createEvent(ADA, calendarId, { ...STANDUP, title: `s${which}`, ...times }));
  if (kind === 2 && id !== undefined)
    await manual.updateEvent(ADA, calendarId, { id, title: `u${which}`, ...times });
  if (kind === 3 && id !== undefined) {
    await manual.deleteEvent(ADA, calendarId, id);
    ids.splice(ids.indexOf(id), 1);
  }
  if (kind === 4 && id !== undefined)
    await manual.updateEvent(ADA, calendarId, { id, ...STANDUP, title: `t${day}` });
  if (kind >= 5 && id !== undefined) {
    const change = kind === 5 ? { title: `x${day}` } : times;
    // The chosen start may be another event's, and the move one that Outlook refuses.
    const acted =
      kind === 7
        ? manual.deleteOccurrence(ADA, calendarId, { id, original })
        : manual.changeOccurrence(ADA, calendarId, { ...change, id, original });
    await acted.catch((error: Error) => assert.match(error.message, /no occurrence|adjacent|recurrence/));
  }
}

/** Applies a delta as the simplest client does: each item replaces its event and all occurrences of it. */
function fold(mirror: Map<unknown, Json>, items: readonly Json[]): void {
  for (const item of items) {
    for (const [id, { seriesMasterId }] of mirror) if (seriesMasterId === item.id) mirror.delete(id);
  }
  for (const item of items) {
    if ('@removed' in item) mirror.delete(item.id);
    else mirror.set(item.id, item);
  }
}

const timesOf = (items: Iterable<Json>): string[] =>
  [...items]
    .filter(({ type }) => type !== 'seriesMaster')
    .map(({ start, end }) => `${(start as Json).dateTime}/${(end as Json).dateTime}`)
    .sort();

async function deltaRound(graph: Graph, link: string, mirror: Map<unknown, Json>): Promise<string> {
  const { value, last } = await everyPage(graph, link, { prefer: 'odata.maxpagesize=5' });
  fold(mirror, value);
  return String(last['@odata.deltaLink']);
}

describe('Views of the Microsoft sandbox', () => {
  it('the views of Microsoft agree after any acts: delta, calendarView and what Outlook shows', async (t) => {
    const { manual, graph } = await openGraph(t);

    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 4 }), async (rounds) => {
        const calendarId = await manual.addCalendar(ADA, { title: 'r', timeZone: 'Europe/Berlin' });
        const mirror = new Map<unknown, Json>();
        const ids: string[] = [];
        let link = await deltaRound(graph, `/me/calendars/${calendarId}/calendarView/delta?${QUERY}`, mirror);
        for (const round of rounds) {
          for (const one of round) await act(manual, calendarId, ids, one);
          link = await deltaRound(graph, link, mirror);
        }

        const view = await everyPage(graph, `/me/calendars/${calendarId}/calendarView?${QUERY}&$top=100`);
        const instances = await manual.instances(ADA, calendarId, WINDOW);
        const stamp = (instant: number) => new Date(instant).toISOString().replace(/\.\d+Z$/, '.0000000');
        const expected = instances.map(({ start, end }) => `${stamp(start)}/${stamp(end)}`).sort();
        assert.deepEqual(timesOf(view.value), expected);
        assert.deepEqual(timesOf(mirror.values()), expected);
      }),
      { numRuns: 60 },
    );
  });

  it('the views of Microsoft answer a calendar of 10,000 events in ten seconds of work', async (t) => {
    const { manual, graph, calendarId } = await openGraph(t);
    for (let n = 0; n < 10_000; n += 1) {
      const day = two((n % 28) + 1);
      const times = { start: zoned(`2026-10-${day}T09:00:00`), end: zoned(`2026-10-${day}T10:00:00`) };
      await manual.createEvent(ADA, calendarId, { title: `e${n}`, ...times });
      // A connection that is idle for long is closed: both ends are to know of it before it is used again.
      if (n % 500 === 0) await nextTurn();
    }
    const workSince = countWork();

    const listed = await everyPage(graph, `/me/calendars/${calendarId}/events?$top=1000`);
    const delta = `/me/calendars/${calendarId}/calendarView/delta?${QUERY}`;
    const changes = await everyPage(graph, delta, { prefer: 'odata.maxpagesize=1000' });
    const idle = await everyPage(graph, String(changes.last['@odata.deltaLink']));

    assert.deepEqual([listed.value.length, changes.value.length, idle.value.length], [10_000, 10_000, 0]);
    assert.ok(workSince() < 10_000);
  });
});
