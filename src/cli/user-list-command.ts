/** `kalends user list`: all users, or those whose names begin with something. */
import { findUsers } from '../dashboard/users.ts';
import { instantText } from '../lib/rendered-json.ts';
import type { UserSummary } from '../oauth/user-store.ts';
import type { FoundUser, UserPlace } from '../user-data/user-directory.ts';
import { CLIENT_ID, unknownClient } from './client-commands.ts';
import type { Command, Input, Result, Storage } from './command.ts';
import { text } from './option-values.ts';
import { hasMembers, limitIn, nextLine, nextOf, PAGE_OPTIONS, placeIn } from './page-options.ts';
import { tabulate } from './table.ts';

/** Lists users whole, or a page of those that are sought. */
export const userList: Command = {
  name: 'user list',
  summary: 'List the users of one application, or of all',
  positionals: [{ ...CLIENT_ID, optional: true }],
  options: [
    {
      name: 'search',
      value: 'BEGINNING',
      doc: "Whose id, or an account's name or address, begins with that.",
    },
    ...PAGE_OPTIONS,
  ],
  notes: [
    'Without any of these options all users are listed, the oldest first. With one, users are read page by page in the order of their ids: so where there are very many.',
  ],
  run: ({ positionals, options }, { withStorage }) =>
    withStorage(async (storage) => {
      const clientId = positionals.CLIENT_ID;
      if (clientId !== undefined && (await storage.clients.findClient(clientId)) === undefined)
        throw unknownClient(clientId);
      const isPaged = ['search', 'limit', 'after'].some((name) => name in options);
      return isPaged ? foundUsers(clientId, options, storage) : allUsers(clientId, storage);
    }),
};

async function allUsers(only: string | undefined, { clients, users }: Storage): Promise<Result> {
  const clientIds =
    only === undefined ? (await clients.listClients()).map(({ clientId }) => clientId) : [only];
  const all = (await Promise.all(clientIds.map((clientId) => users.listUsers(clientId)))).flat();
  const rows = all.map(({ clientId, userId, accounts, grants, lastSeenAt }) => [
    clientId,
    userId,
    String(accounts),
    String(grants),
    instantText(lastSeenAt),
  ]);
  const none = 'There are no users yet: the first call of /authorize makes one.';
  const table = tabulate([['CLIENT_ID', 'USER_ID', 'ACCOUNTS', 'GRANTS', 'LAST SEEN'], ...rows]);
  return { json: { users: all.map(userDocument) }, text: all.length === 0 ? none : table };
}

async function foundUsers(
  clientId: string | undefined,
  options: Input['options'],
  storage: Storage,
): Promise<Result> {
  const sought = {
    ...{ clientId, beginning: text(options.search) ?? '' },
    ...{ after: placeIn(options, isUserPlace), limit: limitIn(options) },
  };
  const page = await findUsers('command line', sought, storage);
  const next = nextOf(page.next);
  const rows = page.users.map((user) => [
    ...[user.clientId, user.userId, user.address ?? '', String(user.accounts)],
    ...[String(user.ailing), instantText(user.lastSeenAt)],
  ]);
  const head = ['CLIENT_ID', 'USER_ID', 'ACCOUNT', 'ACCOUNTS', 'NOT WORKING', 'LAST SEEN'];
  const table = `${tabulate([head, ...rows])}${nextLine(next)}`;
  return {
    json: { users: page.users.map(foundDocument), next },
    text: page.users.length === 0 ? 'There are no such users.' : table,
  };
}

const isUserPlace = (value: unknown): value is UserPlace =>
  hasMembers(value, { by: 'string' }) &&
  (value.by === 'id'
    ? hasMembers(value, { userId: 'string', clientId: 'string' })
    : value.by === 'address' && hasMembers(value, { address: 'string', accountKey: 'string' }));

/** A user as documents have one. */
export const userDocument = (user: UserSummary) => ({
  client_id: user.clientId,
  user_id: user.userId,
  account_count: user.accounts,
  grant_count: user.grants,
  created_at: instantText(user.createdAt),
  last_seen_at: instantText(user.lastSeenAt),
});

const foundDocument = ({ clientId, userId, address, ...user }: FoundUser) => ({
  client_id: clientId,
  user_id: userId,
  account: address ?? null,
  account_count: user.accounts,
  ailing_count: user.ailing,
  created_at: instantText(user.createdAt),
  last_seen_at: instantText(user.lastSeenAt),
});
