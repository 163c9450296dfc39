/** `kalends user show`: one user, with the health and history of each account. */
import { toDocument, toRows } from '../administration/documents/field.ts';
import { ACCOUNT, type AccountSubject, GRANT, USER } from '../administration/documents/user.ts';
import type { ShownUser } from '../administration/shown-user.ts';
import { readUser } from '../administration/users.ts';
import type { Account } from '../calendars/account-store.ts';
import { instantText } from '../lib/rendered-json.ts';
import { CLIENT_ID } from './client-commands.ts';
import type { Command } from './command.ts';
import { tabulate } from './table.ts';
import { USER_ID, usersDeps, withUser } from './user-argument.ts';

/** The most events per account in text. */
const NEWEST_EVENTS = 5;

export const userShow: Command = {
  name: 'user show',
  summary: 'Show one user with the accounts and their history',
  positionals: [CLIENT_ID, USER_ID],
  notes: [
    'The text has the newest events of each account. --json has all stored events: at most 100 per account, for 90 days.',
  ],
  run: (input, context) =>
    withUser(input, context, async ({ clientId, userId }, storage) => {
      const details = await readUser('command line', { clientId, userId }, usersDeps(storage, context));
      const { user, grants } = details;
      const accounts = details.accounts.map((account) => toSubject(account, details));
      const document = {
        ...toDocument(USER, user),
        accounts: accounts.map((account) => toDocument(ACCOUNT, account)),
        grants: grants.map((grant) => toDocument(GRANT, grant)),
      };
      const lines = [
        ...toRows(USER, user),
        ...grants.map(({ scope, createdAt, refreshedAt }) => [
          'grant',
          `${scope}, since ${instantText(createdAt)}, last used ${instantText(refreshedAt)}`,
        ]),
        ...accounts.flatMap((account) => [...toRows(ACCOUNT, account), ...historyLines(account)]),
      ];
      return { json: document, text: tabulate(lines) };
    }),
};

function toSubject(account: Account, { ownApps, history, updates }: ShownUser): AccountSubject {
  const { accountKey, provider } = account;
  return {
    ...{ account, hasOwnApp: ownApps.has(provider) },
    ...{ updates: updates.get(accountKey), history: history.get(accountKey) ?? [] },
  };
}

const historyLines = ({ history }: AccountSubject): string[][] =>
  history
    .slice(0, NEWEST_EVENTS)
    .map(({ happened, reason, at }) => [
      '  history',
      `${instantText(at)} ${happened}${reason ? `, ${reason}` : ''}`,
    ]);
