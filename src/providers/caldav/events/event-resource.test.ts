import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import type { CalendarEvent } from '../../../calendars/event.ts';
import { ProviderError } from '../../../calendars/provider-error.ts';
import { decodeICalendar } from '../../../lib/icalendar/content-line.ts';
import { expand } from '../../../lib/recurrence/expand.ts';
import { recurrenceBudget } from '../../../lib/recurrence/expand-rule.ts';
import { parseEventResource } from './event-resource.ts';

/** iCalendar as servers and programs write it. Its meaning is written by hand beside each file. */
const FIXTURES = new URL('../../../../test/fixtures/icalendar/', import.meta.url);

type Fixture = {
  readonly about: string;
  readonly calendarZone: string;
  readonly window: readonly [string, string];
  readonly instances: readonly (readonly [string, string, string])[];
};

describe('a resource as servers write it', () => {
  const names = readdirSync(FIXTURES)
    .filter((name) => name.endsWith('.ics'))
    .map((name) => name.replace('.ics', ''));

  for (const name of names) {
    const fixture: Fixture = JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), 'utf8'));
    it(`the resource ${name}: ${fixture.about}`, () => {
      const icalendar = decodeICalendar(readFileSync(new URL(`${name}.ics`, FIXTURES)));

      const { events } = parseEventResource({ href: `/cal/${name}.ics`, etag: '"1"', icalendar });

      assert.deepEqual(expandEvents(events, fixture), fixture.instances);
    });
  }
});

function expandEvents(events: readonly CalendarEvent[], { calendarZone, window: [from, to] }: Fixture) {
  const master = events.find(({ recurrenceId }) => recurrenceId === undefined);
  const overrides = events.flatMap((event) => {
    const { recurrenceId, status, start, end, thisAndFuture } = event;
    const cancelled = status === 'cancelled';
    return recurrenceId === undefined
      ? []
      : [{ recurrenceId, start, end, thisAndFuture, cancelled, payload: event }];
  });
  const series = { master: master && { ...master, payload: master }, overrides };
  const window = { start: Date.parse(from), end: Date.parse(to) };
  const { instances } = expand(series, window, calendarZone, recurrenceBudget());
  return instances.map(({ startsAt, endsAt, payload }) => [minute(startsAt), minute(endsAt), payload.title]);
}

const minute = (instant: number) => new Date(instant).toISOString().replace(':00.000Z', 'Z');

