/** Accounts by health that an actor may read. The CLI lists the same. */
import { mustBeAllowed } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';
import type {
  AccountsByHealth,
  AccountWithHealth,
  ConnectedPosition,
  UnhealthyFilter,
  UnhealthyPosition,
} from '../user-data/accounts-by-health.ts';
import { listReasons, type Turn } from '../user-data/responsible-party.ts';
import { type ListedAccount, MOST_COUNTED, type ReasonGroup } from './user-details.ts';
import { listOwnApps, readableClientIds, type UsersDeps } from './users.ts';

export type ConnectionsDeps = Pick<UsersDeps, 'clients' | 'providerApps'> & {
  readonly accountsByHealth: AccountsByHealth;
};

/** The states whose accounts are listed page by page: all accounts, those that work, and those with a problem. */
export const CONNECTION_STATES = ['connected', 'active', 'degraded', 'reauth_required'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** Selects accounts with a problem, of one application or of all that the actor may read. */
export type ProblemFilter = Pick<UnhealthyFilter, 'reason' | 'provider'> & {
  readonly clientId?: string | undefined;
  readonly turn?: Turn | undefined;
};

/** Selects accounts in a state, or with a problem. For all accounts and those that work, only the application counts. */
export type ConnectionFilter = ProblemFilter & { readonly state?: ConnectionState | undefined };

/** Returns whether a list in this state, or in none, has only accounts with a problem. */
export const hasOnlyProblems = (state: ConnectionState | undefined): state is UnhealthyFilter['state'] =>
  state !== 'connected' && state !== 'active';

/** Returns each reason, the most frequent first, with its newest accounts. Throws PeopleRefusal. */
export async function readConnections(
  actor: Actor,
  { limit, clientId, turn, ...others }: Omit<ProblemFilter, 'reason'> & { readonly limit: number },
  deps: ConnectionsDeps,
): Promise<ReasonGroup[]> {
  const clientIds = await selectedClientIds(actor, clientId, deps);
  const filter = { ...others, clientIds, reasons: turn && listReasons(turn) };
  const counts = [...(await deps.accountsByHealth.countUnhealthy(filter, MOST_COUNTED + 1))];
  const groups = counts.map(async ([reason, count]) => {
    const accounts = await deps.accountsByHealth.listUnhealthy({ ...filter, reason }, { limit });
    return { reason, count, accounts: await withApps(accounts, deps) };
  });
  return (await Promise.all(groups)).toSorted((one, other) => other.count - one.count);
}

/** Returns a page of accounts: those with a problem newest first, others by address. Throws PeopleRefusal. */
export async function listConnections(
  actor: Actor,
  {
    after,
    limit,
    state,
    clientId,
    turn,
    ...filter
  }: ConnectionFilter & {
    readonly after?: (UnhealthyPosition & ConnectedPosition) | undefined;
    readonly limit: number;
  },
  deps: ConnectionsDeps,
) {
  const clientIds = await selectedClientIds(actor, clientId, deps);
  const reasons = turn && listReasons(turn);
  const page = { after, limit: limit + 1 };
  const matches = hasOnlyProblems(state)
    ? await deps.accountsByHealth.listUnhealthy({ ...filter, state, clientIds, reasons }, page)
    : await deps.accountsByHealth.listConnected({ clientIds, isWorking: state === 'active' }, page);
  const accounts = await withApps(matches.slice(0, limit), deps);
  const last = matches.length > limit ? accounts.at(-1) : undefined;
  const next = last && { since: last.health.since, accountKey: last.accountKey, display: last.display };
  return { accounts, next };
}

/** Returns the applications to list: undefined means all, empty that the actor may not read the selected one. */
async function selectedClientIds(
  actor: Actor,
  clientId: string | undefined,
  deps: ConnectionsDeps,
): Promise<readonly string[] | undefined> {
  mustBeAllowed(actor, 'user.list');
  const readable = await readableClientIds(actor, deps);
  if (clientId === undefined) return readable;
  return readable === undefined || readable.includes(clientId) ? [clientId] : [];
}

async function withApps(
  accounts: readonly AccountWithHealth[],
  deps: ConnectionsDeps,
): Promise<ListedAccount[]> {
  const clientIds = [...new Set(accounts.map(({ clientId }) => clientId))];
  const apps = new Map(
    await Promise.all(
      clientIds.map(async (clientId) => [clientId, await listOwnApps(clientId, deps)] as const),
    ),
  );
  return accounts.map((account) => ({
    ...account,
    hasOwnApp: apps.get(account.clientId)?.has(account.provider) === true,
  }));
}
