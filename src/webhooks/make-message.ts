/** Creates a stream's next message from the changes after its position, with the events' present state. */
import { randomUUIDv7 } from 'node:crypto';
import { entryTexts, toEventKey } from '../reading/change-texts.ts';
import type { EventReader } from '../reading/event-reader.ts';
import type { EventOwner } from '../reading/event-text.ts';
import { sealCursor } from '../reading/sealed-cursor.ts';
import { defaultChannelId } from './channel-id.ts';
import type { DeliveryCalendar, NewMessage, PendingChange, StreamPosition, TakenStream } from './message.ts';
import {
  busyEvent,
  combineChangeTypes,
  type DeliveryEvent,
  messageBody,
  withoutOriginals,
} from './message-body.ts';
import type { StreamStore } from './stream-store.ts';

export type MakeMessageDeps = {
  readonly streams: Pick<StreamStore, 'pendingChanges'>;
  readonly events: Pick<EventReader, 'eventsToTell'>;
  readonly pagingKey: Buffer;
  /** Returns the event's id for scope `free-busy`. */
  readonly busyId: (event: { readonly calendarKey: string; readonly id: string }) => string;
  readonly now: () => number;
};

/** `message` is undefined if nothing is delivered. `delivered` is the stream's next position; `more`: changes wait. */
export type Made = {
  readonly message: NewMessage | undefined;
  readonly delivered: StreamPosition;
  readonly more: boolean;
};

const MOST_CHANGES = 50;
const MOST_BYTES = 20_000;
/** Older changes may have been deleted (job-handlers.ts). A stream whose changes were deleted has waited longer. */
const REMEMBERED_MS = 29 * 24 * 3_600_000;

/** Returns the next message of a stream without a pending one. */
export async function makeMessage(
  stream: TakenStream,
  calendar: DeliveryCalendar,
  deps: MakeMessageDeps,
): Promise<Made> {
  const now = deps.now();
  if (stream.initial) {
    const { eventCount } = calendar;
    const message = buildMessage(
      [],
      { stream, calendar, delivered: stream.delivered, isInitialSync: true, eventCount },
      deps,
    );
    return { message, delivered: stream.delivered, more: true };
  }
  if (stream.pendingSince !== undefined && stream.pendingSince < now - REMEMBERED_MS)
    return makeReset(stream, calendar, deps);
  const { calendarKey } = calendar;
  const place = { calendarKey, delivered: stream.delivered };
  const changes = await deps.streams.pendingChanges(place, MOST_CHANGES + 1);
  // A new grant receives nothing from before it, but the application may have had another one then.
  if (changes.some((change) => change.notedAt < calendar.coveredSince && isDeliverable(change, stream)))
    return makeReset(stream, calendar, deps);
  const { events, delivered, isCut } = await selectEvents(changes, { stream, calendar }, deps);
  const more = isCut || changes.length > MOST_CHANGES;
  const message =
    events.length === 0 ? undefined : buildMessage(events, { stream, calendar, delivered }, deps);
  return { message, delivered, more };
}

/** Returns a message without events, after which the stream is at the present. */
function makeReset(stream: TakenStream, calendar: DeliveryCalendar, deps: MakeMessageDeps): Made {
  const delivered = { seq: calendar.seq, id: undefined };
  const message = buildMessage([], { stream, calendar, delivered, reset: true }, deps);
  return { message, delivered, more: false };
}

type Telling = { readonly stream: TakenStream; readonly calendar: DeliveryCalendar };

/** Returns as many events as fit into a message, at least one. */
async function selectEvents(
  pending: readonly PendingChange[],
  { stream, calendar }: Telling,
  deps: MakeMessageDeps,
): Promise<{ events: DeliveryEvent[]; delivered: StreamPosition; isCut: boolean }> {
  const from = lastComplete(stream);
  const changes = pending.slice(0, MOST_CHANGES);
  const visible = changes.filter((change) => isDeliverable(change, stream));
  const visibleEvents = await renderVisibleEvents(visible, calendar, deps);
  const events: DeliveryEvent[] = [];
  let bytes = 0;
  let position = stream.delivered;
  const inMessage = new Set(visible);
  for (const [index, change] of changes.entries()) {
    const event = inMessage.has(change)
      ? renderChange(change, { from, shown: visibleEvents, calendar }, deps)
      : undefined;
    if (event !== undefined) {
      const size = Buffer.byteLength(JSON.stringify(event));
      if (events.length > 0 && bytes + size > MOST_BYTES) return { events, delivered: position, isCut: true };
      bytes += size;
      events.push(event);
    }
    // A number is complete with its last event, because all its changes are committed together.
    const isLast = pending[index + 1]?.seq !== change.seq;
    position = { seq: change.seq, id: isLast ? undefined : change.id };
  }
  return { events, delivered: position, isCut: false };
}

