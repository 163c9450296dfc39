/** The log of an application's deliveries, and the replay of them (docs/webhooks.md). */
import { PROVIDER_KINDS } from '../calendars/provider-kind.ts';
import { ApiError } from '../http/refusal.ts';
import {
  type Fields,
  filledText,
  type Members,
  oneOf,
  type Parse,
  readBody,
  readQuery,
  SENTENCES,
  textRead,
} from '../http/request-fields.ts';
import type { LoggedMessage, MessageLog, MessagePlace, ReplayFilter } from './message-log.ts';
import { type VisibleBodyDeps, visibleBody } from './visible-body.ts';

export type DeliveriesDeps = VisibleBodyDeps & {
  readonly messages: MessageLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

const STATES = ['pending', 'delivered', 'dead', 'withheld'] as const;
const LONGEST_ID = 2_000;
const PAGE_SIZE = 50;
const MOST_ON_PAGE = 250;
/** Messages that one call asks to replay. */
export const MOST_REPLAYS = 10_000;

/** A page of the log, the newest first. Throws 400 with every mistake. */
export async function listDeliveries(clientId: string, query: Members, { messages }: DeliveriesDeps) {
  const { filter, pageSize, after } = readQuery(query, (fields) => ({
    filter: filterInput(fields, clientId),
    pageSize: fields.optional('pageSize', pageSizeText) ?? PAGE_SIZE,
    after: fields.optional('nextPageToken', placeText),
  }));
  const found = await messages.listMessages(filter, { after, limit: pageSize + 1 });
  const page = found.slice(0, pageSize);
  const last = found.length > pageSize ? page.at(-1) : undefined;
  return {
    deliveries: page.map(deliveryOf),
    pageSize,
    ...(last !== undefined && { nextPageToken: textOfPlace(last) }),
  };
}

/** One with its attempts and its body, as far as it may still be seen. Throws 404. */
export async function showDelivery(clientId: string, messageId: string, deps: DeliveriesDeps) {
  const message = await deps.messages.findMessage(clientId, messageId);
  if (message === undefined) throw notFound();
  const body = await visibleBody(message, deps);
  return {
    ...deliveryOf(message),
    attemptLog: message.log.map(({ number, startedAt, durationMs, status, fault, answer }) => ({
      number,
      startedAt: new Date(startedAt).toISOString(),
      durationMs,
      ...(status !== undefined && { status }),
      ...(fault !== undefined && { fault }),
      ...(answer !== undefined && { answer }),
    })),
    body: body === undefined ? null : (JSON.parse(body) as unknown),
  };
}

/** Sends it once more, soon. Throws 404. */
export async function replayDelivery(clientId: string, messageId: string, { messages, now }: DeliveriesDeps) {
  if (!(await messages.askReplay(clientId, messageId, now()))) throw notFound();
  return { success: true, id: messageId } as const;
}

/** Sends all that a filter names once more, the oldest first. Throws 400 with every mistake. */
export async function replayDeliveries(clientId: string, body: unknown, { messages, now }: DeliveriesDeps) {
  const filter = readBody(body, (fields) => ({
    ...filterInput(fields, clientId),
    from: fields.required('from', timeText),
    to: fields.required('to', timeText),
  }));
  const count = await messages.askReplays(filter, now(), MOST_REPLAYS);
  return { success: true, count, more: count === MOST_REPLAYS } as const;
}

function filterInput(fields: Fields, clientId: string): ReplayFilter {
  const from = fields.optional('from', timeText);
  const to = fields.optional('to', timeText);
  if (from !== undefined && to !== undefined && from >= to) fields.mistake('to', 'must be after from');
  return {
    clientId,
    state: fields.optional('state', oneOf(STATES)),
    userId: fields.optional('userId', filledText(LONGEST_ID)),
    provider: fields.optional('provider', oneOf(PROVIDER_KINDS)),
    calendarId: fields.optional('calendarId', filledText(LONGEST_ID)),
    endpointId: fields.optional('endpointId', filledText(LONGEST_ID)),
    from,
    to,
  };
}

/** RFC 3339 with an offset, as epoch milliseconds. */
const timeText: Parse<number> = textRead((text) => {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}, SENTENCES.noTime('2026-11-23T09:00:00Z'));

const pageSizeText: Parse<number> = textRead(
  (text) => {
    const size = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    return size >= 1 && size <= MOST_ON_PAGE ? size : undefined;
  },
  SENTENCES.noWholeNumber(1, MOST_ON_PAGE),
);

const textOfPlace = ({ createdAt, messageId }: MessagePlace): string =>
  Buffer.from(`${createdAt} ${messageId}`).toString('base64url');

const placeText: Parse<MessagePlace> = textRead((text) => {
  const [, createdAt, messageId] =
    /^(\d{1,15}) (msg_[\w-]{1,60})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return messageId === undefined ? undefined : { createdAt: Number(createdAt), messageId };
}, 'is not one of an answer before');

/** As answers and `kalends webhook` show it. */
export const deliveryOf = (message: LoggedMessage) => ({
  id: message.messageId,
  endpointId: message.endpointId,
  userId: message.userId,
  provider: message.provider,
  ...(message.calendarId !== undefined && { calendarId: message.calendarId }),
  sequence: message.sequence,
  changeType: message.changeType,
  eventCount: message.eventCount,
  state: message.state,
  ...(message.reason !== undefined && { reason: message.reason }),
  attempts: message.attempts,
  createdAt: new Date(message.createdAt).toISOString(),
  ...(message.nextAt !== undefined && { nextAttemptAt: new Date(message.nextAt).toISOString() }),
  ...(message.settledAt !== undefined && { settledAt: new Date(message.settledAt).toISOString() }),
});

const notFound = (): ApiError =>
  new ApiError(404, 'delivery_not_found', 'The application has no such delivery; they are kept for 30 days');
