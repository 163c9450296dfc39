/** Reading events (docs/wire.md 1.7, 2.5) and following their changes, for the API reference. */
import { Type } from 'typebox';

import { badField, badTokens, later, refusal, smallScope, unreadable } from '../http/error.schema.ts';
import { type Operation, oneOf, query, required } from '../http/operation.ts';
import { EVENT_EXAMPLE, Event, errorsMember, eventMembers, Provider } from './calendar.schema.ts';

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
    Type.Object({ changeType: oneOf(['created', 'updated']), event: ChangedEvent }),
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

const pageSize = {
  ...query('pageSize', '250 by default; more than 1,000 is 1,000.', 100),
  schema: Type.Integer(),
};
const flag = oneOf(['true', 'false']);

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

export const calendarIds = query(
  'calendarIds',
  'JSON: ids by provider, or a flat list of ids of any. All calendars when absent; `primary` is the main one of each account; ids that are not the user’s choose nothing.',
  '{"google":["ada@example.com"]}',
);

const group = 'Reading events';
const account = query('account', 'Where two accounts show one calendar.', 'ada@example.com');
const oneEvent = { status: 200, description: 'The event.', schema: Event, example: EVENT_EXAMPLE };

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
    parameters: [
      query('start', 'The first day of the current month in UTC by default.', '2026-11-01T00:00:00Z'),
      query('end', 'Exclusive; the end of that month by default.', '2026-12-01T00:00:00Z'),
      calendarIds,
      {
        ...query('singleEvents', 'False: series once instead of their instances. True by default.', 'true'),
        schema: flag,
      },
      query('q', 'Words that must all be in an event; at most eight. Needs scope `read`.', 'planning'),
      pageSize,
      query('nextPageToken', 'Of the page before; it carries all but `pageSize`.', ''),
    ],
    answer: {
      status: 200,
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
    parameters: [
      required({ ...query('provider', 'Whose calendar.', 'google'), schema: Provider }),
      required(query('calendarId', '`primary`: the account’s main calendar.', 'ada@example.com')),
      required(query('eventId', 'Of an event, an instance or a series.', 'k3vd8u2q')),
      account,
    ],
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
    parameters: [
      required({
        in: 'path',
        name: 'id',
        description: 'Percent-encoded.',
        schema: Type.String(),
        example: 'k3vd8u2q',
      }),
      {
        ...query('provider', 'Where several calendars have an event of that id.', 'google'),
        schema: Provider,
      },
      query('calendarId', 'Likewise.', 'ada@example.com'),
      account,
    ],
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
    parameters: [
      query('cursor', 'Of the answer before; a cursor for now is answered when absent.', ''),
      { ...query('initial', 'Without a cursor: begin with everything there is.', 'true'), schema: flag },
      {
        ...query('wait', 'With a cursor: so many seconds the answer is held while nothing changes.', ''),
        schema: Type.Integer({ minimum: 0, maximum: 25 }),
        example: 25,
      },
      pageSize,
    ],
    answer: {
      status: 200,
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
