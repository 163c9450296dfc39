/** What the dashboard lists and replays of deliveries. The command line does the same by the same stores. */
import type { Client } from '../oauth/client.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { mustBeAllowed } from '../people/permission.ts';
import type { Actor, Person } from '../people/person.ts';
import { MOST_REPLAYS } from '../webhooks/deliveries.ts';
import type { MessageState } from '../webhooks/message.ts';
import type { AttemptedMessage, MessageFilter, MessageLog, MessagePlace } from '../webhooks/message-log.ts';
import {
  addressWith,
  type FilterProblem,
  listedApplications,
  oneApplication,
  type Query,
  readRange,
} from './log-filter.ts';

export type DeliveriesDeps = { readonly messages: MessageLog; readonly now: () => number };

export const STATES: readonly MessageState[] = ['pending', 'delivered', 'dead', 'withheld'];

/** The values of an address that make a filter. */
export const FILTER_NAMES = ['client', 'state', 'user', 'calendar', 'endpoint', 'from', 'to'] as const;

/** The values of a filter that are there, as an address has them. */
export const filterValues = (query: Query): Readonly<Record<string, string>> =>
  Object.fromEntries(FILTER_NAMES.map((name) => [name, query(name)]).filter(([, value]) => value !== ''));

export type ReadFilter = { readonly filter: MessageFilter; readonly problems: readonly FilterProblem[] };

/** `clients`: those that the person may read. */
export function readFilter(person: Person, query: Query, clients: readonly Client[]): ReadFilter {
  const { range, problems } = readRange(query);
  const state = STATES.find((one) => one === query('state'));
  const [userId, calendarId, endpointId] = ['user', 'calendar', 'endpoint'].map(
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

/** Where a page of the list goes on; undefined for an address that says nothing of the kind. */
export function placeOf(text: string): MessagePlace | undefined {
  const [, createdAt, messageId] = /^(\d{1,15})_([\w-]{1,80})$/.exec(text) ?? [];
  return messageId === undefined ? undefined : { createdAt: Number(createdAt), messageId };
}

export const placeText = ({ createdAt, messageId }: MessagePlace): string => `${createdAt}_${messageId}`;

/** Throws PeopleRefusal. Nobody sees a body by it. */
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

/** Sends it once more, soon. Throws PeopleRefusal. */
export async function replayOne(
  actor: Actor,
  { clientId, messageId }: { readonly clientId: string; readonly messageId: string },
  { messages, now }: DeliveriesDeps,
): Promise<void> {
  mustBeAllowed(actor, 'delivery.replay', clientId);
  if (!(await messages.askReplay(clientId, messageId, now()))) throw new PeopleRefusal('not_there');
}

/** A replay of all that a filter finds of one application, within a time that has ended. */
export type Replay = MessageFilter & {
  readonly clientId: string;
  readonly from: number;
  readonly to: number;
};

const KEPT_MS = 30 * 24 * 3_600_000;

/** Without a time it is of all that is kept so far: what comes after the page that asks is not meant. */
export function replayOf(
  clientId: string,
  { filter }: Pick<ReadFilter, 'filter'>,
  { now }: Pick<DeliveriesDeps, 'now'>,
): Replay {
  const to = Math.min(filter.to ?? now(), now());
  return { ...filter, clientId, from: filter.from ?? now() - KEPT_MS, to };
}

/** How many it would send; one more than are sent at once where there are more. Throws PeopleRefusal. */
export function countReplay(actor: Actor, replay: Replay, { messages }: Pick<DeliveriesDeps, 'messages'>) {
  mustBeAllowed(actor, 'delivery.replay', replay.clientId);
  return messages.countReplays(replay, MOST_REPLAYS + 1);
}

/** Sends them, the oldest first, at most MOST_REPLAYS. Answers how many. Throws PeopleRefusal. */
export function replayAll(actor: Actor, replay: Replay, { messages, now }: DeliveriesDeps): Promise<number> {
  mustBeAllowed(actor, 'delivery.replay', replay.clientId);
  return messages.askReplays(replay, now(), MOST_REPLAYS);
}

/** Where the log of one application's deliveries is, filtered. */
export const deliveriesPath = (values: Readonly<Record<string, string | undefined>>): string =>
  addressWith('/dashboard/deliveries', values);
