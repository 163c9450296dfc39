import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { calendar_v3 } from '@googleapis/calendar';

import { toInstant } from '../../lib/recurrence/event-instant.ts';
import { type ListedEvent, listedEvent } from './event-resource.ts';

type GoogleEvent = calendar_v3.Schema$Event;
const PARIS = 'Europe/Paris';

const timed = (change: GoogleEvent = {}): GoogleEvent => ({
  id: 'e1',
  etag: '"1"',
  status: 'confirmed',
  iCalUID: 'e1@google.com',
  summary: 'Stand-up',
  start: { dateTime: '2026-11-23T09:00:00+01:00', timeZone: PARIS },
  end: { dateTime: '2026-11-23T09:15:00+01:00', timeZone: PARIS },
  ...change,
});
const listed = (event: GoogleEvent): ListedEvent => listedEvent(event, PARIS);
function only(event: GoogleEvent) {
  const listedAs = listed(event);
  if (listedAs.is !== 'resource') throw new Error(`It is ${listedAs.is}`);
  const [firstEvent] = listedAs.resource.events;
  if (firstEvent === undefined) throw new Error('It holds no event');
  return { ...listedAs.resource, event: firstEvent };
}
const zoned = (local: string, zone = PARIS) => ({ type: 'zoned', local, zone }) as const;

