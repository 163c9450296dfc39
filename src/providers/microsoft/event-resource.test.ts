import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Sensitivity } from '@microsoft/microsoft-graph-types';

import type { CalendarEvent } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { CUSTOM_PROPERTY } from './custom-fields.ts';
import { type GraphItem, isSeries, parseExceptionHref, toException, toResource } from './event-resource.ts';

const utc = (dateTime: string) => ({ dateTime: `${dateTime}.0000000`, timeZone: 'UTC' });

const single: GraphItem = {
  id: 'AAMk=',
  changeKey: 'one',
  type: 'singleInstance',
  iCalUId: 'uid',
  subject: 'Meeting',
  start: utc('2026-11-18T14:00:00'),
  end: utc('2026-11-18T15:30:00'),
  isAllDay: false,
  originalStartTimeZone: 'W. Europe Standard Time',
};

const weekly: GraphItem = {
  ...single,
  id: 'MASTER=',
  type: 'seriesMaster',
  start: utc('2026-10-21T07:00:00'),
  end: utc('2026-10-21T08:00:00'),
  recurrence: {
    pattern: { type: 'weekly', interval: 1, daysOfWeek: ['wednesday'], firstDayOfWeek: 'monday' },
    range: { type: 'noEnd', startDate: '2026-10-21', recurrenceTimeZone: 'W. Europe Standard Time' },
  },
};

function toOnlyEvent(item: GraphItem): CalendarEvent {
  const [event] = toResource(item).events;
  assert.ok(event !== undefined);
  return event;
}

