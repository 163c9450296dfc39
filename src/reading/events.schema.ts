/** Reading events (docs/wire.md 1.7, 2.5) and following their changes, for the API reference. */
import { Type } from 'typebox';

import { badField, badTokens, later, refusal, smallScope, unreadable } from '../http/error.schema.ts';
import { required, text } from '../http/fields.ts';
import { enumeration, type Operation } from '../http/operation.ts';
import { EVENT_EXAMPLE, Event, errorsMember, eventMembers, Provider } from './calendar.schema.ts';
import { EVENTS_QUERY } from './events-query.ts';
import { EVENT_BY_ID_QUERY, EVENT_QUERY } from './find-event.ts';
import { CHANGES_QUERY } from './list-changes.ts';

const EventsPage = Type.Object(
  {
    events: Type.Array(Event),
    pageSize: Type.Integer(),
    nextPageToken: Type.Optional(
      Type.String({
        description: 'Absent on the last page. A page has 8 MB at the most, and one event at least.',
      }),
    ),
    errors: errorsMember,
  },
  { $id: 'EventsPage' },
);

const ChangedEvent = Type.Object(
  {
    ...eventMembers,
    overrides: Type.Optional(
      Type.Array(Type.Object({ ...eventMembers, thisAndFuture: Type.Optional(Type.Literal(true)) }), {
        description:
          'Instances of a series that were changed by themselves; `thisAndFuture`: and all later ones.',
      }),
    ),
    cancelledInstances: Type.Optional(
      Type.Array(Type.String(), { description: 'Ids of instances that do not take place.' }),
    ),
  },
  { $id: 'ChangedEvent', description: 'An event, or a whole series with what differs from its rule.' },
);

const DeletedEvent = Type.Object(
  { provider: Provider, account: Type.String(), calendarId: Type.String(), id: Type.String() },
  { $id: 'DeletedEvent' },
);

const Change = Type.Union(
  [
    Type.Object({ changeType: enumeration(['created', 'updated']), event: ChangedEvent }),
    Type.Object({ changeType: Type.Literal('deleted'), event: DeletedEvent }),
  ],
  { $id: 'Change' },
);

const ChangesPage = Type.Object(
  {
    changes: Type.Array(Change),
    cursor: Type.String({ description: 'Keep it once the changes are yours.' }),
    more: Type.Boolean({ description: 'Whether to ask again at once.' }),
    errors: errorsMember,
  },
  { $id: 'ChangesPage' },
);

const notFound = [
  refusal(404, 'event_not_found', {
    when: 'There is no such event, or it was cancelled.',
    message: 'There is no such event; it may have been deleted or cancelled',
  }),
  refusal(404, 'calendar_not_found', {
    when: 'The calendar is not the user’s.',
    message: 'The user has no such calendar; see GET /calendars',
  }),
];
const ambiguous = refusal(409, 'ambiguous_event', {
  when: 'Several calendars have an event of that id.',
  message:
    'Several calendars have an event of this id: name the one you mean by provider and calendarId, and account where two accounts show one calendar',
});

export const tooManyReads = refusal(429, 'too_many_reads', {
  when: 'Too many reads of the user’s large calendars, or too many large answers, wait already, or one has waited for 20 seconds.',
  message:
    'Large calendars of this user are being read already: 2 such reads go on at once; try again when one has been answered',
  ...later,
});

const tooManyAnswers = refusal(429, 'too_many_reads', {
  when: 'Too many large answers about the user wait already: take those under way.',
  message:
    'Large answers about this user are being sent already: 4 such reads go on at once; try again when one has been answered',
  ...later,
});

const tooComplex = refusal(422, 'event_too_complex', {
  when: 'The instance is of a series whose rules take too long to follow.',
  message:
    'The series of this event asks for too much: following its rules takes too long. Make them simpler in its calendar, or ask for the series itself',
});

