/** `kalends user list`: all users, or a page of a search. */
import { FOUND_USER, USER } from '../administration/documents/user.ts';
import { findUsers } from '../administration/users.ts';
import type { UserPlace } from '../user-data/user-directory.ts';
import { CLIENT_ID, requireClient } from './client-commands.ts';
import type { Command, Input, Result, Storage } from './command.ts';
import { text } from './option-values.ts';
import { hasMembers, limitIn, listResult, PAGE_OPTIONS, positionIn, toNext } from './page-options.ts';

export const userList: Command = {
  name: 'user list',
  summary: 'List the users of one application, or of all',
  positionals: [{ ...CLIENT_ID, optional: true }],
  options: [
    {
      name: 'search',
      value: 'BEGINNING',
      doc: "Users whose id, or whose account's name or address, begins with this text.",
    },
    ...PAGE_OPTIONS,
  ],
  notes: [
    'Without these options, the list has all users, oldest first. With one, it has one page, in the order of user ids: use this if there are very many users.',
  ],
  run: ({ positionals, options }, { withStorage }) =>
    withStorage(async (storage) => {
      const clientId = positionals.CLIENT_ID;
      if (clientId !== undefined) await requireClient(clientId, storage.clients);
      const isPaged = ['search', 'limit', 'after'].some((name) => name in options);
      return isPaged ? foundUsers(clientId, options, storage) : allUsers(clientId, storage);
    }),
};

async function allUsers(only: string | undefined, { clients, users }: Storage): Promise<Result> {
  const clientIds =
    only === undefined ? (await clients.listClients()).map(({ clientId }) => clientId) : [only];
  const all = (await Promise.all(clientIds.map((clientId) => users.listUsers(clientId)))).flat();
  return listResult({
    name: 'users',
    fields: USER,
    columns: ['client_id', 'user_id', 'account_count', 'grant_count', 'last_seen_at'],
    subjects: all,
    none: 'There are no users. The first request to /authorize creates one.',
  });
}

async function foundUsers(
  clientId: string | undefined,
  options: Input['options'],
  storage: Storage,
): Promise<Result> {
  const search = {
    ...{ clientId, beginning: text(options.search) ?? '' },
    ...{ after: positionIn(options, isUserPlace), limit: limitIn(options) },
  };
  const page = await findUsers('command line', search, storage);
  return listResult({
    name: 'users',
    fields: FOUND_USER,
    columns: ['client_id', 'user_id', 'account', 'account_count', 'ailing_count', 'last_seen_at'],
    subjects: page.users,
    none: 'There are no such users.',
    next: toNext(page.next),
  });
}

const isUserPlace = (value: unknown): value is UserPlace =>
  hasMembers(value, { by: 'string' }) &&
  (value.by === 'id'
    ? hasMembers(value, { userId: 'string', clientId: 'string' })
    : value.by === 'address' && hasMembers(value, { address: 'string', accountKey: 'string' }));
