import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';

import type { calendar_v3 } from '@googleapis/calendar';

import type { EventDraft, ManualChanges } from '../../../sandbox/core/provider-sandbox.ts';
import { BRUSSELS, draft, weekly } from './drafts.ts';
import { ADA, type Api, allPages, apiOf, type OpenGoogle, openGoogle, signIn } from './google-client.ts';

const DAY = 86_400_000;

describe('manual changes in the sandbox’s Google', () => {
  let open: OpenGoogle;
  let api: Api;
  before(async () => {
    open = await openGoogle();
    api = apiOf(open.google, (await signIn(open.google)).access_token);
  });

  it('people at Google are shown the instances the API lists, whatever was done in whatever order', async () => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const { manual } = open.google;
      const id = await manual.addCalendar(ADA.email, { title: `Seed ${seed}`, timeZone: BRUSSELS });
      const mirror = new Map<string, calendar_v3.Schema$Event>();
      let syncToken: string | undefined;
      for (let step = 0; step < 40; step += 1) {
        await randomChange(manual, id, seed * 1000 + step);
        if (step % 5 === 4) syncToken = await follow(api, id, mirror, syncToken);
      }
      const window = { start: Date.parse('2026-09-01T00:00:00Z'), end: Date.parse('2027-03-01T00:00:00Z') };
      const timeMin = new Date(window.start).toISOString();
      const timeMax = new Date(window.end).toISOString();

      const instances = await manual.instances(ADA.email, id, window);
      const listed = await allPages(api, id, { singleEvents: 'true', timeMin, timeMax });
      const { items: full } = await allPages(api, id);

      assert.deepEqual(
        listed.items.map(({ summary, start }) => `${startOf(start)} ${summary}`).sort(),
        instances.map(({ title, start }) => `${start} ${title}`).sort(),
        `seed ${seed}`,
      );
      const byId = new Map(full.map((event) => [event.id, event]));
      assert.deepEqual(new Map([...mirror].sort()), new Map([...byId].sort()), `seed ${seed}`);
      assert.ok(full.length > 0);
    }
  });

  it('people at Google fail with what does not exist', async () => {
    const { manual } = open.google;
    const id = await manual.addCalendar(ADA.email, { title: 'Work', timeZone: BRUSSELS });
    const single = await manual.createEvent(ADA.email, id, draft('Single'));
    const series = await manual.createEvent(ADA.email, id, weekly('Series'));
    const off = { dateTime: '2026-10-13T09:00:00', timeZone: BRUSSELS };
    const on = { dateTime: '2026-10-12T09:00:00', timeZone: BRUSSELS };
    await manual.deleteOccurrence(ADA.email, id, { id: series, original: on });

    for (const wrong of [
      () => manual.addPerson(ADA),
      () => manual.addCalendar('nobody@example.com', { title: 'X', timeZone: 'UTC' }),
      () => manual.addCalendar(ADA.email, { title: 'X', timeZone: 'Mars/Olympus' }),
      () => manual.removeCalendar(ADA.email, 'nothing'),
      () => manual.createEvent(ADA.email, 'nothing', draft('X')),
      () => manual.updateEvent(ADA.email, id, { ...draft('X'), id: 'nothing' }),
      () => manual.deleteEvent(ADA.email, id, 'nothing'),
      () => manual.changeOccurrence(ADA.email, id, { id: series, original: off, title: 'X' }),
      () => manual.changeOccurrence(ADA.email, id, { id: series, original: on, title: 'X' }),
      () => manual.deleteOccurrence(ADA.email, id, { id: single, original: on }),
      () => manual.revokeAccess('nobody@example.com'),
      () => manual.forgetSyncTokens(ADA.email, 'nothing'),
      () => manual.instances(ADA.email, 'nothing', { start: 0, end: DAY }),
    ]) {
      await assert.rejects(wrong, Error);
    }
  });

  it('people at Google write rules as Google keeps them: the last day inclusive, in UTC for times', async () => {
    const { manual } = open.google;
    const id = await manual.addCalendar(ADA.email, { title: 'Rules', timeZone: BRUSSELS });
    await manual.createEvent(ADA.email, id, {
      ...draft('Gym', '2026-11-23'),
      recurrence: { frequency: 'weekly', interval: 2, until: '2026-12-21', weekdays: ['MO', 'WE'] },
    });
    await manual.createEvent(ADA.email, id, {
      title: 'Trip',
      start: { date: '2026-12-01' },
      end: { date: '2026-12-04' },
      recurrence: { frequency: 'daily', interval: 7, until: '2026-12-08' },
    });

    const { items } = await allPages(api, id);
    const instances = await manual.instances(ADA.email, id, { start: 0, end: Date.parse('2030-01-01') });

    assert.deepEqual(items.map(({ recurrence }) => recurrence?.[0]).sort(), [
      'RRULE:FREQ=DAILY;INTERVAL=7;UNTIL=20261208',
      'RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=20261221T225959Z;BYDAY=MO,WE',
    ]);
    assert.deepEqual(
      instances.map(
        ({ title, start, allDay }) => `${new Date(start).toISOString().slice(0, 10)} ${title} ${allDay}`,
      ),
      [
        '2026-11-23 Gym false',
        '2026-11-25 Gym false',
        '2026-12-01 Trip true',
        '2026-12-07 Gym false',
        '2026-12-08 Trip true',
        '2026-12-09 Gym false',
        '2026-12-21 Gym false',
      ],
    );
  });
});

