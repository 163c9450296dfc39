/** Events, calendars and their parts in responses (docs/wire.md 2.4, 2.5), for the API reference. */
import { Type } from 'typebox';
import { PROVIDER_KINDS } from '../calendars/provider-facts.ts';
import { anyObject, enumeration, instant, type OperationError } from '../http/operation.ts';
import { ANY_CALL } from '../http/refusal.ts';
import { QUERY } from './events-query.ts';
import { READING } from './read-error.ts';

export const Provider = enumeration(PROVIDER_KINDS);
export const ACTORS = ['user', 'operator', 'administrator', 'nobody'];
const text = (description: string) => Type.Optional(Type.String({ description }));
const list = (description: string, item = Type.String()) => Type.Optional(Type.Array(item, { description }));
const originalTruncated = Type.Optional(
  Type.Literal(true, { description: 'True if `original` is omitted because it is too large.' }),
);
const numbers = (description: string) => Type.Optional(Type.Array(Type.Integer(), { description }));

export const Attendee = Type.Object(
  {
    email: Type.String(),
    name: text('The name as the calendar has it.'),
    status: enumeration(['accepted', 'declined', 'tentative', 'none']),
    organizer: Type.Optional(Type.Boolean()),
  },
  { $id: 'Attendee' },
);

export const KnownRecurrence = Type.Object(
  {
    frequency: Type.Optional(
      enumeration(
        ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'],
        'Absent if there is no rule, or if it cannot be expanded.',
      ),
    ),
    interval: Type.Optional(Type.Integer({ minimum: 1 })),
    count: Type.Optional(Type.Integer({ minimum: 1 })),
    until: text('`YYYYMMDDTHHMMSSZ`, inclusive.'),
    byDay: list('`MO` to `SU`, with an ordinal such as `2MO` or `-1FR`.'),
    byMonthDay: numbers('Days of the month; negative ones count from its end.'),
    byMonth: numbers('Months, from 1 to 12.'),
    bySetPos: numbers('Positions within an interval.'),
    byYearDay: numbers('Days of the year.'),
    byWeekNo: numbers('Weeks of the year.'),
    weekStart: text('Absent if weeks start on Monday.'),
    exDates: list('Starts of excluded occurrences.'),
    rDates: list('Starts of additional occurrences.'),
    rrules: list('The rules as iCalendar text, if the fields above cannot express them.'),
  },
  { $id: 'KnownRecurrence', description: 'The recurrence rule of a series as its calendar has it.' },
);

/** The fields of an event, which a write's response also has at its root. */
export const eventMembers = {
  provider: Provider,
  id: Type.String(),
  calendarId: Type.String(),
  title: Type.String({ description: '`Busy` for scope `free-busy`.' }),
  start: instant('For an all-day event, midnight UTC of its date.'),
  end: instant('The end, exclusive.'),
  allDay: Type.Boolean(),
  account: text('The account’s id, as in `GET /connection-status`.'),
  accountName: text('The account’s name for people: its `display` in `GET /connection-status`.'),
  timeZone: text('The IANA time zone of a timed event.'),
  startDate: Type.Optional(
    Type.String({ format: 'date', description: 'For all-day events: the first day.' }),
  ),
  endDate: Type.Optional(
    Type.String({ format: 'date', description: 'For all-day events: the day after the last day.' }),
  ),
  description: text('Plain text, or HTML if the calendar stores HTML.'),
  location: text('The location of the event.'),
  recurringEventId: text('On occurrences: the id of their series.'),
  recurrence: Type.Optional(KnownRecurrence),
  color: text('A value such as `#0b8043`, or a name.'),
  attendees: Type.Optional(Type.Array(Attendee)),
  response: Type.Optional(
    enumeration(
      ['accepted', 'declined', 'tentative', 'none'],
      'The account’s own response, if its provider marks it (Google, Microsoft).',
    ),
  ),
  custom: Type.Optional(anyObject('Your own values, stored with the event.')),
  conference: text('The URL to join at.'),
  conferenceData: Type.Optional(
    anyObject('`provider`, `url` to join at, and `original`, the provider’s own object with its fields.'),
  ),
  availability: Type.Optional(enumeration(['busy', 'free'])),
  privacy: Type.Optional(enumeration(['public', 'private', 'confidential'])),
  status: Type.Optional(enumeration(['confirmed', 'tentative', 'cancelled'])),
  lastModified: Type.Optional(instant('The time that the calendar states.')),
  link: text('The URL of the event at its provider.'),
  etag: text('The version, for `If-Match`. Absent if the calendar server has none.'),
  original: Type.Optional(anyObject('The provider’s own object, at most 64 kB.')),
  originalTruncated,
};

