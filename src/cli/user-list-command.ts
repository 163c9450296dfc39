/** `kalends user list`: all users, or those whose names begin with something. */
import { toDocument, toTable } from '../administration/documents/field.ts';
import { FOUND_USER, USER } from '../administration/documents/user.ts';
import { findUsers } from '../administration/users.ts';
import type { UserPlace } from '../user-data/user-directory.ts';
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
  const none = 'There are no users. The first request to /authorize creates one.';
  const columns = ['client_id', 'user_id', 'account_count', 'grant_count', 'last_seen_at'];
  return {
    json: { users: all.map((user) => toDocument(USER, user)) },
    text: all.length === 0 ? none : tabulate(toTable(USER, columns, all)),
  };
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
  const columns = ['client_id', 'user_id', 'account', 'account_count', 'ailing_count', 'last_seen_at'];
  const table = `${tabulate(toTable(FOUND_USER, columns, page.users))}${nextLine(next)}`;
  return {
    json: { users: page.users.map((user) => toDocument(FOUND_USER, user)), next },
    text: page.users.length === 0 ? 'There are no such users.' : table,
  };
}

const isUserPlace = (value: unknown): value is UserPlace =>
  hasMembers(value, { by: 'string' }) &&
  (value.by === 'id'
    ? hasMembers(value, { userId: 'string', clientId: 'string' })
    : value.by === 'address' && hasMembers(value, { address: 'string', accountKey: 'string' }));
