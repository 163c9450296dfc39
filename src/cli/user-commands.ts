/** `kalends user …`: the applications' users, what they linked and what was granted for them. */
import type { Account } from '../calendars/account-store.ts';
import type { UserSummary } from '../oauth/user-store.ts';
import { CLIENT_ID, unknownClient } from './client-commands.ts';
import type { Command } from './command.ts';
import { tabulate } from './table.ts';
import { findUser, USER_ID } from './user-argument.ts';
import { userDelete } from './user-delete-command.ts';
import { userExport } from './user-export-command.ts';

const list: Command = {
  name: 'user list',
  summary: 'List the users of one application, or of all',
  positionals: [{ ...CLIENT_ID, optional: true }],
  options: [],
  run: ({ positionals }, { withStorage }) =>
    withStorage(async ({ clients, users }) => {
      const only = positionals.CLIENT_ID;
      if (only !== undefined && (await clients.findClient(only)) === undefined) throw unknownClient(only);
      const clientIds =
        only === undefined ? (await clients.listClients()).map(({ clientId }) => clientId) : [only];
      const all = (await Promise.all(clientIds.map((clientId) => users.listUsers(clientId)))).flat();
      const rows = all.map(({ clientId, userId, accounts, grants, lastSeenAt }) => [
        clientId,
        userId,
        String(accounts),
        String(grants),
        new Date(lastSeenAt).toISOString(),
      ]);
      const none = 'There are no users yet: the first call of /authorize makes one.';
      const table = tabulate([['CLIENT_ID', 'USER_ID', 'ACCOUNTS', 'GRANTS', 'LAST SEEN'], ...rows]);
      return { json: { users: all.map(documentOf) }, text: all.length === 0 ? none : table };
    }),
};

const show: Command = {
  name: 'user show',
  summary: 'Show one user and the linked accounts',
  positionals: [CLIENT_ID, USER_ID],
  options: [],
  run: ({ positionals }, { withStorage }) =>
    withStorage(async (storage) => {
      const user = await findUser(storage, positionals);
      const accounts = await storage.accounts.listAccounts(user.clientId, user.userId);
      const rows = [
        ['client_id', user.clientId],
        ['user_id', user.userId],
        ['created', new Date(user.createdAt).toISOString()],
        ['last seen', new Date(user.lastSeenAt).toISOString()],
        ['living grants', String(user.grants)],
        ...accounts.map(({ provider, display, health }) => [
          'account',
          `${provider}: ${display} (${health.state}${health.reason ? `, ${health.reason}` : ''})`,
        ]),
      ];
      const document = { ...documentOf(user), accounts: accounts.map(accountDocumentOf) };
      return { json: document, text: tabulate(rows) };
    }),
};

const revoke: Command = {
  name: 'user revoke',
  summary: 'End every grant of a user: its tokens are refused at once',
  positionals: [CLIENT_ID, USER_ID],
  options: [],
  notes: [
    'A code that waits to be exchanged is withdrawn. Linked accounts stay; after the next authorization the application reads them again.',
  ],
  run: ({ positionals }, { withStorage, deps }) =>
    withStorage(async (storage) => {
      const user = await findUser(storage, positionals);
      const ended = await storage.families.endGrantsOf(user.clientId, user.userId, deps.now());
      return {
        json: { client_id: user.clientId, user_id: user.userId, ended_grants: ended },
        text: `Ended ${ended} grant(s) of ${user.userId}.`,
      };
    }),
};

export const userCommands: readonly Command[] = [list, show, userExport, revoke, userDelete];

function documentOf(user: UserSummary): object {
  return {
    client_id: user.clientId,
    user_id: user.userId,
    account_count: user.accounts,
    grant_count: user.grants,
    created_at: new Date(user.createdAt).toISOString(),
    last_seen_at: new Date(user.lastSeenAt).toISOString(),
  };
}

function accountDocumentOf({ provider, accountId, display, health, linkedAt }: Account): object {
  return {
    provider,
    id: accountId,
    display,
    state: health.state,
    reason: health.reason ?? null,
    linked_at: new Date(linkedAt).toISOString(),
  };
}