/** Returns the last number of which the stream has delivered everything. */
const lastComplete = ({ delivered: { seq, id } }: TakenStream): number => (id === undefined ? seq : seq - 1);

function isDeliverable(change: PendingChange, stream: TakenStream): boolean {
  const from = lastComplete(stream);
  if (change.foreignSeq <= from && !stream.endpoint.hearsOwn) return false;
  return !(change.deleted && change.createdSeq > from);
}

async function renderVisibleEvents(
  changes: readonly PendingChange[],
  calendar: DeliveryCalendar,
  { events }: MakeMessageDeps,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const { calendarKey } = calendar;
  const ids = changes.filter(({ deleted }) => !deleted).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const owner: EventOwner = { calendar, account: { ...calendar, scope: 'read' } };
  const texts = entryTexts(await events.eventsToTell(calendarKey, ids), new Map([[calendarKey, owner]]));
  return new Map([...texts].map(([key, text]) => [key, withoutOriginals(JSON.parse(text))]));
}

type Shown = {
  readonly from: number;
  readonly shown: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly calendar: DeliveryCalendar;
};

/** Returns `undefined` if nothing of the event is visible, or it was deleted and has a later change. */
function renderChange(
  change: PendingChange,
  { from, shown, calendar }: Shown,
  { busyId }: MakeMessageDeps,
): DeliveryEvent | undefined {
  const { calendarKey, provider, accountId, display, href } = calendar;
  const { id, deleted, createdSeq, createdOwn, foreignSeq, fields, was } = change;
  const isOwn = foreignSeq <= from;
  const isNew = createdSeq > from && (isOwn || !createdOwn);
  const current = deleted
    ? { provider, account: accountId, accountName: display, calendarId: href, ...was }
    : shown.get(toEventKey({ calendarKey, id }));
  if (current === undefined) return undefined;
  const changeType = deleted ? 'deleted' : isNew ? 'created' : 'updated';
  const changedFields = Object.keys(fields).filter((name) => (fields[name] ?? 0) > from);
  const event: DeliveryEvent = {
    ...current,
    id,
    changeType,
    ...(isOwn && { own: isOwn }),
    ...(changeType === 'updated' && changedFields.length > 0 && { changedFields }),
  };
  return calendar.shows === 'busy' ? busyEvent(event, (name) => busyId({ calendarKey, id: name })) : event;
}

type Content = Telling & {
  readonly delivered: StreamPosition;
  readonly isInitialSync?: boolean;
  readonly eventCount?: number;
  readonly reset?: boolean;
};

function buildMessage(
  events: readonly DeliveryEvent[],
  { stream, calendar, delivered, ...rest }: Content,
  { pagingKey, now }: MakeMessageDeps,
): NewMessage {
  const { clientId, userId } = stream;
  const createdAt = now();
  const sequence = stream.sequence + 1;
  const { feedId, shows } = calendar;
  // Inside a number, that number's events are sent again: a cursor never skips a change.
  const seq = delivered.id === undefined ? delivered.seq : delivered.seq - 1;
  const cursor =
    feedId === undefined || shows === 'busy'
      ? undefined
      : sealCursor({ feedId, seq }, { clientId, userId }, pagingKey);
  const channelId = calendar.channelId ?? defaultChannelId(calendar.calendarKey);
  const facts = { clientId, userId, calendar, channelId, sequence, now: createdAt, cursor, ...rest };
  return {
    messageId: `msg_${randomUUIDv7()}`,
    sequence,
    changeType: combineChangeTypes(events, rest.isInitialSync === true),
    eventCount: rest.eventCount ?? events.length,
    shows,
    body: messageBody(events, facts),
    createdAt,
  };
}
