/** What is Google's own about writing events there; the rest is in the contract of all providers. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import type { CalendarEvent } from '../src/calendars/event.ts';
import type { EventChange, EventDraft } from '../src/calendars/event-writing.ts';
import { UnsupportedByProvider, type UnsupportedReason } from '../src/calendars/unsupported.ts';
import type { EventTime } from '../src/lib/recurrence/event-time.ts';
import { apply, assertMirrored, berlin, day, draftOf, rule, targetAt } from './contract/written-mirror.ts';
import { failsAs } from './google-failure.ts';
import { type GoogleWriting, openGoogleWriting } from './google-writing.ts';
import { ADA } from './sandbox-google-client.ts';
import type { Mirror } from './servers/mirror.ts';

const unsupported = (reason: UnsupportedReason, field?: string) => (failure: unknown) => {
  assert.ok(failure instanceof UnsupportedByProvider, String(failure));
  assert.deepEqual([failure.reason, failure.field], [reason, field]);
  return true;
};

let lastKey = 0;
const newKey = (): string => (++lastKey).toString(16).padStart(32, 'ab');
const MEETING = draftOf({
  title: 'Meeting',
  start: berlin('2026-11-16T09:00:00'),
  end: berlin('2026-11-16T10:00:00'),
});
const WEEKLY: EventDraft = { ...MEETING, title: 'Weekly', recurrence: rule('FREQ=WEEKLY;COUNT=4') };
const SECOND = berlin('2026-11-23T09:00:00');

const FIELD = 'field_not_supported_by_provider';
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

const ZOOM = 'https://example.zoom.us/j/123?pwd=a';

let open: GoogleWriting;
let calendarHref: string;
let mirror: Mirror;
const writing = () => open.account.writing;

function use(google: GoogleWriting): void {
  open = google;
  calendarHref = google.calendarHref;
  mirror = new Map();
}
async function create(draft: EventDraft, key = newKey()): Promise<string> {
  const written = await writing().create(calendarHref, draft, key);
  apply(mirror, written);
  return written.changed[0]?.href ?? '';
}
async function update(href: string, change: EventChange, instance?: EventTime): Promise<void> {
  apply(mirror, await writing().update(calendarHref, targetAt(mirror, href, instance), change));
}
const eventAt = (href: string): CalendarEvent => {
  const event = mirror.get(href)?.events[0];
  assert.ok(event, `An event at ${href}`);
  return event;
};
const pathOf = (id: string) => `/calendars/${encodeURIComponent(calendarHref)}/events/${id}`;
const google = async (id: string) => (await open.call('GET', pathOf(id))).body;

describe('writing at Google', () => {
  let shared: GoogleWriting;
  before(async () => {
    shared = await openGoogleWriting();
  });
  after(() => shared?.close());
  beforeEach(() => {
    use(shared);
    open.faults.clear();
    open.sent.length = 0;
  });

  creating();
  changing();
  guests();
  conferences();
  instances();
  refusals();
});

function creating(): void {
  it('takes the key for the event’s id, so that a creation whose answer was lost is not made twice', async () => {
    const key = newKey();
    open.faults.set({
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

    assert.equal((await google(key)).summary, 'Once');
    assert.equal(open.sent.filter(({ method }) => method === 'POST').length, 2);
  });

  it('does not bring back what was made with the key and deleted since', async () => {
    const key = newKey();
    const href = await create(MEETING, key);
    apply(mirror, await writing().delete(calendarHref, targetAt(mirror, href)));

    await assert.rejects(create(MEETING, key), failsAs('not_found'));
  });

  it('means the first of two equal local times, and moves a single event out of a skipped one', async () => {
    const autumn = berlin('2026-10-25T02:30:00');
    const twice = await create({ ...MEETING, start: autumn, end: berlin('2026-10-25T04:00:00') });
    const spring = berlin('2026-03-29T02:30:00');
    const skipped = await create({ ...MEETING, start: spring, end: berlin('2026-03-29T04:00:00') });

    assert.equal((await google(twice)).start?.dateTime, '2026-10-25T02:30:00+02:00');
    assert.deepEqual(eventAt(twice).start, autumn);
    assert.deepEqual(eventAt(skipped).start, berlin('2026-03-29T03:30:00'));
  });

  it('refuses a series whose first local time is skipped, which Google would move as a whole', async () => {
    const start = berlin('2026-03-29T02:30:00');
    const series = { ...WEEKLY, start, end: berlin('2026-03-29T04:00:00') };

    const reason = 'recurrence_not_supported_by_provider';
    await assert.rejects(create(series), unsupported(reason, 'start'));
    assert.deepEqual(open.sent, []);
  });

  it('writes added and left out dates in the zone of the series', async () => {
    const added = { start: berlin('2026-11-17T09:00:00') };
    const recurrence = { rrules: ['FREQ=WEEKLY;COUNT=3'], rdates: [added], exdates: [SECOND] };

    const href = await create({ ...WEEKLY, recurrence });

    assert.deepEqual((await google(href)).recurrence, [
      'RRULE:FREQ=WEEKLY;COUNT=3',
      'RDATE;TZID=Europe/Berlin:20261117T090000',
      'EXDATE;TZID=Europe/Berlin:20261123T090000',
    ]);
    assert.deepEqual(eventAt(href).recurrence, recurrence);
    await open.account.writing.delete(calendarHref, targetAt(mirror, href));
  });

  for (const [name, fields, reason, field] of REFUSED)
    it(`refuses ${name} before anything is sent`, async () => {
      await assert.rejects(create({ ...MEETING, ...fields }), unsupported(reason, field));
      const href = await create(MEETING);
      open.sent.length = 0;
      await assert.rejects(update(href, fields), unsupported(reason, field));

      assert.deepEqual(open.sent, []);
    });
}

function changing(): void {
  it('sends what is named and nothing else, for the version it is based on, and to all guests', async () => {
    const href = await create({ ...MEETING, description: 'Words' });
    open.sent.length = 0;

    await update(href, { title: 'New', availability: null });

    const [only, ...others] = open.sent;
    assert.deepEqual(others, []);
    assert.deepEqual([only?.method, only?.body], ['PATCH', { summary: 'New', transparency: 'opaque' }]);
    assert.deepEqual(Object.fromEntries(only?.query ?? []), { sendUpdates: 'all' });
  });

  it('keeps any JSON value in custom, shows the texts of others as they are, and replaces the whole', async () => {
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
    await open.call('PATCH', pathOf(href), { extendedProperties: theirs });
    for (const resource of (await writing().read(calendarHref, href)) ?? [])
      mirror.set(resource.href, resource);
    assert.deepEqual(eventAt(href).custom, { ...values, zoom: '{"id":1}', crm: 'true' });

    await update(href, { custom: { n: 6, crm: 'true' } });
    assert.deepEqual(eventAt(href).custom, { n: 6, crm: 'true' });
    await update(href, { custom: null });
    assert.equal(eventAt(href).custom, undefined);
  });

  it('gives an event exactly one of Google’s colours, and takes it away', async () => {
    const href = await create({ ...MEETING, color: '#DC2127' });
    assert.deepEqual([(await google(href)).colorId, eventAt(href).color], ['11', '#dc2127']);

    await update(href, { color: null });

    assert.equal(eventAt(href).color, undefined);
  });

  it('tells what became of the changed occurrences when the pattern leaves them out', async () => {
    const href = await create(WEEKLY);
    await update(href, { title: 'Own' }, SECOND);

    await update(href, { recurrence: rule('FREQ=WEEKLY;INTERVAL=2;COUNT=2') });

    const [exception] = targetAt(mirror, href).known.slice(1);
    assert.equal(exception?.events[0]?.status, 'cancelled');
  });

  it('takes a recurrence away, and with it what was changed of it', async () => {
    const href = await create(WEEKLY);
    await update(href, { title: 'Own' }, SECOND);

    await update(href, { recurrence: null });

    assert.equal(eventAt(href).recurrence, undefined);
    assert.ok(
      targetAt(mirror, href)
        .known.slice(1)
        .every(({ events }) => events[0]?.status === 'cancelled'),
    );
  });
}

function guests(): void {
  const attendees = [
    { email: 'bob@example.com', name: 'Bob', status: 'none' as const },
    { email: 'cy@example.com', status: 'none' as const },
  ];

  it('keeps the answers of the guests that stay', async () => {
    const href = await create({ ...MEETING, attendees });
    const answered = { email: 'bob@example.com', responseStatus: 'accepted', comment: 'Yes', optional: true };
    await open.call('PATCH', pathOf(href), { attendees: [answered, { email: 'cy@example.com' }] });
    for (const resource of (await writing().read(calendarHref, href)) ?? [])
      mirror.set(resource.href, resource);

    const dee = { email: 'dee@example.com', status: 'none' as const };
    await update(href, { attendees: [{ email: 'BOB@example.com', status: 'none' }, dee] });

    const [bob, ...others] = (await google(href)).attendees ?? [];
    assert.deepEqual(bob, answered);
    assert.deepEqual(
      others.map(({ email, responseStatus }) => [email, responseStatus]),
      [['dee@example.com', 'needsAction']],
    );
  });

  it('answers an invitation for the user alone, of a series and of one of its occurrences', async () => {
    calendarHref = ADA.email;
    const all = [...attendees, { email: ADA.email, status: 'none' as const }];
    const href = await create({ ...WEEKLY, attendees: all });
    const answers = (event: CalendarEvent | undefined) => event?.attendees.map(({ status }) => status);

    const rsvp = { response: 'accepted', comment: 'Gladly' } as const;
    apply(mirror, await writing().respond(calendarHref, targetAt(mirror, href), rsvp));
    const no = { response: 'declined', comment: undefined } as const;
    const once = await writing().respond(calendarHref, targetAt(mirror, href, SECOND), no);
    apply(mirror, once);

    assert.deepEqual(answers(eventAt(href)), ['none', 'none', 'accepted']);
    assert.equal((await google(href)).attendees?.[2]?.comment, 'Gladly');
    assert.deepEqual(answers(once.changed[0]?.events[0]), ['none', 'none', 'declined']);
    assert.equal(once.changed[0]?.seriesId, href);
    apply(mirror, await writing().delete(calendarHref, targetAt(mirror, href)));
    await assertMirrored(open.account, calendarHref, mirror);
  });

  it('refuses to answer where the user is not invited', async () => {
    const href = await create({ ...MEETING, attendees });
    const rsvp = { response: 'accepted', comment: undefined } as const;

    const refused = writing().respond(calendarHref, targetAt(mirror, href), rsvp);

    await assert.rejects(refused, unsupported(FIELD, 'response'));
  });
}

function conferences(): void {
  it('shows a link as a conference at Google, another in its place, and none', async () => {
    const href = await create({ ...MEETING, conference: ZOOM });
    assert.equal((await google(href)).conferenceData?.conferenceSolution?.name, 'Zoom');
    const meet = 'https://meet.google.com/abc-defg-hij';

    await update(href, { conference: meet });
    assert.equal(eventAt(href).conference, meet);
    assert.equal((await google(href)).hangoutLink, meet);
    await update(href, { title: 'Same link' });
    assert.equal(eventAt(href).conference, meet);
    await update(href, { conference: null });
    assert.equal(eventAt(href).conference, undefined);
  });

  it('has Meet make a link, which wins over a link given and over the one that was there', async () => {
    const made = await create({ ...MEETING, autoConference: true, conference: ZOOM });
    const href = await create({ ...MEETING, conference: ZOOM });
    await update(href, { autoConference: true });
    const link = eventAt(href).conference;
    await update(href, { autoConference: true });

    assert.match(eventAt(made).conference ?? '', /^https:\/\/meet\.google\.com\//);
    assert.match(link ?? '', /^https:\/\/meet\.google\.com\//);
    assert.equal(eventAt(href).conference, link, 'A Meet that is there stays');
  });

  it('waits a while for a Meet that Google is still making', async () => {
    const slow = await openGoogleWriting({ meetDelayMs: 400 });
    use(slow);
    try {
      const href = await create({ ...MEETING, autoConference: true });

      assert.match(eventAt(href).conference ?? '', /^https:\/\/meet\.google\.com\//);
      await assertMirrored(open.account, calendarHref, mirror);
    } finally {
      await slow.close();
    }
  });

  it('answers without a Meet that takes too long: it comes with a sync', async () => {
    const slow = await openGoogleWriting({ meetDelayMs: 600_000 });
    use(slow);
    try {
      const href = await create({ ...MEETING, autoConference: true });

      assert.equal(eventAt(href).conference, undefined);
      await assertMirrored(open.account, calendarHref, mirror);
    } finally {
      await slow.close();
    }
  });

  it('makes no event where the calendar has no Meet', async () => {
    const without = await openGoogleWriting({ conferenceSolutions: ['eventHangout'] });
    use(without);
    try {
      const refused = unsupported('conference_not_supported_by_calendar', 'conferenceData');
      await assert.rejects(create({ ...MEETING, autoConference: true }), refused);
      const href = await create(MEETING);
      await assert.rejects(update(href, { autoConference: true }), refused);

      assert.equal(open.sent.filter(({ method }) => method === 'POST').length, 1);
    } finally {
      await without.close();
    }
  });

  it('keeps a link that Google does not take for a conference as a property of the event', async () => {
    const other = await openGoogleWriting({ keepsDescribed: false });
    use(other);
    try {
      const href = await create({ ...MEETING, conference: ZOOM, custom: { a: 1 } });
      assert.deepEqual([eventAt(href).conference, eventAt(href).custom], [ZOOM, { a: 1 }]);
      await update(href, { custom: null });
      assert.deepEqual([eventAt(href).conference, eventAt(href).custom], [ZOOM, undefined]);
      await update(href, { conference: `${ZOOM}b` });
      assert.equal(eventAt(href).conference, `${ZOOM}b`);
      await update(href, { autoConference: true });
      assert.match(eventAt(href).conference ?? '', /^https:\/\/meet\.google\.com\//);
      await update(href, { conference: null });
      assert.equal(eventAt(href).conference, undefined);
      await assertMirrored(open.account, calendarHref, mirror);
    } finally {
      await other.close();
    }
  });
}

function instances(): void {
  it('does not overwrite an occurrence that was changed at Google meanwhile', async () => {
    const href = await create(WEEKLY);
    await open.call('PATCH', pathOf(`${href}_20261123T080000Z`), { summary: 'Theirs' });

    await assert.rejects(update(href, { title: 'Ours' }, SECOND), failsAs('precondition_failed'));
    const late = writing().delete(calendarHref, targetAt(mirror, href, SECOND));
    await assert.rejects(late, failsAs('precondition_failed'));
  });

  it('does not change an occurrence of a series that is another by now', async () => {
    const href = await create(WEEKLY);
    await open.call('PATCH', pathOf(href), { summary: 'Theirs' });

    await assert.rejects(update(href, { location: 'Here' }, SECOND), failsAs('precondition_failed'));
  });

  it('finds an occurrence cancelled meanwhile: gone for a change, no failure for a deletion', async () => {
    const href = await create(WEEKLY);
    await open.call('DELETE', pathOf(`${href}_20261123T080000Z`));

    await assert.rejects(update(href, { title: 'Ours' }, SECOND), failsAs('not_found'));
    apply(mirror, await writing().delete(calendarHref, targetAt(mirror, href, SECOND)));

    const [exception] = targetAt(mirror, href).known.slice(1);
    assert.deepEqual([exception?.seriesId, exception?.events[0]?.status], [href, 'cancelled']);
  });

  it('finds a series gone when one of its occurrences is to be deleted', async () => {
    const href = await create(WEEKLY);
    const target = targetAt(mirror, href, SECOND);
    await open.call('DELETE', pathOf(href));

    assert.deepEqual(await writing().delete(calendarHref, target), { changed: [], removed: [href] });
  });

  it('names the days of an all-day series by their dates', async () => {
    const days = { ...WEEKLY, start: day('2026-11-16'), end: day('2026-11-17') };
    const href = await create(days);

    await update(href, { title: 'Own' }, day('2026-11-23'));

    assert.equal((await google(`${href}_20261123`)).summary, 'Own');
  });
}

function refusals(): void {
  const fault = (operation: string, status: number, reason?: string) =>
    open.faults.set({
      provider: 'google',
      operation,
      times: 1,
      effect: { kind: 'status', status, ...(reason === undefined ? {} : { reason }) },
    });

  it('tells what only the organizer may change', async () => {
    const href = await create(MEETING);
    fault('events.patch', 403, 'forbiddenForNonOrganizer');

    await assert.rejects(update(href, { title: 'Mine' }), unsupported('organizer_only'));
  });

  it('tells a calendar that may only be read', async () => {
    const readOnly = { title: 'Theirs', color: '#0b8043', timeZone: 'UTC', readOnly: true };
    calendarHref = await open.google.hand.addCalendar(ADA.email, readOnly);

    await assert.rejects(create(MEETING), unsupported('calendar_read_only'));
  });

  it('tells the user’s limit of writing, and goes on reading', async () => {
    const href = await create(MEETING);
    fault('events.patch', 403, 'quotaExceeded');

    await assert.rejects(update(href, { title: 'Many' }), failsAs('rate_limited', 'user_quota_exhausted'));
    assert.equal((await writing().read(calendarHref, href))?.length, 1);
  });

  it('tells a rule that Google does not follow, in Google’s words', async () => {
    const series = { ...WEEKLY, recurrence: rule('FREQ=WEEKLY;BYDAY=XX') };

    await assert.rejects(create(series), unsupported('recurrence_not_supported_by_provider', 'recurrence'));
  });

  it('tells an end before the start', async () => {
    const draft = { ...MEETING, end: berlin('2026-11-16T08:00:00') };

    await assert.rejects(create(draft), unsupported(FIELD));
  });

  it('fails as not_found in a calendar that is not there', async () => {
    calendarHref = 'nowhere@group.calendar.google.com';

    await assert.rejects(create(MEETING), failsAs('not_found'));
  });
}
