/** The actions on users in the dashboard, and who may take them. The command line uses the same functions. */

import { APP_KINDS, type ProviderAppStore } from '../access/provider-apps.ts';
import type { By } from '../audit/audit-entry.ts';
import type { Account, AccountStore } from '../calendars/account-store.ts';
import type { HealthHistory } from '../calendars/health-history.ts';
import {
  createReconnectLink,
  type ReconnectLink,
  type ReconnectLinkDeps,
} from '../connect/accounts/reconnect-link.ts';
import type { ClientStore } from '../oauth/client-store.ts';
import type { TokenFamilyStore } from '../oauth/token-family-store.ts';
import type { UserStore, UserSummary } from '../oauth/user-store.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { may, mustBeAllowed, type Permission } from '../people/permission.ts';
import type { Actor } from '../people/person.ts';
import type { AccountCalendars, CalendarPlace } from '../user-data/account-calendars.ts';
import { type DeletionReceipt, deleteUser } from '../user-data/delete-user.ts';
import { exportUser } from '../user-data/export-user.ts';
import type { UserDirectory, UserPage, UserPlace } from '../user-data/user-directory.ts';
import type { UserRecords } from '../user-data/user-records.ts';
import type { WatchStore } from '../watches/watch-store.ts';
import { readApplication, readableApplications } from './applications.ts';
import type { ShownAccount, ShownUser, UserAccountPage } from './user-details.ts';

