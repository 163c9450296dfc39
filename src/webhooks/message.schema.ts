/** The messages that endpoints receive (docs/wire.md 2.7), for the API reference. */
import { type TProperties, Type } from 'typebox';
import { enumeration, instant, type WebhookMessage } from '../http/operation.ts';
import { EVENT_EXAMPLE, Provider } from '../reading/calendar.schema.ts';
import { ChangedEvent } from '../reading/events.schema.ts';

const { original: _, originalTruncated: _truncated, ...eventMembers } = ChangedEvent.properties;
const ownMember = Type.Optional(
  Type.Literal(true, { description: 'True if the application made the change itself.' }),
);

const DeliveredEvent = Type.Union(
  [
    Type.Object({
      ...eventMembers,
      own: ownMember,
      changeType: enumeration(['created', 'updated']),
      changedFields: Type.Optional(
        Type.Array(Type.String(), { description: 'The changed fields of an updated event.' }),
      ),
    }),
    Type.Object({
      ...Type.Partial(Type.Object(eventMembers)).properties,
      ...{ provider: Provider, calendarId: Type.String(), id: Type.String() },
      own: ownMember,
      changeType: Type.Literal('deleted'),
    }),
  ],
  { $id: 'DeliveredEvent', description: 'A deleted event has its other fields as far as they are known.' },
);

const timestamp = instant('When the message was created.');
const sequence = Type.Integer({ description: 'Counts the deliveries of the calendar, or of the user.' });

const EventsPayload = Type.Object(
  {
    provider: Provider,
    userId: Type.String(),
    calendarId: Type.String(),
    events: Type.Array(DeliveredEvent),
    changeType: enumeration(['created', 'updated', 'deleted', 'mixed']),
    timestamp,
    metadata: Type.Object({
      channelId: Type.String(),
      eventCount: Type.Integer({
        description: 'The calendar’s number of events if `isInitialSync` is true.',
      }),
      isInitialSync: Type.Boolean({ description: 'Whether the first sync of the calendar has finished.' }),
      clientId: Type.String({ description: 'The application. Refuse a delivery for another one.' }),
      sequence,
      cursor: Type.Optional(Type.String({ description: 'For `GET /events/changes`.' })),
      reset: Type.Optional(Type.Literal(true, { description: 'Earlier changes are lost: read all events.' })),
      test: Type.Optional(Type.Literal(true, { description: 'A test that somebody requested.' })),
    }),
  },
  { $id: 'EventsPayload' },
);

const note = (eventTypes: readonly string[], data: TProperties, $id: string) =>
  Type.Object(
    {
      eventType: enumeration(eventTypes),
      userId: Type.String(),
      provider: Provider,
      timestamp,
      metadata: Type.Object({ clientId: Type.String(), sequence }),
      data: Type.Object({ account: Type.String(), accountName: Type.String(), ...data }),
    },
    { $id },
  );

const CalendarPayload = note(
  ['calendar.created', 'calendar.updated', 'calendar.deleted'],
  {
    id: Type.String(),
    title: Type.String(),
    timeZone: Type.String(),
    access: enumeration(['read', 'write']),
    description: Type.Optional(Type.String()),
    color: Type.Optional(Type.String()),
  },
  'CalendarPayload',
);

const CONNECTION_TYPES = ['connected', 'degraded', 'reauth_required', 'recovered', 'disconnected'];
const ConnectionPayload = note(
  CONNECTION_TYPES.map((name) => `connection.${name}`),
  {
    state: Type.Optional(enumeration(['active', 'degraded', 'reauth_required'])),
    reason: Type.Optional(Type.String({ description: 'The cause, as in `GET /connection-status`.' })),
    message: Type.Optional(Type.String()),
  },
  'ConnectionPayload',
);

const { original: _example, ...EVENT } = EVENT_EXAMPLE;
const ACCOUNT = { account: 'ada@example.com', accountName: 'ada@example.com' };
const EXAMPLE = { userId: 'ada', provider: 'google', timestamp: '2026-11-23T09:00:00.000Z' };
const METADATA = { clientId: 'proj1234567890', sequence: 12 };

export const WEBHOOK_MESSAGES: readonly WebhookMessage[] = [
  {
    name: 'events',
    id: 'receiveEvents',
    summary: 'Changed events of one calendar',
    schema: EventsPayload,
    example: {
      ...EXAMPLE,
      calendarId: ACCOUNT.account,
      events: [{ ...EVENT, changeType: 'updated', changedFields: ['start', 'end'] }],
      changeType: 'updated',
      metadata: { ...METADATA, channelId: 'work-of-ada', eventCount: 1, isInitialSync: false },
    },
  },
  {
    name: 'calendars',
    id: 'receiveCalendar',
    summary: 'A calendar that was created, changed or deleted',
    schema: CalendarPayload,
    example: {
      ...EXAMPLE,
      eventType: 'calendar.created',
      metadata: METADATA,
      data: { ...ACCOUNT, id: 'trips', title: 'Trips', timeZone: 'Europe/Berlin', access: 'write' },
    },
  },
  {
    name: 'connections',
    id: 'receiveConnection',
    summary: 'A change in the health of an account',
    schema: ConnectionPayload,
    example: {
      ...EXAMPLE,
      eventType: 'connection.reauth_required',
      metadata: METADATA,
      data: { ...ACCOUNT, state: 'reauth_required', reason: 'access_revoked' },
    },
  },
];
