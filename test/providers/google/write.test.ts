/** Rules for writing events that are Google's own; the rest is in the contract of all providers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { CalendarEvent } from '../../../src/calendars/event.ts';
import type { EventChange, EventDraft } from '../../../src/calendars/event-writing.ts';
import type { UnsupportedReason } from '../../../src/calendars/provider-error.ts';
import {
  apply,
  assertMirrored,
  berlin,
  day,
  occurrences,
  rule,
  targetAt,
} from '../../contract/mirrored-writes.ts';
import { ADA } from '../../sandbox/google/google-client.ts';
import { failsAs } from './failure.ts';
import { FIELD, MEETING, newKey, SECOND, shareGoogle, unsupported, WEEKLY } from './google-write-site.ts';

const site = shareGoogle();
const { create, eventAt, eventAtGoogle, pathOf, reread, update, withGoogle, writing } = site;

const CUSTOM: CalendarEvent['custom'] & {} = Object.fromEntries(
  Array.from({ length: 301 }, (_, i) => [`k${i}`, i]),
);
const REFUSED: readonly (readonly [string, Partial<EventDraft>, UnsupportedReason, string])[] = [
  ['a colour that is none of Google’s', { color: '#123456' }, FIELD, 'color'],
  ['a cancelled event, which Google deletes', { status: 'cancelled' }, FIELD, 'status'],
  ['a conference that is no address', { conference: 'javascript:alert(1)' }, FIELD, 'conference'],
  ['a value in custom over 1,024 bytes', { custom: { long: 'ü'.repeat(513) } }, FIELD, 'custom'],
  ['a name in custom over 44 bytes', { custom: { ['n'.repeat(45)]: 1 } }, FIELD, 'custom'],
  ['more than 300 values in custom', { custom: CUSTOM }, FIELD, 'custom'],
  ['a name in custom that is ours', { custom: { kalendsConference: 'x' } }, FIELD, 'custom'],
  ['a floating time', { start: { type: 'floating', local: '2026-11-16T09:00:00' } }, FIELD, 'start'],
];

/** Moves of a weekly series: its first has its own title and length, its second was moved, its third deleted. */
const MOVES: readonly (readonly [string, EventChange, readonly string[]])[] = [
  [
    'by an hour',
    { start: berlin('2026-11-16T10:00:00'), end: berlin('2026-11-16T11:00:00') },
    [
      'Named 2026-11-16T10:00:00 2026-11-16T13:00:00',
      'Weekly 2026-11-30T09:00:00 2026-11-30T10:00:00',
      'Weekly 2026-12-07T10:00:00 2026-12-07T11:00:00',
    ],
  ],
  [
    'to whole days',
    { start: day('2026-11-16'), end: day('2026-11-17') },
    [
      'Named 2026-11-16 2026-11-17',
      'Weekly 2026-11-30T09:00:00 2026-11-30T10:00:00',
      'Weekly 2026-12-07 2026-12-08',
    ],
  ],
];

const isLiveException = ({ recurrenceId, status }: CalendarEvent): boolean =>
  recurrenceId !== undefined && status !== 'cancelled';

describe('writing at Google', () => {
  creating();
  changing();
  refusals();
});

function creating(): void {
  it('the key becomes the id of an event at Google, so that a creation whose answer was lost is not made twice', async () => {
    const key = newKey();
    site.google.faults.set({
      provider: 'google',
      operation: 'events.insert',
      times: 1,
      effect: { kind: 'lost_answer' },
    });

    await assert.rejects(
      create({ ...MEETING, title: 'Once' }, key),
      failsAs('unavailable', 'provider_unavailable'),
    );
    assert.equal(await create({ ...MEETING, title: 'Once' }, key), key);

    assert.equal((await eventAtGoogle(key)).summary, 'Once');
    assert.equal(site.google.sent.filter(({ method }) => method === 'POST').length, 2);
  });

  it('what was made at Google with the key and deleted since is not brought back', async () => {
    const key = newKey();
    const href = await create(MEETING, key);
    apply(site.mirror, await writing().delete(site.calendarHref, targetAt(site.mirror, href)));

    await assert.rejects(create(MEETING, key), failsAs('not_found'));
  });

  it('the first of two equal local times is meant at Google, and a single event is moved out of a skipped one', async () => {
    const autumn = berlin('2026-10-25T02:30:00');
    const twice = await create({ ...MEETING, start: autumn, end: berlin('2026-10-25T04:00:00') });
    const spring = berlin('2026-03-29T02:30:00');
    const skipped = await create({ ...MEETING, start: spring, end: berlin('2026-03-29T04:00:00') });

    assert.equal((await eventAtGoogle(twice)).start?.dateTime, '2026-10-25T02:30:00+02:00');
    assert.deepEqual(eventAt(twice).start, autumn);
    assert.deepEqual(eventAt(skipped).start, berlin('2026-03-29T03:30:00'));
  });

  it('a series whose first local time is skipped, which Google would move as a whole, is refused', async () => {
    const start = berlin('2026-03-29T02:30:00');
    const series = { ...WEEKLY, start, end: berlin('2026-03-29T04:00:00') };

    const reason = 'recurrence_not_supported_by_provider';
    await assert.rejects(create(series), unsupported(reason, 'start'));
    assert.deepEqual(site.google.sent, []);
  });

  it('added and left out dates are written to Google in the zone of the series', async () => {
    const added = { start: berlin('2026-11-17T09:00:00') };
    const recurrence = { rrules: ['FREQ=WEEKLY;COUNT=3'], rdates: [added], exdates: [SECOND] };

    const href = await create({ ...WEEKLY, recurrence });

    assert.deepEqual((await eventAtGoogle(href)).recurrence, [
      'RRULE:FREQ=WEEKLY;COUNT=3',
      'RDATE;TZID=Europe/Berlin:20261117T090000',
      'EXDATE;TZID=Europe/Berlin:20261123T090000',
    ]);
    assert.deepEqual(eventAt(href).recurrence, recurrence);
    await site.google.account.writing.delete(site.calendarHref, targetAt(site.mirror, href));
  });

  for (const [name, fields, reason, field] of REFUSED)
    it(`${name} is refused before anything is sent to Google`, async () => {
      await assert.rejects(create({ ...MEETING, ...fields }), unsupported(reason, field));
      const href = await create(MEETING);
      site.google.sent.length = 0;
      await assert.rejects(update(href, fields), unsupported(reason, field));

      assert.deepEqual(site.google.sent, []);
    });
}

