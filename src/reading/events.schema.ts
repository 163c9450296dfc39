/** Reading events (docs/wire.md 1.7, 2.5) and following their changes, for the API reference. */
import { Type } from 'typebox';
import { badField, badTokens, smallScope } from '../http/error.schema.ts';
import { required, text } from '../http/fields.ts';
import { enumeration, type Operation } from '../http/operation.ts';
import { EVENT_EXAMPLE, Event, errorsMember, eventMembers, Provider, unreadable } from './calendar.schema.ts';
import { EVENTS_QUERY, QUERY } from './events-query.ts';
import { EVENT_BY_ID_QUERY, EVENT_QUERY } from './find-event.ts';
import { CHANGES, CHANGES_QUERY } from './list-changes.ts';
import { READING } from './read-error.ts';

const EventsPage = Type.Object(
  {
    events: Type.Array(Event),
    pageSize: Type.Integer(),
    nextPageToken: Type.Optional(
      Type.String({
        description: 'Absent on the last page. A page has at most 8 MB, and at least one event.',
      }),
    ),
    errors: errorsMember,
  },
  { $id: 'EventsPage' },
);

export const ChangedEvent = Type.Object(
  {
    ...eventMembers,
    overrides: Type.Optional(
      Type.Array(Type.Object({ ...eventMembers, thisAndFuture: Type.Optional(Type.Literal(true)) }), {
        description:
          'Exceptions: occurrences of a series that differ from its rule. `thisAndFuture` means that all later ones differ too.',
      }),
    ),
    cancelledInstances: Type.Optional(
      Type.Array(Type.String(), { description: 'Ids of cancelled occurrences.' }),
    ),
  },
  { $id: 'ChangedEvent', description: 'An event, or a whole series with its exceptions.' },
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
    cursor: Type.String({ description: 'Store it after you have stored the changes.' }),
    more: Type.Boolean({ description: 'True if there are more changes: repeat the request immediately.' }),
    errors: errorsMember,
  },
  { $id: 'ChangesPage' },
);

const notFound = [READING.event_not_found, READING.calendar_not_found];
const tooManyAnswers = {
  ...QUERY.too_many_reads,
  message:
    'Large responses for this user are being sent already: at most 4 such reads run at once; try again after one of them has ended',
};

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
      'Series are expanded into occurrences. Scope `free-busy` sees blocks titled `Busy`. `errors` lists each account that could not be synced, and everything that was left out.',
    callers: ['free-busy'],
    query: EVENTS_QUERY,
    answer: {
      description: 'One page.',
      schema: EventsPage,
      example: { events: [EVENT_EXAMPLE], pageSize: 100 },
    },
    errors: [
      badField('start', 'must be a date and time such as 2026-11-01T00:00:00Z'),
      QUERY.invalid_page_token,
      { ...QUERY.window_too_large, details: { end: ['end is too far from start'] } },
      ...badTokens,
      smallScope('Searching events is forbidden for free-busy scope'),
      QUERY.too_many_reads,
      ...unreadable,
    ],
  },
  {
    method: 'get',
    path: '/event',
    id: 'getEvent',
    group,
    summary: 'One event by its calendar and id',
    description:
      'Returns an occurrence of a series, a single event or, by the id of the series, the series itself.',
    callers: ['free-busy'],
    query: EVENT_QUERY,
    answer: oneEvent,
    errors: [
      badField('eventId', 'is missing'),
      QUERY.event_too_complex,
      ...badTokens,
      ...notFound,
      QUERY.ambiguous_event,
      ...unreadable,
    ],
  },
  {
    method: 'get',
    path: '/events/{id}',
    id: 'getEventById',
    group,
    summary: 'One event by its id',
    description:
      'For clients that do not know the calendar. All calendars that the grant covers are searched.',
    callers: ['free-busy'],
    pathFields: { id: required(text({ doc: 'The id of the event, percent-encoded.', example: 'k3vd8u2q' })) },
    query: EVENT_BY_ID_QUERY,
    answer: oneEvent,
    errors: [
      badField('provider', 'must be one of google, microsoft, apple, caldav'),
      QUERY.event_too_complex,
      ...badTokens,
      ...notFound,
      QUERY.ambiguous_event,
      ...unreadable,
    ],
  },
  {
    method: 'get',
    path: '/events/changes',
    id: 'listEventChanges',
    group,
    summary: 'List the events that were created, updated or deleted since a cursor',
    description:
      'One cursor covers all calendars of the user. No change is lost, but a change can be reported twice. A series is one event.',
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
    errors: [
      badField('initial', 'must be true or false'),
      CHANGES.invalid_cursor,
      ...badTokens,
      smallScope('The changes of events are forbidden for free-busy scope'),
      tooManyAnswers,
      ...unreadable,
      {
        ...READING.user_not_found,
        when: 'The user was deleted in the meantime.',
        message: 'The user was deleted',
      },
      CHANGES.cursor_expired,
    ],
  },
];