describe('an event from Graph', () => {
  it('reads the UTC times of a Graph event in its own zone', () => {
    const { start, end } = toOnlyEvent(single);

    assert.deepEqual(start, { type: 'zoned', local: '2026-11-18T15:00:00', zone: 'Europe/Berlin' });
    assert.deepEqual(end, { type: 'zoned', local: '2026-11-18T16:30:00', zone: 'Europe/Berlin' });
  });

  const zones: readonly (readonly [string | null, unknown])[] = [
    ['Pacific Standard Time', 'America/Los_Angeles'],
    ['Europe/Athens', 'Europe/Athens'],
    ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Amsterdam'],
    ['tzone://Microsoft/Custom', 'UTC'],
    ['Customized Time Zone', 'UTC'],
    ['', 'UTC'],
    [null, 'UTC'],
  ];
  for (const [name, zone] of zones)
    it(`keeps the instant of a Graph event whose zone is named ${JSON.stringify(name)}`, () => {
      const { start } = toOnlyEvent({ ...single, originalStartTimeZone: name });

      assert.equal(start.type === 'zoned' && start.zone, zone);
      assert.ok(start.type === 'zoned' && typeof start.zone === 'string');
      const at = Temporal.PlainDateTime.from(start.local).toZonedDateTime(start.zone).epochMilliseconds;
      assert.equal(at, Date.UTC(2026, 10, 18, 14));
    });

  it('keeps the times of Graph events in an hour that the clock repeats', () => {
    const [first, second] = [utc('2026-10-25T00:30:00'), utc('2026-10-25T01:30:00')];
    const inBerlin = { type: 'zoned', local: '2026-10-25T02:30:00', zone: 'Europe/Berlin' };
    const inUtc = { type: 'zoned', local: '2026-10-25T01:30:00', zone: 'UTC' };

    const event = toOnlyEvent({ ...single, start: first, end: second });
    const series = toOnlyEvent({ ...weekly, start: first, end: second });
    const [exception] = toException(
      { ...single, type: 'exception', originalStart: '2026-10-28T08:00:00Z', start: second, end: second },
      weekly,
    ).events;
    const late = toOnlyEvent({ ...weekly, start: second, end: utc('2026-10-25T01:45:00') });

    assert.deepEqual([event.start, event.end], [inBerlin, inUtc]);
    assert.deepEqual([series.start, series.end], [inBerlin, inUtc]);
    assert.deepEqual([exception?.start, exception?.end], [inUtc, inUtc]);
    assert.deepEqual([late.start, late.end], [inBerlin, { ...inBerlin, local: '2026-10-25T02:45:00' }]);
  });

  it('reads the dates of an all-day Graph event as written', () => {
    const { start, end } = toOnlyEvent({
      ...single,
      isAllDay: true,
      start: utc('2026-11-18T00:00:00'),
      end: utc('2026-11-20T00:00:00'),
      originalStartTimeZone: 'Pacific Standard Time',
    });

    assert.deepEqual(
      [start, end],
      [
        { type: 'date', date: '2026-11-18' },
        { type: 'date', date: '2026-11-20' },
      ],
    );
  });

  it('refuses a Graph event without a readable time', () => {
    for (const start of [null, undefined, { dateTime: 'soon', timeZone: 'UTC' }])
      assert.throws(
        () => toResource({ ...single, ...(start === undefined ? { start: null } : { start }) }),
        (failure) => failure instanceof ProviderError && failure.kind === 'invalid_response',
      );
  });

  it('reads the availability and the status of a Graph event', () => {
    const table: readonly (readonly [GraphItem, string, string])[] = [
      [{ showAs: 'busy' }, 'busy', 'confirmed'],
      [{ showAs: 'oof' }, 'busy', 'confirmed'],
      [{ showAs: 'unknown' }, 'busy', 'confirmed'],
      [{ showAs: 'tentative' }, 'busy', 'tentative'],
      [{ showAs: 'free' }, 'free', 'confirmed'],
      [{ showAs: 'workingElsewhere' }, 'free', 'confirmed'],
      [{ showAs: 'busy', responseStatus: { response: 'tentativelyAccepted' } }, 'busy', 'tentative'],
      [{ showAs: 'busy', isCancelled: true }, 'free', 'cancelled'],
    ];
    for (const [item, availability, status] of table) {
      const event = toOnlyEvent({ ...single, ...item });
      assert.deepEqual([event.availability, event.status], [availability, status], JSON.stringify(item));
    }
  });

  it('reads the privacy of a Graph event', () => {
    const readPrivacy = (sensitivity: Sensitivity | null) => toOnlyEvent({ ...single, sensitivity }).privacy;

    assert.deepEqual(([null, 'normal', 'personal', 'private', 'confidential'] as const).map(readPrivacy), [
      'public',
      'public',
      'private',
      'private',
      'confidential',
    ]);
  });

  it('reads the response of the calendar owner from a Graph event, also into its attendees', () => {
    const guest = (address: string) => ({ emailAddress: { address }, status: { response: 'none' } as const });
    const invitation: GraphItem = {
      ...single,
      isOrganizer: false,
      organizer: { emailAddress: { address: 'grace@example.com' } },
      attendees: [guest('Ada@example.com'), guest('alan@example.com')],
    };
    const table = [
      ['organizer', undefined, 'none'],
      ['none', 'none', 'none'],
      ['notResponded', 'none', 'none'],
      ['accepted', 'accepted', 'accepted'],
      ['tentativelyAccepted', 'tentative', 'tentative'],
      ['declined', 'declined', 'declined'],
    ] as const;
    for (const [response, expected, listed] of table) {
      const item = { ...invitation, responseStatus: { response } };
      const [event] = toResource(item, { owner: 'ada@example.com' }).events;
      assert.equal(event?.response, expected, response);
      assert.deepEqual(
        event?.attendees.map(({ status }) => status),
        ['accepted', listed, 'none'],
      );
    }
    assert.equal(
      toOnlyEvent({ ...single, isOrganizer: true, responseStatus: { response: 'none' } }).response,
      undefined,
    );
  });

  it('lists the attendees of a Graph event with their responses, and the organizer once, marked', () => {
    const { attendees } = toOnlyEvent({
      ...single,
      organizer: { emailAddress: { name: 'Ada', address: 'ada@example.com' } },
      attendees: [
        { emailAddress: { address: 'Ada@example.com' }, status: { response: 'none' } },
        { emailAddress: { name: 'Bo', address: 'bo@example.com' }, status: { response: 'accepted' } },
        { emailAddress: { address: 'cy@example.com' }, status: { response: 'tentativelyAccepted' } },
        { emailAddress: { address: 'di@example.com' }, status: { response: 'declined' } },
        { emailAddress: { address: 'ed@example.com' }, status: { response: 'notResponded' } },
        { emailAddress: { name: 'Room without an address' } },
      ],
    });

    assert.deepEqual(attendees, [
      { email: 'Ada@example.com', name: 'Ada', status: 'accepted', organizer: true },
      { email: 'bo@example.com', name: 'Bo', status: 'accepted' },
      { email: 'cy@example.com', status: 'tentative' },
      { email: 'di@example.com', status: 'declined' },
      { email: 'ed@example.com', status: 'none' },
    ]);
  });

  it('reads the location, description and conference of a Graph event', () => {
    const event = toOnlyEvent({
      ...single,
      body: { contentType: 'text', content: 'Agenda\r\n' },
      location: { displayName: 'Room 1' },
      onlineMeeting: { joinUrl: 'https://teams.example/1' },
      webLink: 'https://outlook.example/1',
      lastModifiedDateTime: '2026-11-01T10:00:00.1234567Z',
    });

    assert.deepEqual(
      [event.description, event.location, event.conference, event.link, event.lastModified],
      ['Agenda', 'Room 1', 'https://teams.example/1', 'https://outlook.example/1', Date.UTC(2026, 10, 1, 10)],
    );
    assert.deepEqual(event.conferenceData, { joinUrl: 'https://teams.example/1' });
  });

  it('reads custom fields from a Graph event, and ignores other values under their name', () => {
    const withValue = (value: string) =>
      toOnlyEvent({
        ...single,
        singleValueExtendedProperties: [
          { id: 'String {other} Name kalends', value: '{"no":1}' },
          { id: CUSTOM_PROPERTY.toUpperCase(), value },
        ],
      }).custom;

    assert.deepEqual(withValue('{"order":17}'), { order: 17 });
    for (const value of ['', '[1]', '"text"', '{broken']) assert.equal(withValue(value), undefined);
  });
});