describe('a Google event', () => {
  it('leaves out a Google event that is over the budget of a resource, and names it', () => {
    const recurrence = Array.from({ length: 21 }, (_, index) => `RRULE:FREQ=DAILY;INTERVAL=${index + 1}`);

    assert.deepEqual(listed(timed({ recurrence })), {
      is: 'too complex',
      resource: {
        kind: 'too_complex',
        href: 'e1',
        etag: '"1"',
        reason: 'it has more than 20 recurrence rules',
      },
    });
  });

  it('maps a Google event to a resource under its own id, with the object that Google sent', () => {
    const sent = timed({
      description: 'What we did',
      location: 'Room 1',
      colorId: '11',
      transparency: 'transparent',
      visibility: 'private',
      hangoutLink: 'https://meet.google.com/abc-defg-hij',
      htmlLink: 'https://www.google.com/calendar/event?eid=x',
      updated: '2026-11-20T08:00:00.123Z',
      extendedProperties: { shared: { a: '1', b: '1' }, private: { b: '2' } },
      attendees: [
        { email: 'ben@example.com', displayName: 'Ben', responseStatus: 'accepted' },
        { email: 'team@group.calendar.google.com', organizer: true, responseStatus: 'needsAction' },
        { id: 'nobody' },
      ],
    });

    const { event, href, etag, eventId, original } = only(sent);

    assert.deepEqual([href, etag, eventId, original], ['e1', '"1"', 'e1', sent]);
    assert.deepEqual(event, {
      uid: 'e1@google.com',
      title: 'Stand-up',
      start: zoned('2026-11-23T09:00:00'),
      end: zoned('2026-11-23T09:15:00'),
      status: 'confirmed',
      availability: 'free',
      privacy: 'private',
      description: 'What we did',
      location: 'Room 1',
      color: '#dc2127',
      attendees: [
        { email: 'ben@example.com', name: 'Ben', status: 'accepted' },
        { email: 'team@group.calendar.google.com', status: 'none', organizer: true },
      ],
      conference: 'https://meet.google.com/abc-defg-hij',
      link: 'https://www.google.com/calendar/event?eid=x',
      custom: { a: '1', b: '2' },
      lastModified: Date.UTC(2026, 10, 20, 8),
    });
  });

  it('maps a Google event of which only the times may be seen to a busy event without a title', () => {
    const { event } = only({ id: 'e1', start: { date: '2026-11-23' }, end: { date: '2026-11-25' } });

    assert.deepEqual([event.title, event.availability, event.status], ['', 'busy', 'confirmed']);
    assert.deepEqual(event.start, { type: 'date', date: '2026-11-23' });
    assert.deepEqual(event.end, { type: 'date', date: '2026-11-25' });
  });

  it('reads the time of a Google event in its own zone whatever its offset, otherwise in the zone of the calendar', () => {
    const inTokyo = timed({ start: { dateTime: '2026-11-23T09:00:00+01:00', timeZone: 'Asia/Tokyo' } });
    const bare = timed({ start: { dateTime: '2026-11-23T08:00:00Z' } });
    const unknown = timed({ start: { dateTime: '2026-11-23T08:00:00Z', timeZone: 'Mars/Base' } });
    const local = timed({ start: { dateTime: '2026-11-23T09:00:00', timeZone: PARIS } });

    assert.deepEqual(only(inTokyo).event.start, zoned('2026-11-23T17:00:00', 'Asia/Tokyo'));
    for (const event of [bare, unknown, local])
      assert.deepEqual(only(event).event.start, zoned('2026-11-23T09:00:00'));
  });

  it('keeps the instant of a Google event in an hour that the clock repeats', () => {
    for (const dateTime of ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00']) {
      const { event } = only(
        timed({ start: { dateTime, timeZone: PARIS }, end: { dateTime, timeZone: PARIS } }),
      );

      assert.equal(toInstant(event.start, PARIS), Temporal.Instant.from(dateTime).epochMilliseconds);
    }
  });

  it('keeps the length of a Google series in an hour that the clock repeats', () => {
    const lengthOf = (start: string, end: string) => {
      const times = { start: { dateTime: start, timeZone: PARIS }, end: { dateTime: end, timeZone: PARIS } };
      const { event } = only(timed({ ...times, recurrence: ['RRULE:FREQ=DAILY'] }));
      return [event.start, (toInstant(event.end, PARIS) - toInstant(event.start, PARIS)) / 60_000];
    };

    const early = lengthOf('2026-10-25T01:30:00+02:00', '2026-10-25T02:30:00+01:00');
    const second = lengthOf('2026-10-25T02:30:00+01:00', '2026-10-25T02:45:00+01:00');

    assert.deepEqual(early, [zoned('2026-10-25T01:30:00'), 120]);
    assert.deepEqual(second, [zoned('2026-10-25T02:30:00'), 15]);
  });

  it('reads the recurrence lines of a Google event in its own zone', () => {
    const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=MO', `EXDATE;TZID=${PARIS}:20261130T090000`];

    assert.deepEqual(only(timed({ recurrence })).event.recurrence, {
      rrules: ['FREQ=WEEKLY;BYDAY=MO'],
      rdates: [],
      exdates: [zoned('2026-11-30T09:00:00')],
    });
    assert.equal(only(timed({ recurrence: ['EXDATE:20261130T080000Z'] })).event.recurrence, undefined);
  });

  it('maps a Google event that names a series to an exception of it', () => {
    const moved = timed({
      id: 'e1_20261130T080000Z',
      recurringEventId: 'e1',
      originalStartTime: { dateTime: '2026-11-30T09:00:00+01:00', timeZone: PARIS },
      start: { dateTime: '2026-11-30T14:00:00+01:00', timeZone: PARIS },
      end: { dateTime: '2026-11-30T15:00:00+01:00', timeZone: PARIS },
    });

    const { event, href, seriesId } = only(moved);

    assert.deepEqual([href, seriesId], ['e1_20261130T080000Z', 'e1']);
    assert.deepEqual(event.recurrenceId, zoned('2026-11-30T09:00:00'));
    assert.deepEqual(event.start, zoned('2026-11-30T14:00:00'));
    assert.equal(event.recurrence, undefined);
  });

  it('maps a cancelled exception at Google, which has little more than its original start', () => {
    const cancelled = { id: 'e1_20261130', status: 'cancelled', recurringEventId: 'e1' };

    const { event } = only({ ...cancelled, originalStartTime: { date: '2026-11-30' } });
    const byItsId = only(cancelled).event;

    assert.deepEqual([event.status, event.availability], ['cancelled', 'free']);
    assert.deepEqual(event.recurrenceId, { type: 'date', date: '2026-11-30' });
    assert.deepEqual(event.end, { type: 'date', date: '2026-12-01' });
    assert.deepEqual(byItsId.recurrenceId, event.recurrenceId);
  });

  it('treats a cancelled Google event that is no exception as deleted', () => {
    assert.deepEqual(listed({ id: 'e1', status: 'cancelled' }), { is: 'gone', href: 'e1' });
  });

  const kinds: [eventType: string, is: ListedEvent['is'], availability?: string][] = [
    ['default', 'resource', 'busy'],
    ['fromGmail', 'resource', 'busy'],
    ['outOfOffice', 'resource', 'busy'],
    ['focusTime', 'resource', 'busy'],
    ['birthday', 'resource', 'free'],
    ['workingLocation', 'left out'],
    ['something new', 'resource', 'busy'],
  ];
  for (const [eventType, is, availability] of kinds) {
    it(`a Google event of type ${eventType} is ${is === 'resource' ? `mapped as ${availability}` : is}`, () => {
      const listedAs = listed(timed({ eventType }));

      assert.equal(listedAs.is, is);
      if (listedAs.is === 'resource') assert.equal(listedAs.resource.events[0]?.availability, availability);
    });
  }

  it('ends a Google event after one day or at its start if its end is missing, too early or of another type', () => {
    const day = { date: '2026-11-23' };
    const ends = [undefined, { date: '2026-11-22' }, { dateTime: '2026-11-24T00:00:00Z' }];

    for (const end of ends) {
      const { event } = only({ id: 'e1', start: day, ...(end === undefined ? {} : { end }) });
      assert.deepEqual(event.end, { type: 'date', date: '2026-11-24' });
    }
    const { event } = only(timed({ end: { dateTime: '2026-11-23T08:00:00+01:00' } }));
    assert.deepEqual(event.end, event.start);
  });

  it('takes the link of a conference at Google from its video entry, never from a telephone entry', () => {
    const entryPoints = [
      { entryPointType: 'phone', uri: 'tel:+33-1' },
      { entryPointType: 'video', uri: 'https://zoom.us/j/1' },
    ];

    const { event } = only(timed({ conferenceData: { entryPoints, conferenceId: '1' } }));
    assert.equal(event.conference, 'https://zoom.us/j/1');
    assert.deepEqual(event.conferenceData, { entryPoints, conferenceId: '1' });
    assert.equal(
      only(timed({ conferenceData: { entryPoints: entryPoints.slice(0, 1) } })).event.conference,
      undefined,
    );
  });

  it('reports a Google event without a readable id or time as unreadable and never throws', () => {
    assert.equal(listed(timed({ start: { dateTime: '9998-12-31T23:59:59Z' } })).is, 'resource');
    const times = ['', 'soon', '2026-13-01T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'];
    for (const dateTime of times) assert.equal(listed(timed({ start: { dateTime } })).is, 'unreadable');
    assert.equal(listed({ start: { date: '2026-11-23' } }).is, 'unreadable');
    assert.equal(listed({ id: 'e1', recurringEventId: 'e', status: 'cancelled' }).is, 'unreadable');

    // JSON values where the published types have a text or a list.
    const odd: unknown[] = [7, true, null, {}, [], [[]], [null], { start: 1 }];
    const names = Object.keys(timed()).concat(
      'attendees',
      'recurrence',
      'conferenceData',
      'extendedProperties',
    );
    for (const name of names.concat('originalStartTime', 'recurringEventId', 'updated', 'colorId')) {
      for (const value of odd) listed({ ...timed(), [name]: value });
    }
  });
});
