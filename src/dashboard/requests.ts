/** The request lists of the dashboard, and the context of one request. */
import type { Client } from '../oauth/client.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { mustBeAllowed } from '../people/permission.ts';
import type { Person } from '../people/person.ts';
import type { RequestEntry } from '../request-log/request-entry.ts';
import { parseStatus } from '../request-log/request-filter.ts';
import type { RequestFilter, RequestLog, RequestPlace } from '../request-log/request-log.ts';
import type { MessageLog } from '../webhooks/message-log.ts';
import {
  type FilterProblem,
  listedApplications,
  oneApplication,
  type Query,
  readRange,
} from './log-filter.ts';
import type { RequestPath } from './pages/request.page.ts';
import { REQUEST_FILTERS } from './pages/requests.page.ts';

export type RequestsDeps = {
  readonly requestLog: RequestLog;
  readonly messages: MessageLog;
  readonly now: () => number;
};

type RequestQuery = Query<(typeof REQUEST_FILTERS)[number]>;

/** Returns the status to list. A list without any filter shows errors; `all` and other filters show every status. */
export const readStatus = (query: RequestQuery): string =>
  query('status') ||
  (REQUEST_FILTERS.every((name) => name === 'client' || query(name) === '') ? 'errors' : 'all');

export type ReadRequests = {
  /** Undefined if nothing can match: such a user has no requests. */
  readonly filter: RequestFilter | undefined;
  readonly problems: readonly FilterProblem[];
};

/** As the log names users (audit/user-subject.ts). */
const USER_HASH = /^user_[\w-]{16}$/;

/**
 * Reads the filter. `clients` are those that the member may read. A user is given by id within an application, or by
 * hash.
 */
export async function readRequestFilter(
  person: Person,
  { query, clients }: { readonly query: RequestQuery; readonly clients: readonly Client[] },
  { requestLog, now }: Pick<RequestsDeps, 'requestLog' | 'now'>,
): Promise<ReadRequests> {
  const { range, problems: wrongTimes } = readRange(query, now());
  const status = parseStatus(readStatus(query));
  const typed = query('user');
  const client = oneApplication(query, clients);
  const isNameless = typed !== '' && client === undefined && !USER_HASH.test(typed) && query('client') === '';
  const problems: FilterProblem[] = [
    ...wrongTimes,
    ...(status === undefined ? (['filter.wrong.status'] as const) : []),
    ...(isNameless ? (['filter.wrong.client'] as const) : []),
  ];
  const user = typed === '' ? undefined : await userIn(typed, client, requestLog);
  if (problems.length > 0 || (typed !== '' && user === undefined)) return { filter: undefined, problems };
  const [route, requestId] = [query('route') || undefined, query('request') || undefined];
  const clientIds = listedApplications(person, query);
  return { filter: { clientIds, ...status, ...range, route, requestId, user }, problems };
}

async function userIn(
  typed: string,
  client: Client | undefined,
  requestLog: RequestLog,
): Promise<string | undefined> {
  const userReference = client && (await requestLog.userOf(client.clientId, typed));
  return userReference ?? (USER_HASH.test(typed) ? typed : undefined);
}

/** Parses the position of the next page. Undefined if the text is not such a position. */
export function parseRequestPosition(text: string): RequestPlace | undefined {
  const [, at, requestId] = /^(\d{1,15})_([\x21-\x7e]{1,200})$/.exec(text) ?? [];
  return requestId === undefined ? undefined : { at: Number(at), requestId };
}

export const formatRequestPosition = ({ at, requestId }: RequestPlace): string => `${at}_${requestId}`;

/** Returns a request that the member may see. Throws PeopleRefusal. */
export async function findRequest(
  person: Person,
  requestId: string,
  { requestLog }: Pick<RequestsDeps, 'requestLog'>,
): Promise<RequestEntry> {
  mustBeAllowed(person, 'request.list');
  const clientIds = listedApplications(person, () => '');
  const [entry] = await requestLog.listRequests({ requestId, clientIds }, { limit: 1 });
  if (entry === undefined) throw new PeopleRefusal('not_there');
  return entry;
}

/** The period before and after the request, in milliseconds. */
const AROUND_MS = 60_000;
/** Limits when a delivery counts as caused by a request. Deliveries usually start within a second. */
export const CAUSED_WITHIN_MS = 10_000;
const MOST_SHOWN = 20;
const MOST_LOOKED_THROUGH = 200;

/**
 * Finds what happened around a request. The log has only hashes of user ids, so each delivery's user is hashed and
 * compared. Finds nothing if the request has no user.
 */
export async function pathOfRequest(
  { at, clientId, user, requestId }: RequestEntry,
  { requestLog, messages }: Omit<RequestsDeps, 'now'>,
): Promise<RequestPath | undefined> {
  if (clientId === undefined || user === undefined) return undefined;
  const around = { clientIds: [clientId], user, from: at - AROUND_MS, to: at + AROUND_MS };
  const [requests, candidates] = await Promise.all([
    requestLog.listRequests(around, { limit: MOST_SHOWN + 1 }),
    messages.listMessages(
      { clientId, from: at, to: at + CAUSED_WITHIN_MS },
      { after: undefined, limit: MOST_LOOKED_THROUGH },
    ),
  ]);
  const userIds = [...new Set(candidates.map(({ userId }) => userId))];
  const hashes = await Promise.all(userIds.map((userId) => requestLog.userOf(clientId, userId)));
  const ownUserIds = new Set(userIds.filter((_, index) => hashes[index] === user));
  return {
    requests: requests.filter((one) => one.requestId !== requestId).slice(0, MOST_SHOWN),
    deliveries: candidates.filter(({ userId }) => ownUserIds.has(userId)).slice(0, MOST_SHOWN),
    isPartial: candidates.length === MOST_LOOKED_THROUGH,
  };
}