export const Event = Type.Object(eventMembers, {
  $id: 'Event',
  description:
    'An event, an occurrence of a series, or a series. Scope `free-busy` sees only the first seven fields, `availability` and `status`.',
});

export const EVENT_EXAMPLE = {
  provider: 'google',
  account: 'ada@example.com',
  accountName: 'ada@example.com',
  calendarId: 'ada@example.com',
  id: 'k3vd8u2q',
  start: '2026-11-20T09:00:00.000Z',
  end: '2026-11-20T10:00:00.000Z',
  title: 'Planning',
  allDay: false,
  timeZone: 'Europe/Vienna',
  location: 'Room 1',
  attendees: [{ email: 'grace@example.com', status: 'none' }],
  availability: 'busy',
  privacy: 'public',
  status: 'confirmed',
  etag: '"3389437110000000"',
  original: {},
};

/** The fields of a calendar, which a write's response also has at its root. */
export const calendarMembers = {
  provider: Provider,
  account: Type.String({ description: 'The account’s id, as in `GET /connection-status`.' }),
  accountName: Type.String({
    description: 'The account’s name for people: its `display` in `GET /connection-status`.',
  }),
  id: Type.String(),
  title: Type.String(),
  timeZone: Type.String({ description: 'An IANA time zone.' }),
  color: text('`#rrggbb`.'),
  description: text('The description as its owner wrote it.'),
  primary: Type.Boolean({
    description: 'True for the account’s main calendar. `primary` is accepted as its id in all requests.',
  }),
  access: enumeration(['write', 'read']),
  original: Type.Optional(anyObject('The provider’s own object, at most 64 kB.')),
  originalTruncated,
};

export const Calendar = Type.Object(calendarMembers, { $id: 'Calendar' });

export const ReadProblem = Type.Object(
  {
    provider: Provider,
    account: Type.String(),
    calendarId: text('The calendar, if the problem concerns one calendar.'),
    eventId: text('The event, if the problem concerns one event.'),
    count: Type.Optional(
      Type.Integer({ description: 'The number of events that a sync left out, in whole or in part.' }),
    ),
    eventIds: Type.Optional(
      Type.Array(Type.String(), { maxItems: 10, description: 'The ids of at most ten of these events.' }),
    ),
    code: Type.String({
      description:
        'Such as `reauth_required`, `sync_in_progress`, `event_too_complex`, `event_unreadable`, `unavailable`.',
    }),
    message: Type.String(),
    reason: text('The exact cause.'),
    actor: Type.Optional(enumeration(ACTORS, 'The party that must act.')),
    user_id: text('The user of the account, if several users were requested.'),
  },
  {
    $id: 'ReadProblem',
    description:
      'An account that could not be synced, or a calendar or event that was left out. Its data may be old or missing.',
  },
);

/** Present if the response is incomplete. */
export const errorsMember = Type.Optional(Type.Array(ReadProblem));

export const Done = Type.Object(
  { success: Type.Literal(true), message: Type.String() },
  { $id: 'Done', description: 'A description of the change.' },
);

export const unreadable: readonly OperationError[] = [
  READING.calendar_permission_required,
  READING.sync_in_progress,
  {
    ...ANY_CALL.temporarily_unavailable,
    when: 'Too much is being read at the moment, or the data cannot be reached.',
  },
  QUERY.providers_unavailable,
];
