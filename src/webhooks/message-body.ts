/** Renders the JSON of a delivery (docs/wire.md 2.7), and reduces it for scope `free-busy`. */
import type { ChangeType, DeliveryCalendar, Shows } from './message.ts';

export type DeliveryEvent = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly changeType: Exclude<ChangeType, 'mixed'>;
};

export type MessageFacts = {
  readonly clientId: string;
  readonly userId: string;
  readonly calendar: Pick<DeliveryCalendar, 'provider' | 'href'>;
  readonly channelId: string;
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly isInitialSync?: boolean | undefined;
  /** The calendar's number of events, if the delivery contains none. */
  readonly eventCount?: number | undefined;
  readonly cursor?: string | undefined;
  /** Whether earlier changes are no longer available. */
  readonly reset?: boolean | undefined;
  readonly test?: boolean | undefined;
};

/** Returns the body. Published clients read its top level; Kalends' additions are in `metadata` and the events. */
export function messageBody(events: readonly DeliveryEvent[], facts: MessageFacts): string {
  const { clientId, userId, calendar, channelId, sequence, now, cursor } = facts;
  const { isInitialSync = false, eventCount = events.length, reset, test } = facts;
  return JSON.stringify({
    provider: calendar.provider,
    userId,
    calendarId: calendar.href,
    events,
    changeType: combineChangeTypes(events, isInitialSync),
    timestamp: new Date(now).toISOString(),
    metadata: {
      channelId,
      eventCount,
      isInitialSync,
      clientId,
      sequence,
      ...(cursor !== undefined && { cursor }),
      ...(reset === true && { reset }),
      ...(test === true && { test }),
    },
  });
}

/** Returns the change type of all events, or `mixed` if they differ. */
export function combineChangeTypes(events: readonly DeliveryEvent[], isInitialSync: boolean): ChangeType {
  if (isInitialSync) return 'created';
  const [first, ...others] = new Set(events.map(({ changeType }) => changeType));
  return first === undefined || others.length > 0 ? 'mixed' : first;
}

/** The fields of an event and names of changed fields that `free-busy` may see (docs/wire.md 2.5). */
const BUSY_MEMBERS = [
  'provider',
  'calendarId',
  'start',
  'end',
  'allDay',
  'availability',
  'status',
  'changeType',
  'own',
] as const;
const BUSY_FIELDS: ReadonlySet<unknown> = new Set([
  'start',
  'end',
  'allDay',
  'availability',
  'status',
  'recurrence',
  'overrides',
]);

/** Returns `undefined` if nothing visible to `free-busy` has changed. `busyId` returns the event's id for it. */
export function busyEvent(event: DeliveryEvent, busyId: (id: string) => string): DeliveryEvent | undefined {
  const busyEvent: Record<string, unknown> = {};
  for (const name of BUSY_MEMBERS) if (event[name] !== undefined) busyEvent[name] = event[name];
  const fields = Array.isArray(event.changedFields)
    ? event.changedFields.filter((field) => BUSY_FIELDS.has(field))
    : undefined;
  if (fields?.length === 0) return undefined;
  return {
    ...busyEvent,
    id: busyId(event.id),
    title: 'Busy',
    changeType: event.changeType,
    ...(fields !== undefined && { changedFields: fields }),
  };
}

/** Reduces a message for scope `read` to `free-busy`, without events that have no visible fields. */
export function busyBody(body: string, busyId: (id: string) => string): string {
  // messageBody wrote it.
  const message: { events: DeliveryEvent[]; metadata: Record<string, unknown> } & Record<string, unknown> =
    JSON.parse(body);
  const events = message.events.flatMap((event) => busyEvent(event, busyId) ?? []);
  const { cursor: _, eventCount, ...metadata } = message.metadata;
  const count = message.metadata.isInitialSync === true ? eventCount : events.length;
  return JSON.stringify({ ...message, events, metadata: { ...metadata, eventCount: count } });
}

/** The fields of an event that deliveries omit: `/event` returns the provider's own object. */
const LEFT_OUT: readonly string[] = ['original', 'originalTruncated'];

/** Returns an event without the fields that deliveries omit, also in its overrides. */
export function withoutOriginals(event: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const visible = Object.fromEntries(Object.entries(event).filter(([name]) => !LEFT_OUT.includes(name)));
  if (Array.isArray(visible.overrides)) visible.overrides = visible.overrides.map(withoutOriginals);
  return visible;
}

/** Returns whether a message for `made` must be reduced to `now`. */
export const showsLess = (made: Shows, now: Shows): boolean => made === 'events' && now === 'busy';
