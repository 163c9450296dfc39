/** Reads and resends an application's logged deliveries (docs/webhooks.md). */
import type { By } from '../audit/audit-entry.ts';
import { PROVIDER_KINDS } from '../calendars/provider-facts.ts';
import {
  type Check,
  oneOf,
  parsedText,
  readBody,
  readQuery,
  required,
  SENTENCES,
  text,
  wholeNumberText,
} from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import type { AttemptedMessage, LoggedMessage, MessageLog, MessagePlace } from './message-log.ts';
import { type VisibleBodyDeps, visibleBody } from './visible-body.ts';
import { WEBHOOKS } from './webhook-error.ts';

export type DeliveriesDeps = VisibleBodyDeps & {
  readonly messages: MessageLog;
  readonly now: () => number;
};

export const STATES = ['pending', 'delivered', 'dead', 'withheld'] as const;
export const VISIBLE_STATES = ['pending', 'retrying', 'delivered', 'dead', 'withheld'] as const;
const MAX_ID = 2_000;
const PAGE_SIZE = 50;
const TIME = '2026-11-23T09:00:00Z';
/** RFC 3339 with optional seconds. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
/** A field with an instant. */
export const time = (doc: string, example: string) =>
  parsedText(parseTime, {
    doc,
    example,
    schema: { format: 'date-time' },
    also: { type: 'string', pattern: RFC_3339.source },
    problem: SENTENCES.noTime(TIME),
  });

/** The filters of deliveries. */
export const DELIVERY_FILTER = {
  from: time('Deliveries created at or after this time.', '2026-11-22T00:00:00Z'),
  to: time('Deliveries created before this time.', TIME),
  state: oneOf(STATES, { doc: 'Deliveries in this state.', example: 'dead' }),
  userId: text({ max: MAX_ID, doc: 'Deliveries about this user.' }),
  provider: oneOf(PROVIDER_KINDS, { doc: 'Deliveries about this provider.' }),
  calendarId: text({ max: MAX_ID, doc: 'Deliveries about this calendar.' }),
  endpointId: text({ max: MAX_ID, doc: 'Deliveries to this endpoint.' }),
};

export const DELIVERIES_QUERY = {
  ...DELIVERY_FILTER,
  pageSize: wholeNumberText({ min: 1, max: 250, doc: 'From 1 to 250. Default: 50.', example: PAGE_SIZE }),
  nextPageToken: parsedText(parsePlace, {
    doc: 'The token from the previous page.',
    schema: { format: 'page-token' },
    problem: 'does not come from an earlier response',
  }),
};

export const REPLAYED_DELIVERIES = {
  ...DELIVERY_FILTER,
  from: required(DELIVERY_FILTER.from),
  to: required(DELIVERY_FILTER.to),
};

const inOrder: Check<Pick<typeof DELIVERY_FILTER, 'from' | 'to'>> = ({ from, to }, report) =>
  from !== undefined && to !== undefined && from >= to ? report('to', 'must be after from') : undefined;

/** The maximum number of messages that one request resends. */
export const MOST_REPLAYS = 10_000;

/** Returns a page of the log, the newest first. Throws ApiError 400 with all mistakes. */
export async function listDeliveries(clientId: string, query: unknown, deps: DeliveriesDeps) {
  const { messages } = deps;
  const input = readQuery(query, DELIVERIES_QUERY, inOrder);
  const { pageSize = PAGE_SIZE, nextPageToken: after, ...filter } = input;
  const matches = await messages.listMessages({ clientId, ...filter }, { after, limit: pageSize + 1 });
  const page = matches.slice(0, pageSize);
  const last = matches.length > pageSize ? page.at(-1) : undefined;
  return {
    deliveries: page.map(renderDelivery),
    pageSize,
    ...(last !== undefined && { nextPageToken: textOfPlace(last) }),
  };
}

/** Returns a delivery with its attempts and its visible body. Throws 404. */
export async function showDelivery(clientId: string, messageId: string, deps: DeliveriesDeps & By) {
  const message = await deps.messages.findMessage(clientId, messageId, deps.by);
  if (message === undefined) throw new ApiError(WEBHOOKS.delivery_not_found);
  const body = await visibleBody(message, deps);
  return {
    ...renderDelivery(message),
    attemptLog: message.log.map(renderAttempt),
    body: body === undefined ? null : (JSON.parse(body) as unknown),
  };
}

/** Returns an attempt as in responses. */
export const renderAttempt = ({
  number,
  startedAt,
  durationMs,
  status,
  fault,
  answer,
}: AttemptedMessage['log'][number]) => ({
  number,
  startedAt: new Date(startedAt).toISOString(),
  durationMs,
  ...(status !== undefined && { status }),
  ...(fault !== undefined && { fault }),
  ...(answer !== undefined && { answer }),
});

/** Requests a resend of a delivery. Throws 404. */
export async function replayDelivery(clientId: string, messageId: string, deps: DeliveriesDeps & By) {
  if (!(await deps.messages.askReplay(clientId, messageId, { now: deps.now(), by: deps.by })))
    throw new ApiError(WEBHOOKS.delivery_not_found);
  return { success: true, id: messageId } as const;
}

/** Requests resends of all deliveries that match a filter, the oldest first. Throws ApiError 400 with all mistakes. */
export async function replayDeliveries(clientId: string, body: unknown, deps: DeliveriesDeps & By) {
  const filter = readBody(body, REPLAYED_DELIVERIES, inOrder);
  const terms = { now: deps.now(), by: deps.by, limit: MOST_REPLAYS };
  const count = await deps.messages.askReplays({ clientId, ...filter }, terms);
  return { success: true, count, more: count === MOST_REPLAYS } as const;
}

/** Parses RFC 3339 with an offset to epoch milliseconds. */
function parseTime(text: string): number | undefined {
  if (!RFC_3339.test(text)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

const textOfPlace = ({ createdAt, messageId }: MessagePlace): string =>
  Buffer.from(`${createdAt} ${messageId}`).toString('base64url');

function parsePlace(text: string): MessagePlace | undefined {
  const [, createdAt, messageId] =
    /^(\d{1,15}) (msg_[\w-]{1,60})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return messageId === undefined ? undefined : { createdAt: Number(createdAt), messageId };
}

/** Returns a delivery as in responses and in `kalends webhook`. */
export const renderDelivery = (message: LoggedMessage) => ({
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