function changing(): void {
  it('a change sends Google what is named and nothing else, for the version it is based on, and to all guests', async () => {
    const href = await create({ ...MEETING, description: 'Words' });
    site.google.sent.length = 0;

    await update(href, { title: 'New', availability: null });

    const [only, ...others] = site.google.sent;
    assert.deepEqual(others, []);
    assert.deepEqual([only?.method, only?.body], ['PATCH', { summary: 'New', transparency: 'opaque' }]);
    assert.deepEqual(Object.fromEntries(only?.query ?? []), { sendUpdates: 'all' });
  });

  it('custom at Google keeps any JSON value, shows the texts of others as they are, and is replaced whole', async () => {
    const values = {
      n: 5,
      five: '5',
      no: null,
      yes: true,
      empty: '',
      list: [{ a: 'ü' }],
      mark: 'kalends-json:1',
    };
    const href = await create({ ...MEETING, custom: values });
    assert.deepEqual(eventAt(href).custom, values);
    const theirs = { shared: { zoom: '{"id":1}' }, private: { crm: 'true' } };
    await site.google.call('PATCH', pathOf(href), { extendedProperties: theirs });
    await reread(href);
    assert.deepEqual(eventAt(href).custom, { ...values, zoom: '{"id":1}', crm: 'true' });

    await update(href, { custom: { n: 6, crm: 'true' } });
    assert.deepEqual(eventAt(href).custom, { n: 6, crm: 'true' });
    await update(href, { custom: null });
    assert.equal(eventAt(href).custom, undefined);
  });

  it('public is said outright at Google only of an event that was not public before', async () => {
    const href = await create(MEETING);
    await update(href, { privacy: 'public' });
    assert.equal((await eventAtGoogle(href)).visibility, undefined);

    await update(href, { privacy: 'confidential' });
    assert.equal(eventAt(href).privacy, 'confidential');
    await update(href, { privacy: 'public' });
    assert.equal((await eventAtGoogle(href)).visibility, 'public');
    await update(href, { privacy: null });
    assert.equal((await eventAtGoogle(href)).visibility, 'default');
  });

  it('an event is given exactly one of Google’s colours, and it is taken away', async () => {
    const href = await create({ ...MEETING, color: '#DC2127' });
    assert.deepEqual([(await eventAtGoogle(href)).colorId, eventAt(href).color], ['11', '#dc2127']);

    await update(href, { color: null });

    assert.equal(eventAt(href).color, undefined);
  });

  it('a change tells what became of the changed occurrences when the pattern leaves them out at Google', async () => {
    const href = await create(WEEKLY);
    await update(href, { title: 'Own' }, SECOND);

    await update(href, { recurrence: rule('FREQ=WEEKLY;INTERVAL=2;COUNT=2') });

    const [exception] = targetAt(site.mirror, href).stored.slice(1);
    assert.equal(exception?.events[0]?.status, 'cancelled');
  });

  for (const [name, times, expected] of MOVES)
    it(`what was changed of a series at Google moves ${name}`, async () => {
      await withGoogle({}, async () => {
        const custom = { room: 1 };
        const href = await create({ ...WEEKLY, location: 'Room', custom, conference: 'https://a.example/1' });
        const third = berlin('2026-11-30T09:00:00');
        const details = { custom: { seats: [2] }, conference: 'https://a.example/2' };
        await update(href, { ...details, title: 'Named', end: berlin('2026-11-16T12:00:00') }, WEEKLY.start);
        await update(href, { location: null, start: third, end: berlin('2026-11-30T10:00:00') }, SECOND);
        apply(site.mirror, await writing().delete(site.calendarHref, targetAt(site.mirror, href, third)));

        await update(href, times);

        assert.deepEqual(
          occurrences(site.mirror, href).map(({ title, start, end }) => `${title} ${start} ${end}`),
          expected,
        );
        const first = targetAt(site.mirror, href).stored.flatMap(({ events }) => events);
        const named = first.find(({ title, status }) => title === 'Named' && status !== 'cancelled');
        assert.deepEqual([named?.custom, named?.conference], [details.custom, details.conference]);
        await assertMirrored(site.google.account, site.calendarHref, site.mirror);
      });
    });

  it('keeps the length of an occurrence whose end is in another zone when its series moves', async () => {
    const newYork = (time: string) =>
      ({ type: 'zoned', local: `2026-11-16T${time}`, zone: 'America/New_York' }) as const;
    const href = await create({ ...WEEKLY, start: newYork('10:00:00'), end: newYork('11:00:00') });
    const end = { type: 'zoned', local: '2026-11-16T20:00:00', zone: 'Europe/London' } as const;
    await update(href, { end }, newYork('10:00:00'));

    await update(href, { start: newYork('12:00:00'), end: newYork('13:00:00') });

    const { stored } = targetAt(site.mirror, href);
    const [first] = stored.flatMap(({ events }) => events).filter(isLiveException);
    assert.deepEqual([first?.start, first?.end], [newYork('12:00:00'), newYork('17:00:00')]);
  });

  it('a recurrence at Google is taken away, and with it what was changed of it', async () => {
    const href = await create(WEEKLY);
    await update(href, { title: 'Own' }, SECOND);

    await update(href, { recurrence: null });

    assert.equal(eventAt(href).recurrence, undefined);
    assert.ok(
      targetAt(site.mirror, href)
        .stored.slice(1)
        .every(({ events }) => events[0]?.status === 'cancelled'),
    );
  });
}

