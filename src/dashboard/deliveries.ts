/** Lists and replays deliveries for the dashboard. The CLI uses the same stores. */
import type { By } from '../audit/audit-entry.ts';
import type { Client } from '../oauth/client.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { mustBeAllowed } from '../people/permission.ts';
import type { Actor, Person } from '../people/person.ts';
import { MOST_REPLAYS, VISIBLE_STATES } from '../webhooks/deliveries.ts';
import type {
  AttemptedMessage,
  LoggedMessage,
  MessageFilter,
  MessageLog,
  MessagePlace,
} from '../webhooks/message-log.ts';
import {
  type FilterProblem,
  listedApplications,
  oneApplication,
  type Query,
  readRange,
} from './log-filter.ts';
import { FILTER_NAMES } from './pages/deliveries.page.ts';
import { addressWith } from './pages/filter-form.page.ts';

export type DeliveriesDeps = { readonly messages: MessageLog; readonly now: () => number };

export type ReadFilter = { readonly filter: MessageFilter; readonly problems: readonly FilterProblem[] };

/** Reads the filter. `clients` are those that the member may read. */
export function readFilter(
  person: Person,
  query: Query<(typeof FILTER_NAMES)[number]>,
  { clients, now }: { readonly clients: readonly Client[]; readonly now: number },
): ReadFilter {
  const { range, problems } = readRange(query, now);
  const state = VISIBLE_STATES.find((one) => one === query('state'));
  const [userId, calendarId, endpointId] = (['user', 'calendar', 'endpoint'] as const).map(
    (name) => query(name) || undefined,
  );
  const application = oneApplication(query, clients);
  const isOfOne = userId !== undefined || calendarId !== undefined;
  return {
    filter: {
      clientId: isOfOne ? (application?.clientId ?? []) : listedApplications(person, query),
      ...{ state, userId, calendarId, endpointId, ...range },
    },
    problems: [
      ...problems,
      ...(query('state') !== '' && state === undefined ? (['filter.wrong.state'] as const) : []),
      ...(isOfOne && query('client') === '' && application === undefined
        ? (['filter.wrong.client'] as const)
        : []),
    ],
  };
}

/** Parses the position of the next page. Returns undefined if the text is invalid. */
export function parsePosition(text: string): MessagePlace | undefined {
  const [, createdAt, messageId] = /^(\d{1,15})_([\w-]{1,80})$/.exec(text) ?? [];
  return messageId === undefined ? undefined : { createdAt: Number(createdAt), messageId };
}

export const formatPosition = ({ createdAt, messageId }: MessagePlace): string => `${createdAt}_${messageId}`;

/** Returns a delivery without its body. Throws PeopleRefusal. */
export async function findDelivery(
  actor: Actor,
  { clientId, messageId }: { readonly clientId: string; readonly messageId: string },
  { messages }: Pick<DeliveriesDeps, 'messages'>,
): Promise<AttemptedMessage> {
  mustBeAllowed(actor, 'delivery.read', clientId);
  const delivery = await messages.findAttempts(clientId, messageId);
  if (delivery === undefined) throw new PeopleRefusal('not_there');
  return delivery;
}

export const MOST_UNDELIVERED = 10;

/** Returns the newest deliveries of an endpoint that are pending, retrying or dead. Throws PeopleRefusal. */
export async function listUndelivered(
  actor: Actor,
  endpoint: { readonly clientId: string; readonly endpointId: string },
  { messages }: Pick<DeliveriesDeps, 'messages'>,
): Promise<LoggedMessage[]> {
  mustBeAllowed(actor, 'delivery.read', endpoint.clientId);
  const page = { after: undefined, limit: MOST_UNDELIVERED };
  const lists = (['pending', 'dead'] as const).map((state) =>
    messages.listMessages({ ...endpoint, state }, page),
  );
  const newestFirst = (one: LoggedMessage, other: LoggedMessage) => other.createdAt - one.createdAt;
  return (await Promise.all(lists)).flat().toSorted(newestFirst).slice(0, MOST_UNDELIVERED);
}

/** Schedules a resend of the delivery. Throws PeopleRefusal. */
export async function replayOne(
  actor: Actor,
  { clientId, messageId }: { readonly clientId: string; readonly messageId: string },
  { messages, now, by }: DeliveriesDeps & By,
): Promise<void> {
  mustBeAllowed(actor, 'delivery.replay', clientId);
  if (!(await messages.askReplay(clientId, messageId, { now: now(), by })))
    throw new PeopleRefusal('not_there');
}

/** A replay of the deliveries of one application that match a filter, within a past period. */
export type Replay = MessageFilter & {
  readonly clientId: string;
  readonly from: number;
  readonly to: number;
};

const KEPT_MS = 30 * 24 * 3_600_000;

/** Returns a replay of the filter. It ends now at the latest and starts KEPT_MS ago by default. */
export function planReplay(
  clientId: string,
  { filter }: Pick<ReadFilter, 'filter'>,
  { now }: Pick<DeliveriesDeps, 'now'>,
): Replay {
  const to = Math.min(filter.to ?? now(), now());
  return { ...filter, clientId, from: filter.from ?? now() - KEPT_MS, to };
}

/** Counts the deliveries to resend, up to one more than MOST_REPLAYS. Throws PeopleRefusal. */
export function countReplay(actor: Actor, replay: Replay, { messages }: Pick<DeliveriesDeps, 'messages'>) {
  mustBeAllowed(actor, 'delivery.replay', replay.clientId);
  return messages.countReplays(replay, MOST_REPLAYS + 1);
}

/** Schedules at most MOST_REPLAYS resends, oldest first, and returns their number. Throws PeopleRefusal. */
export function replayAll(actor: Actor, replay: Replay, { messages, now, by }: DeliveriesDeps & By) {
  mustBeAllowed(actor, 'delivery.replay', replay.clientId);
  return messages.askReplays(replay, { now: now(), limit: MOST_REPLAYS, by });
}

export const deliveriesPath = (values: Readonly<Record<string, string | undefined>>): string =>
  addressWith('/dashboard/deliveries', values);

/** Returns the address of the list in a form's `back`, with the number that was resent. Undefined if it is no list. */
export function resentPath(back: string): string | undefined {
  const list = URL.parse(back, 'http://list.invalid');
  if (list?.pathname !== deliveriesPath({})) return undefined;
  const values = [...FILTER_NAMES, 'after'].map((name) => [name, list.searchParams.get(name) ?? '']);
  return deliveriesPath({ ...Object.fromEntries(values), replayed: '1' });
}