export type UsersDeps = Pick<ReconnectLinkDeps, 'requests' | 'sealer'> & {
  readonly clients: ClientStore;
  readonly users: UserStore;
  readonly accounts: AccountStore;
  readonly families: Pick<TokenFamilyStore, 'endGrantsOf'>;
  readonly userRecords: UserRecords;
  readonly userDirectory: UserDirectory;
  readonly healthHistory: Pick<HealthHistory, 'listHealthEvents'>;
  readonly accountCalendars: AccountCalendars;
  readonly watches: Pick<WatchStore, 'listUpdates'>;
  readonly providerApps: Pick<ProviderAppStore, 'listProviderApps'>;
  /** Removes deleted data from the disk. Returns false if that happens later. */
  readonly clearLog: () => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export type UserOfClient = { readonly clientId: string; readonly userId: string };

/** Returns the applications whose users the actor may read. `undefined` means all. */
export async function readableClientIds(
  actor: Actor,
  deps: Pick<UsersDeps, 'clients'>,
): Promise<readonly string[] | undefined> {
  if (actor === 'command line' || actor.role !== 'developer') return undefined;
  return (await readableApplications(actor, deps)).map(({ clientId }) => clientId);
}

export type SoughtUsers = {
  /** The application to search; if absent, all that the actor may read. */
  readonly clientId?: string | undefined;
  readonly beginning: string;
  readonly after?: UserPlace | undefined;
  readonly limit: number;
};

/**
 * Finds users. Members who may not read names find only whole names, because a search by prefix would reveal them.
 * Throws PeopleRefusal.
 */
export async function findUsers(
  actor: Actor,
  { clientId, beginning, after, limit }: SoughtUsers,
  deps: Pick<UsersDeps, 'clients' | 'userDirectory'>,
): Promise<UserPage> {
  mustBeAllowed(actor, 'user.list');
  if (clientId !== undefined) mustBeAllowed(actor, 'user.read', clientId);
  const clientIds = clientId === undefined ? await readableClientIds(actor, deps) : [clientId];
  const isWhole = actor !== 'command line' && actor.role === 'viewer' && beginning !== '';
  return deps.userDirectory.findUsers({ clientIds, beginning, isWhole }, { after, limit });
}

/** Returns the user. Throws PeopleRefusal `not_there`, also if the actor may not read the application. */
async function requireUser(
  actor: Actor,
  { needs, clientId, userId }: UserOfClient & { readonly needs: Permission },
  { users }: Pick<UsersDeps, 'users'>,
): Promise<UserSummary> {
  mustBeAllowed(actor, needs, clientId);
  const user = await users.findUser(clientId, userId);
  if (user === undefined) throw new PeopleRefusal('not_there');
  return user;
}

/** Returns a user with accounts and grants. Throws PeopleRefusal. */
export async function readUser(actor: Actor, of: UserOfClient, deps: UsersDeps): Promise<ShownUser> {
  const client = await readApplication(actor, of.clientId, deps);
  const user = await requireUser(actor, { ...of, needs: 'user.read' }, deps);
  const { clientId, userId } = of;
  const [accounts, events, updates, grants, ownApps] = await Promise.all([
    deps.accounts.listAccounts(clientId, userId),
    deps.healthHistory.listHealthEvents(clientId, userId),
    deps.watches.listUpdates(clientId, userId, deps.now()),
    deps.users.livingGrantsOf(clientId, userId),
    listOwnApps(clientId, deps),
  ]);
  return {
    ...{ client, user, accounts, grants, ownApps },
    history: Map.groupBy(events, ({ accountKey }) => accountKey),
    updates: new Map(updates.map((one) => [one.accountKey, one])),
  };
}

const ACCOUNTS_ON_A_PAGE = 20;
/** The first accounts of a page have their calendars and history. */
const DETAILED_ACCOUNTS = 3;
/** Calendars of all accounts on a page together, and as many entries of their history. */
const ROWS_ON_A_PAGE = 6;
const URGENCY = ['reauth_required', 'degraded', 'active'];

/** Lists accounts of a user that the actor may read: `first`, then those with problems. `page` counts from 1. */
export async function listUserAccounts(
  { accounts, history }: ShownUser,
  { page, first }: { readonly page: number; readonly first?: string | undefined },
  { accountCalendars, now }: Pick<UsersDeps, 'accountCalendars' | 'now'>,
): Promise<UserAccountPage> {
  const rank = ({ accountKey, health }: Account) =>
    accountKey === first ? -1 : URGENCY.indexOf(health.state);
  const ordered = accounts.toSorted((one, other) => rank(one) - rank(other));
  const end = page * ACCOUNTS_ON_A_PAGE;
  const listed = ordered.slice(end - ACCOUNTS_ON_A_PAGE, end);
  const detailed = listed.slice(0, DETAILED_ACCOUNTS);
  const limit = Math.floor(ROWS_ON_A_PAGE / detailed.length);
  const read = async (account: Account) => {
    const calendars = await accountCalendars.listCalendars(account.accountKey, { limit, now: now() });
    return { account, calendars, history: (history.get(account.accountKey) ?? []).slice(0, limit) };
  };
  return {
    accounts: await Promise.all(detailed.map(read)),
    further: listed.slice(DETAILED_ACCOUNTS),
    next: ordered.length > end ? page + 1 : undefined,
  };
}

/** Returns the providers at which the application has its own app. */
export async function listOwnApps(
  clientId: string,
  { providerApps }: Pick<UsersDeps, 'providerApps'>,
): Promise<ReadonlySet<string>> {
  const apps = await providerApps.listProviderApps(clientId);
  return new Set(APP_KINDS.filter((kind) => apps[kind] !== undefined));
}

export type AccountPage = UserOfClient & {
  readonly accountKey: string;
  readonly after?: CalendarPlace | undefined;
  readonly limit: number;
};

/** Returns an account with a page of its calendars. Throws PeopleRefusal. */
export async function readAccount(actor: Actor, page: AccountPage, deps: UsersDeps): Promise<ShownAccount> {
  const { accounts, ...shown } = await readUser(actor, page, deps);
  const account = accounts.find(({ accountKey }) => accountKey === page.accountKey);
  if (account === undefined) throw new PeopleRefusal('not_there');
  const { after, limit } = page;
  const read = { after, limit: limit + 1, now: deps.now() };
  const matches = await deps.accountCalendars.listCalendars(account.accountKey, read);
  const calendars = matches.slice(0, limit);
  return { ...shown, account, calendars, next: matches.length > limit ? calendars.at(-1) : undefined };
}

/** Brings the syncs of the user's accounts forward, or of one of them; returns how many. Throws PeopleRefusal. */
export async function syncUser(
  actor: Actor,
  of: UserOfClient & { readonly accountKey?: string | undefined },
  { users, accounts, now, by }: Pick<UsersDeps, 'users' | 'accounts' | 'now'> & By,
): Promise<number> {
  await requireUser(actor, { ...of, needs: 'user.change' }, { users });
  return accounts.requestSync(of, now(), by);
}

/** Ends all of the user's grants; returns how many. They have ended when it returns. Throws PeopleRefusal. */
export async function revokeUser(
  actor: Actor,
  of: UserOfClient,
  { users, families, now, by }: Pick<UsersDeps, 'users' | 'families' | 'now'> & By,
): Promise<number> {
  await requireUser(actor, { ...of, needs: 'user.change' }, { users });
  return families.endGrantsOf(of.clientId, of.userId, { now: now(), by });
}

/** Disconnects the account, deletes all of its data, and returns it. Throws PeopleRefusal `not_there`. */
export async function disconnectAccount(
  actor: Actor,
  of: UserOfClient & { readonly accountKey: string },
  { users, accounts, now, by }: Pick<UsersDeps, 'users' | 'accounts' | 'now'> & By,
): Promise<Account> {
  await requireUser(actor, { ...of, needs: 'user.change' }, { users });
  const linked = await accounts.listAccounts(of.clientId, of.userId);
  const account = linked.find(({ accountKey }) => accountKey === of.accountKey);
  if (account === undefined || !(await accounts.removeAccount(of.accountKey, now(), by)))
    throw new PeopleRefusal('not_there');
  return account;
}

/** Returns all stored data about the user, in pieces of one JSON document. Throws PeopleRefusal. */
export async function readUserDocument(
  actor: Actor,
  of: UserOfClient,
  deps: Pick<UsersDeps, 'users' | 'userRecords' | 'now'> & By,
): Promise<AsyncIterable<string>> {
  await requireUser(actor, { ...of, needs: 'user.change' }, deps);
  const pieces = await exportUser(of, deps);
  if (pieces === undefined) throw new PeopleRefusal('not_there');
  return pieces;
}

/** Deletes a user permanently and returns a receipt. Throws PeopleRefusal. */
export async function deleteUserPermanently(
  actor: Actor,
  of: UserOfClient,
  deps: Pick<UsersDeps, 'users' | 'clearLog' | 'now'> & By,
): Promise<DeletionReceipt> {
  await requireUser(actor, { ...of, needs: 'user.change' }, deps);
  const receipt = await deleteUser(of, deps);
  if (receipt === undefined) throw new PeopleRefusal('not_there');
  return receipt;
}

/** Creates a reconnect link for the account. Throws PeopleRefusal, and ApiError if no link is possible. */
export async function linkToReconnect(
  actor: Actor,
  { accountKey, ...user }: UserOfClient & { readonly accountKey: string },
  deps: ReconnectLinkDeps & Pick<UsersDeps, 'users'> & By,
): Promise<ReconnectLink> {
  await requireUser(actor, { ...user, needs: 'user.change' }, deps);
  const isRequested = (account: Account) => account.accountKey === accountKey;
  return createReconnectLink({ ...user, isRequested, by: deps.by }, deps);
}

export const mayChange = (actor: Actor, clientId: string): boolean => may(actor, 'user.change', clientId);
