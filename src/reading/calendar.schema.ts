/** Events, calendars and their parts in responses (docs/wire.md 2.4, 2.5), for the API reference. */
import { Type } from 'typebox';
import { PROVIDER_KINDS } from '../calendars/provider-facts.ts';
import { anyObject, enumeration, instant, type OperationError } from '../http/operation.ts';
import { ANY_CALL } from '../http/refusal.ts';
import { READING } from './read-error.ts';

export const Provider = enumeration(PROVIDER_KINDS);
export const ACTORS = ['user', 'operator', 'administrator', 'nobody'];
const text = (description: string) => Type.Optional(Type.String({ description }));
const list = (description: string, item = Type.String()) => Type.Optional(Type.Array(item, { description }));
const originalTruncated = Type.Optional(
  Type.Literal(true, { description: '`original` is larger than is shown, and left out.' }),
);
const numbers = (description: string) => Type.Optional(Type.Array(Type.Integer(), { description }));

export const Attendee = Type.Object(
  {
    email: Type.String(),
    name: text('As the calendar has it.'),
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
        'Absent where there is no rule, or none that can be followed.',
      ),
    ),
    interval: Type.Optional(Type.Integer({ minimum: 1 })),
    count: Type.Optional(Type.Integer({ minimum: 1 })),
    until: text('`YYYYMMDDTHHMMSSZ`, inclusive.'),
    byDay: list('`MO` … `SU`, with an ordinal such as `2MO` or `-1FR`.'),
    byMonthDay: numbers('Days of the month; negative ones count from its end.'),
    byMonth: numbers('1 to 12.'),
    bySetPos: numbers('Which of the instances of an interval.'),
    byYearDay: numbers('Days of the year.'),
    byWeekNo: numbers('Weeks of the year.'),
    weekStart: text('Absent when weeks begin on Monday.'),
    exDates: list('Starts that do not take place.'),
    rDates: list('Further starts.'),
    rrules: list('The rules as iCalendar has them, where the members above cannot say it.'),
  },
  { $id: 'KnownRecurrence', description: 'The rule of a series as its calendar has it.' },
);

/** The fields of an event, which a write's response also has at its root. */
export const eventMembers = {
  provider: Provider,
  id: Type.String(),
  calendarId: Type.String(),
  title: Type.String({ description: '`Busy` for scope `free-busy`.' }),
  start: instant('For an all-day event, midnight UTC of its date.'),
  end: instant('Exclusive.'),
  allDay: Type.Boolean(),
  account: text('The id of the account, as in connection-status.'),
  accountName: text('The name of the account that people know: its `display` in connection-status.'),
  timeZone: text('The IANA zone a timed event is meant in.'),
  startDate: Type.Optional(Type.String({ format: 'date', description: 'Of all-day events.' })),
  endDate: Type.Optional(Type.String({ format: 'date', description: 'Of all-day events; exclusive.' })),
  description: text('Plain text, or HTML where the calendar keeps it so.'),
  location: text('Where it takes place.'),
  recurringEventId: text('The id of the series, on its instances.'),
  recurrence: Type.Optional(KnownRecurrence),
  color: text('A value such as `#0b8043`, or a name.'),
  attendees: Type.Optional(Type.Array(Attendee)),
  response: Type.Optional(
    enumeration(
      ['accepted', 'declined', 'tentative', 'none'],
      'The account’s own answer, where its provider marks it (Google, Microsoft).',
    ),
  ),
  custom: Type.Optional(anyObject('Your own values, kept with the event.')),
  conference: text('The URL to join at.'),
  conferenceData: Type.Optional(
    anyObject('`provider`, `url` to join at, and `original`, the provider’s own object, with its members.'),
  ),
  availability: Type.Optional(enumeration(['busy', 'free'])),
  privacy: Type.Optional(enumeration(['public', 'private', 'confidential'])),
  status: Type.Optional(enumeration(['confirmed', 'tentative', 'cancelled'])),
  lastModified: Type.Optional(instant('As the calendar has it.')),
  link: text('Where the provider shows it.'),
  etag: text('The version, for `If-Match`; absent where the server gives none.'),
  original: Type.Optional(anyObject('The provider’s own object, of 64 kB at the most.')),
  originalTruncated,
};

export const Event = Type.Object(eventMembers, {
  $id: 'Event',
  description:
    'An event, an instance of a series, or a series. Scope `free-busy` sees the first seven members, `availability` and `status`.',
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
  account: Type.String({ description: 'The id of the account, as in connection-status.' }),
  accountName: Type.String({
    description: 'The name of the account that people know: its `display` in connection-status.',
  }),
  id: Type.String(),
  title: Type.String(),
  timeZone: Type.String({ description: 'An IANA zone.' }),
  color: text('`#rrggbb`.'),
  description: text('As its owner wrote it.'),
  primary: Type.Boolean({
    description:
      'The account’s main calendar, which `primary` names wherever an id of a calendar is asked for.',
  }),
  access: enumeration(['write', 'read']),
  original: Type.Optional(anyObject('The provider’s own object, of 64 kB at the most.')),
  originalTruncated,
};

export const Calendar = Type.Object(calendarMembers, { $id: 'Calendar' });

export const ReadProblem = Type.Object(
  {
    provider: Provider,
    account: Type.String(),
    calendarId: text('Where something of one calendar is left out.'),
    eventId: text('Where it is one event.'),
    count: Type.Optional(
      Type.Integer({ description: 'How many events a sync left out, in whole or in part.' }),
    ),
    eventIds: Type.Optional(
      Type.Array(Type.String(), { maxItems: 10, description: 'The names of the first ten of them.' }),
    ),
    code: Type.String({
      description:
        'Such as `reauth_required`, `sync_in_progress`, `event_too_complex`, `event_unreadable`, `unavailable`.',
    }),
    message: Type.String(),
    reason: text('The exact cause.'),
    actor: Type.Optional(enumeration(ACTORS, 'Who must act.')),
    user_id: text('The user of the account, if several users were requested.'),
  },
  {
    $id: 'ReadProblem',
    description:
      'An account that could not be brought up to date, or a calendar or event that is left out: what it has may be old or missing.',
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
  READING.providers_unavailable,
];