const startOf = (start: calendar_v3.Schema$EventDateTime | undefined) =>
  Date.parse(start?.dateTime ?? `${start?.date}T00:00:00Z`);

/** Applies a listing as the simplest mirror does: a deleted master takes its exceptions along. */
async function follow(
  api: Api,
  id: string,
  mirror: Map<string, calendar_v3.Schema$Event>,
  syncToken: string | undefined,
): Promise<string | undefined> {
  const { items, nextSyncToken } = await allPages(api, id, syncToken === undefined ? {} : { syncToken });
  for (const event of items) {
    const isDeletion = event.status === 'cancelled' && event.recurringEventId === undefined;
    if (!isDeletion) mirror.set(event.id ?? '', event);
    else {
      for (const [key, { recurringEventId }] of mirror) {
        if (key === event.id || recurringEventId === event.id) mirror.delete(key);
      }
    }
  }
  return nextSyncToken;
}

/** One change of a calendar, drawn from the seed: 16 bits of a multiplicative hash for each choice. */
async function randomChange(manual: ManualChanges, id: string, seed: number): Promise<void> {
  const draw = (choices: number, salt: number) =>
    ((((seed * 7 + salt) * 2_654_435_761) >>> 16) & 0xffff) % choices;
  const date = new Date(Date.parse('2026-10-05') + draw(60, 1) * DAY).toISOString().slice(0, 10);
  const made = eventsOf.get(id) ?? [];
  eventsOf.set(id, made);
  const previous = made[draw(Math.max(1, made.length), 2)];
  const event = draft(`Event ${seed}`, date, {
    ...(draw(2, 3) === 0 ? { recurrence: { frequency: 'daily', interval: 3, count: 9 } } : {}),
  });
  if (previous === undefined || draw(4, 4) === 0) {
    made.push({ event, id: await manual.createEvent(ADA.email, id, event) });
    return;
  }
  const kind = draw(8, 5);
  if (kind < 2) {
    await manual.updateEvent(ADA.email, id, { ...event, id: previous.id });
    previous.event = event;
  } else if (kind === 2) {
    await manual.deleteEvent(ADA.email, id, previous.id);
    made.splice(made.indexOf(previous), 1);
  } else if (previous.event.recurrence !== undefined && 'dateTime' in previous.event.start) {
    const first = Temporal.PlainDateTime.from(previous.event.start.dateTime).add({ days: 3 * draw(9, 6) });
    const original = { dateTime: first.toString({ smallestUnit: 'second' }), timeZone: BRUSSELS };
    const moved = { start: event.start, end: event.end, title: `Moved ${seed}` };
    const change =
      kind < 6
        ? manual.changeOccurrence(ADA.email, id, { ...moved, id: previous.id, original })
        : manual.deleteOccurrence(ADA.email, id, { id: previous.id, original });
    await change.catch((error: unknown) => assert.match(String(error), /has no occurrence/)); // deleted before
  }
}

const eventsOf = new Map<string, { event: EventDraft; id: string }[]>();