const calendar = (...lines: string[]) =>
  [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'UID:one',
    'DTSTART:20261105T120000Z',
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n');

function parseEvent(...lines: string[]): CalendarEvent {
  const [event] = parseEventResource({
    href: '/cal/one.ics',
    etag: undefined,
    icalendar: calendar(...lines),
  }).events;
  assert.ok(event);
  return event;
}

describe('an event of a resource', () => {
  it('the id of a CalDAV event is the last segment of its href, percent-decoded', () => {
    const readId = (href: string) =>
      parseEventResource({ href, etag: undefined, icalendar: calendar() }).eventId;

    assert.equal(readId('/dav/cal/a%20b%40c.ics'), 'a b@c.ics');
    assert.equal(readId('/dav/cal/100%.ics'), '100%.ics');
  });

  it('a CalDAV event is free if any of its properties says so', () => {
    const availabilities = [
      [],
      ['TRANSP:OPAQUE'],
      ['TRANSP:TRANSPARENT'],
      ['X-MICROSOFT-CDO-BUSYSTATUS:FREE'],
      ['X-MICROSOFT-CDO-BUSYSTATUS:OOF'],
      ['STATUS:CANCELLED'],
    ].map((lines) => parseEvent(...lines).availability);

    assert.deepEqual(availabilities, ['busy', 'busy', 'free', 'free', 'busy', 'free']);
  });

  it('a CalDAV event with an unknown CLASS is private', () => {
    const privacies = ['X:', 'CLASS:PUBLIC', 'CLASS:PRIVATE', 'CLASS:CONFIDENTIAL', 'CLASS:SECRET'].map(
      (line) => parseEvent(line).privacy,
    );

    assert.deepEqual(privacies, ['public', 'public', 'private', 'confidential', 'private']);
  });

  it('a CalDAV event has the organizer among its attendees once, and nobody without an e-mail address', () => {
    const { attendees } = parseEvent(
      'ORGANIZER;CN=Ada:MAILTO:ada@example.com',
      'ATTENDEE;CN=Ada L.;PARTSTAT=TENTATIVE:mailto:Ada@example.com',
      'ATTENDEE;CN="Room, 1";CUTYPE=ROOM:urn:uuid:7',
      'ATTENDEE;EMAIL=bob@example.com;PARTSTAT=DECLINED:/principals/bob/',
      'ATTENDEE;MEMBER="mailto:a@b.c","mailto:d@e.f";PARTSTAT=NEEDS-ACTION:mailto:eve@example.com',
    );

    assert.deepEqual(attendees, [
      { email: 'Ada@example.com', name: 'Ada L.', status: 'tentative', organizer: true },
      { email: 'bob@example.com', status: 'declined' },
      { email: 'eve@example.com', status: 'none' },
    ]);
  });

  it('a CalDAV event has an organizer that its guest list does not name', () => {
    assert.deepEqual(parseEvent('ORGANIZER:mailto:ada@example.com').attendees, [
      { email: 'ada@example.com', status: 'accepted', organizer: true },
    ]);
  });

  it('a CalDAV event has its conference from its properties, or else from its texts', () => {
    const teams = 'https://teams.microsoft.com/l/meetup-join/19%3ameeting/0?context=x';
    const joined: readonly (readonly [string, string | undefined])[] = [
      [`CONFERENCE;VALUE=URI;FEATURE=VIDEO:https://video.example/1`, 'https://video.example/1'],
      ['CONFERENCE;VALUE=URI:tel:+1', undefined],
      [`X-MICROSOFT-SKYPETEAMSMEETINGURL:${teams}`, teams],
      ['X-GOOGLE-CONFERENCE:https://meet.google.com/abc-defg-hij', 'https://meet.google.com/abc-defg-hij'],
      ['LOCATION:Zoom https://us02web.zoom.us/j/123?pwd=a.', 'https://us02web.zoom.us/j/123?pwd=a'],
      [`DESCRIPTION:Join\\n<${teams}>\\nbye`, teams],
      ['DESCRIPTION:https://acme.webex.com/meet/ada\\, please', 'https://acme.webex.com/meet/ada'],
      ['DESCRIPTION:see https://zoom.us/pricing', undefined],
    ];

    for (const [line, url] of joined) assert.equal(parseEvent(line).conference, url, line);
  });

  it('a CalDAV event has the custom data of an application only if that is an object', () => {
    assert.deepEqual(parseEvent('X-KALENDS-CUSTOM:{"a":"b\\,c"}').custom, { a: 'b,c' });
    for (const text of ['[1]', 'null', '{', '"x"'])
      assert.equal(parseEvent(`X-KALENDS-CUSTOM:${text}`).custom, undefined);
  });

  it('an override of a CalDAV event names its occurrence in the type and zone of the master', () => {
    const icalendar = [
      'BEGIN:VCALENDAR',
      ...[
        'BEGIN:VEVENT',
        'UID:a',
        'DTSTART;TZID=Europe/Paris:20261102T100000',
        'RRULE:FREQ=DAILY',
        'END:VEVENT',
      ],
      ...[
        'BEGIN:VEVENT',
        'UID:a',
        'DTSTART:20261103T120000Z',
        'RECURRENCE-ID:20261103T090000Z',
        'END:VEVENT',
      ],
      'END:VCALENDAR',
    ].join('\n');

    const { events } = parseEventResource({ href: '/a.ics', etag: undefined, icalendar });

    const recurrenceId = { type: 'zoned', local: '2026-11-03T10:00:00', zone: 'Europe/Paris' };
    assert.deepEqual(events[1]?.recurrenceId, recurrenceId);
  });

  it('the original of a CalDAV event has CRLF line ends and keeps a bare CR within a line', () => {
    const crlf = calendar('X-NOTE:one', ' folded \\n', 'X-OTHER:a');
    const readOriginal = (icalendar: string) =>
      parseEventResource({ href: '/a.ics', etag: undefined, icalendar }).original.icalendar;

    for (const icalendar of [crlf, crlf.replaceAll('\r', ''), crlf.replaceAll('\n', '')])
      assert.equal(readOriginal(icalendar), crlf);
    const returned = crlf.replace('X-OTHER:a', 'X-OTHER:a\rATTENDEE:mailto:eve@evil.example');
    assert.equal(readOriginal(returned), returned);
  });

  it('a CalDAV event that cannot be read is an invalid response', () => {
    for (const icalendar of [
      '',
      'hello',
      'BEGIN:VCALENDAR\r\nEND:VCALENDAR',
      calendar().replace(/DTSTART.*/, ''),
    ]) {
      assert.throws(
        () => parseEventResource({ href: '/a.ics', etag: undefined, icalendar }),
        (error) => error instanceof ProviderError && error.kind === 'invalid_response',
      );
    }
  });
});
