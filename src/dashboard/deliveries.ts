/** Lists and replays deliveries for the dashboard. The CLI uses the same stores. */
import type { Replay } from '../administration/delivery.ts';
import type { Client } from '../oauth/client.ts';
import { mustBeAllowed } from '../people/permission.ts';
import type { Actor, Person } from '../people/person.ts';
import { MOST_REPLAYS, VISIBLE_STATES } from '../webhooks/deliveries.ts';
import type { LoggedMessage, MessageFilter, MessageLog, MessagePlace } from '../webhooks/message-log.ts';
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

export const deliveriesPath = (values: Readonly<Record<string, string | undefined>>): string =>
  addressWith('/dashboard/deliveries', values);

/** Returns the address of a list of deliveries in a form's `back`, with the number that was resent. */
export function resentPath(back: string): string {
  const list = URL.parse(back, 'http://list.invalid');
  const values = [...FILTER_NAMES, 'after'].map((name) => [name, list?.searchParams.get(name) ?? '']);
  return deliveriesPath({ ...Object.fromEntries(values), replayed: '1' });
}