describe('a series from Graph', () => {
  it('reads a Graph series in the zone of its rule, without its deleted days', () => {
    const { start, recurrence } = toOnlyEvent({
      ...weekly,
      originalStartTimeZone: 'tzone://Microsoft/Custom',
      cancelledOccurrences: ['OID.MASTER=.2026-11-04', 'nonsense'],
    });

    assert.deepEqual(start, { type: 'zoned', local: '2026-10-21T09:00:00', zone: 'Europe/Berlin' });
    assert.deepEqual(recurrence?.exdates, [{ type: 'date', date: '2026-11-04' }]);
    assert.ok(isSeries(weekly) && !isSeries(single) && !isSeries({ ...weekly, type: 'exception' }));
  });

  it('reads the original start of exceptions of a Graph series, also across a clock change', () => {
    const moved: GraphItem = {
      ...single,
      id: 'EXC=',
      changeKey: 'two',
      type: 'exception',
      originalStart: '2026-10-28T08:00:00Z',
    };

    const exception = toException(moved, weekly);

    const [event] = exception.events;
    assert.deepEqual(event?.recurrenceId, {
      type: 'zoned',
      local: '2026-10-28T09:00:00',
      zone: 'Europe/Berlin',
    });
    assert.deepEqual([exception.etag, exception.seriesId, exception.eventId], ['two', 'MASTER=', 'EXC=']);
    assert.deepEqual(parseExceptionHref(exception.href), { seriesId: 'MASTER=', id: 'EXC=' });
    assert.equal(parseExceptionHref('MASTER='), undefined);
  });

  it('reads the original date of exceptions of an all-day Graph series in each form', () => {
    const master: GraphItem = { ...weekly, isAllDay: true, start: utc('2026-10-21T00:00:00') };
    const dateFor = (item: GraphItem) =>
      toException({ ...single, id: 'EXC=', ...item }, master).events[0]?.recurrenceId;

    for (const item of [
      { originalStart: '2026-10-28T00:00:00Z' },
      { originalStart: '2026-10-27T23:00:00Z' },
      { occurrenceId: 'OID.MASTER=.2026-10-28' },
    ])
      assert.deepEqual(dateFor(item), { type: 'date', date: '2026-10-28' }, JSON.stringify(item));
  });

  it('finds the original start of an exception from Graph by its day if Graph does not send it', () => {
    const item = { ...single, id: 'EXC=', occurrenceId: 'OID.MASTER=.2026-11-04' };

    assert.deepEqual(toException(item, weekly).events[0]?.recurrenceId, {
      type: 'zoned',
      local: '2026-11-04T09:00:00',
      zone: 'Europe/Berlin',
    });
    assert.throws(() => toException({ ...single, id: 'EXC=' }, weekly), ProviderError);
  });
});
