/** The shapes of event writes (docs/wire.md 1.8 to 1.10, 2.5) for the API reference. */
import { Type } from 'typebox';
import { anyObject, oneOf } from '../http/operation.ts';
import { Event, eventMembers, Provider } from '../reading/calendar.schema.ts';
import { MODES } from './write-requests.ts';

const text = (description: string, maxLength: number) =>
  Type.Optional(Type.String({ description, maxLength }));
const numbers = (maximum: number) => Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum })));

const Recurrence = Type.Object(
  {
    frequency: oneOf(['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']),
    interval: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'Not together with `until`.' }),
    ),
    until: Type.Optional(Type.String({ description: '`YYYYMMDDTHHMMSSZ`, inclusive.' })),
    byDay: Type.Optional(
      Type.Array(Type.String(), {
        description: '`MO` … `SU`; with an ordinal such as `2MO` or `-1FR` in monthly and yearly rules.',
      }),
    ),
    byMonthDay: numbers(31),
    byMonth: numbers(12),
  },
  { $id: 'Recurrence' },
);

const Guest = Type.Union([
  Type.String({ description: 'An e-mail address.' }),
  Type.Object({
    email: Type.String(),
    name: Type.Optional(Type.String({ maxLength: 500 })),
    status: Type.Optional(oneOf(['accepted', 'declined', 'tentative', 'none'])),
    organizer: Type.Optional(Type.Boolean()),
  }),
]);

const place = {
  provider: Provider,
  calendarId: Type.String({ description: '`primary`: the account’s main calendar.' }),
  account: Type.Optional(Type.String({ description: 'Where two accounts show one calendar.' })),
};

const details = {
  allDay: Type.Optional(
    Type.Boolean({ description: 'The dates of `start` and `end` count as written; `end` is exclusive.' }),
  ),
  timeZone: Type.Optional(
    Type.String({ description: 'IANA: where a series keeps its time of day; the calendar’s by default.' }),
  ),
  description: text('Empty takes it away.', 100_000),
  location: text('Empty takes it away.', 1_000),
  color: text('Empty takes it away.', 50),
  attendees: Type.Optional(
    Type.Array(Guest, { maxItems: 1_000, description: 'Replaces the list; empty empties it.' }),
  ),
  recurrence: Type.Optional(Recurrence),
  custom: Type.Optional(anyObject('Your own values, kept with the event.')),
  conference: text('The URL to join at.', 2_000),
  conferenceData: Type.Optional(
    Type.Object({
      provider: Type.Optional(Type.String()),
      autoGenerate: Type.Optional(Type.Boolean({ description: 'The provider makes a meeting.' })),
    }),
  ),
  availability: Type.Optional(oneOf(['busy', 'free'])),
  privacy: Type.Optional(oneOf(['public', 'private', 'confidential'])),
  status: Type.Optional(oneOf(['confirmed', 'tentative', 'cancelled'])),
};

const title = Type.String({ maxLength: 1_000 });
const start = Type.String({ description: 'A date and time; without an offset in `timeZone`, else UTC.' });
const end = Type.String({ description: 'Exclusive.' });
const eventId = Type.String({ description: 'Of an event, an instance or a series.' });
const recurringEventId = Type.Optional(
  Type.String({ description: 'The series an instance is of; found by its id when absent.' }),
);

export const Mode = oneOf(
  MODES,
  'How much of a series is meant: when absent the instance, or the whole series where `eventId` names that.',
);

export const NewEvent = Type.Object({ ...place, title, start, end, ...details }, { $id: 'NewEvent' });

export const EventUpdate = Type.Object(
  {
    ...place,
    eventId,
    recurringEventId,
    updateMode: Type.Optional(Mode),
    title: Type.Optional(title),
    start: Type.Optional(start),
    end: Type.Optional(end),
    ...details,
  },
  { $id: 'EventUpdate', description: 'An absent field stays as it is.' },
);

export const Rsvp = Type.Object(
  {
    ...place,
    eventId,
    recurringEventId,
    response: oneOf(['accepted', 'declined', 'tentative']),
    comment: text('To the organizer.', 1_000),
    updateMode: Type.Optional(oneOf(['this', 'all'])),
  },
  { $id: 'Rsvp' },
);

/** The event at the root, and again under `event`: published clients read the one or the other. */
export const EventAnswer = Type.Object(
  { success: Type.Literal(true), ...eventMembers, event: Event },
  { $id: 'WrittenEvent', description: 'The event’s members at the root, and the same event under `event`.' },
);