const windowTooLargeCase = refusal(400, 'window_too_large', {
  when: 'The window is longer than two hundred years.',
  message: 'The window is too large: ask for at most two hundred years between start and end',
  details: { end: ['end is too far from start'] },
});

const group = 'Reading events';
const oneEvent = { description: 'The event.', schema: Event, example: EVENT_EXAMPLE };

export const eventOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/events',
    id: 'listEvents',
    group,
    summary: 'The events in a window, over all calendars, sorted by start',
    description:
      'Instances of series come expanded. Scope `free-busy` sees blocks titled `Busy`. `errors` tells of each account that could not be brought up to date, and of what is left out.',
    callers: ['free-busy'],
    query: EVENTS_QUERY,
    answer: {
      description: 'One page.',
      schema: EventsPage,
      example: { events: [EVENT_EXAMPLE], pageSize: 100 },
    },
    refusals: [
      badField('start', 'must be a date and time such as 2026-11-01T00:00:00Z'),
      refusal(400, 'invalid_page_token', {
        when: 'The token is not one of this user and application.',
        message: 'nextPageToken is not valid: start the listing again without it',
        details: { nextPageToken: ['nextPageToken is not valid'] },
      }),
      windowTooLargeCase,
      ...badTokens,
      smallScope('Searching events is forbidden for free-busy scope'),
      tooManyReads,
      ...unreadable,
    ],
  },
  {
    method: 'get',
    path: '/event',
    id: 'getEvent',
    group,
    summary: 'One event by its calendar and id',
    description: 'An instance of a series, a single event or, by the id of the series, the series itself.',
    callers: ['free-busy'],
    query: EVENT_QUERY,
    answer: oneEvent,
    refusals: [
      badField('eventId', 'is missing'),
      tooComplex,
      ...badTokens,
      ...notFound,
      ambiguous,
      ...unreadable,
    ],
  },
  {
    method: 'get',
    path: '/events/{id}',
    id: 'getEventById',
    group,
    summary: 'One event by its id',
    description: 'For clients that know no calendar: it is looked for in all that the grant covers.',
    callers: ['free-busy'],
    pathFields: { id: required(text({ doc: 'Percent-encoded.', example: 'k3vd8u2q' })) },
    query: EVENT_BY_ID_QUERY,
    answer: oneEvent,
    refusals: [
      badField('provider', 'must be one of google, microsoft, apple, caldav'),
      tooComplex,
      ...badTokens,
      ...notFound,
      ambiguous,
      ...unreadable,
    ],
  },
  {
    method: 'get',
    path: '/events/changes',
    id: 'listEventChanges',
    group,
    summary: 'What was created, updated and deleted since a cursor',
    description:
      'One cursor over all calendars of the user. Nothing is left out; a change can be told twice. A series is one event.',
    callers: ['read'],
    query: CHANGES_QUERY,
    answer: {
      description: 'One page.',
      schema: ChangesPage,
      example: {
        changes: [{ changeType: 'created', event: EVENT_EXAMPLE }],
        cursor: 'eyJmIjoi…',
        more: false,
      },
    },
    refusals: [
      badField('initial', 'must be true or false'),
      refusal(400, 'invalid_cursor', {
        when: 'The cursor is not one of this user and application.',
        message: 'cursor is not one of this user and application: start again without it',
        details: { cursor: ['cursor is not one of this user and application: start again without it'] },
      }),
      ...badTokens,
      smallScope('The changes of events are forbidden for free-busy scope'),
      tooManyAnswers,
      ...unreadable,
      refusal(404, 'user_not_found', {
        when: 'The user was deleted meanwhile.',
        message: 'There is no such user any longer',
      }),
      refusal(410, 'cursor_expired', {
        when: 'What happened since the cursor is no longer known: begin anew with `initial=true`.',
        message:
          'What happened since this cursor is no longer known: read everything anew with initial=true, and go on with the cursor of that answer',
      }),
    ],
  },
];
