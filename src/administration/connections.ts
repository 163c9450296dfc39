/** Unhealthy accounts that an actor may read. The CLI lists the same. */
import type { HealthReason } from '../calendars/health-reason.ts';
import { mustBeAllowed } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';
import type {
  UnhealthyAccount,
  UnhealthyAccounts,
  UnhealthyPosition,
} from '../user-data/unhealthy-accounts.ts';
import { type ListedAccount, MOST_COUNTED, type ReasonGroup } from './user-details.ts';
import { listOwnApps, readableClientIds, type UsersDeps } from './users.ts';

export type ConnectionsDeps = Pick<UsersDeps, 'clients' | 'providerApps'> & {
  readonly ailing: UnhealthyAccounts;
};

/** Returns each reason, the most frequent first, with its newest accounts. Throws PeopleRefusal. */
export async function readConnections(
  actor: Actor,
  { limit }: { readonly limit: number },
  deps: ConnectionsDeps,
): Promise<ReasonGroup[]> {
  mustBeAllowed(actor, 'user.list');
  const clientIds = await readableClientIds(actor, deps);
  const counts = [...(await deps.ailing.countAiling(clientIds, MOST_COUNTED + 1))];
  const groups = counts.map(async ([reason, count]) => {
    const accounts = await deps.ailing.listAiling({ clientIds, reason }, { limit });
    return { reason, count, accounts: await withApps(accounts, deps) };
  });
  return (await Promise.all(groups)).toSorted((one, other) => other.count - one.count);
}

/** Returns a page of the accounts with one reason. Throws PeopleRefusal. */
export async function listConnections(
  actor: Actor,
  page: {
    readonly reason: HealthReason;
    readonly after?: UnhealthyPosition | undefined;
    readonly limit: number;
  },
  deps: ConnectionsDeps,
): Promise<{ readonly accounts: readonly ListedAccount[]; readonly next: UnhealthyPosition | undefined }> {
  mustBeAllowed(actor, 'user.list');
  const { reason, after, limit } = page;
  const clientIds = await readableClientIds(actor, deps);
  const matches = await deps.ailing.listAiling({ clientIds, reason }, { after, limit: limit + 1 });
  const visible = matches.slice(0, limit);
  const last = matches.length > limit ? visible.at(-1) : undefined;
  const next = last && { since: last.health.since, accountKey: last.accountKey };
  return { accounts: await withApps(visible, deps), next };
}

async function withApps(
  accounts: readonly UnhealthyAccount[],
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