function refusals(): void {
  const fault = (operation: string, status: number, reason?: string) =>
    site.google.faults.set({
      provider: 'google',
      operation,
      times: 1,
      effect: { kind: 'status', status, ...(reason === undefined ? {} : { reason }) },
    });

  it('reports a change that only the organizer may make at Google as organizer_only', async () => {
    const href = await create(MEETING);
    fault('events.patch', 403, 'forbiddenForNonOrganizer');

    await assert.rejects(update(href, { title: 'Mine' }), unsupported('organizer_only'));
  });

  it('reports a read-only calendar at Google as calendar_read_only', async () => {
    const readOnly = { title: 'Theirs', color: '#0b8043', timeZone: 'UTC', readOnly: true };
    site.calendarHref = await site.google.google.manual.addCalendar(ADA.email, readOnly);

    await assert.rejects(create(MEETING), unsupported('calendar_read_only'));
  });

  it('reports the user’s write quota at Google as exhausted, and can still read', async () => {
    const href = await create(MEETING);
    fault('events.patch', 403, 'quotaExceeded');

    await assert.rejects(update(href, { title: 'Many' }), failsAs('rate_limited', 'user_quota_exhausted'));
    assert.equal((await writing().read(site.calendarHref, href))?.length, 1);
  });

  it('refuses a rule that Google does not support', async () => {
    const series = { ...WEEKLY, recurrence: rule('FREQ=WEEKLY;BYDAY=XX') };

    await assert.rejects(create(series), unsupported('recurrence_not_supported_by_provider', 'recurrence'));
  });

  it('a change that Google does not take for a kind of event is refused with that kind', async () => {
    const birthday = { eventType: 'birthday', start: { date: '2026-12-10' }, end: { date: '2026-12-11' } };
    const { body } = await site.google.call('POST', pathOf('').slice(0, -1), { summary: 'Ada', ...birthday });
    const href = body.id ?? '';
    await reread(href);

    await update(href, { title: 'Countess' });

    const refused = update(href, { description: 'Cake' });
    await assert.rejects(refused, unsupported(FIELD));
    await assert.rejects(refused, /an event of the kind "birthday"/);
  });

  it('an end before the start is refused by Google', async () => {
    const draft = { ...MEETING, end: berlin('2026-11-16T08:00:00') };

    await assert.rejects(create(draft), unsupported(FIELD));
  });

  it('a write fails as not_found in a calendar that is not at Google', async () => {
    site.calendarHref = 'nowhere@group.calendar.google.com';

    await assert.rejects(create(MEETING), failsAs('not_found'));
  });
}
