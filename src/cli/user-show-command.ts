/** `kalends user show`: one user, with what happened to each account and what mends it. */
import { toDocument, toRows } from '../administration/documents/field.ts';
import { ACCOUNT, type AccountSubject, GRANT, USER } from '../administration/documents/user.ts';
import type { ShownUser } from '../administration/shown-user.ts';
import { readUser } from '../administration/users.ts';
import type { Account } from '../calendars/account-store.ts';
import { instantText } from '../lib/rendered-json.ts';
import { CLIENT_ID } from './client-commands.ts';
import type { Command } from './command.ts';
import { tabulate } from './table.ts';
import { findUser, USER_ID, usersDeps } from './user-argument.ts';

/** The number of events per account in text. JSON has all. */
const NEWEST_EVENTS = 5;

export const userShow: Command = {
  name: 'user show',
  summary: 'Show one user, the linked accounts and what happened to them',
  positionals: [CLIENT_ID, USER_ID],
  options: [],
  notes: [
    'Text has the newest events of each account, and --json has all that are stored: at most 100 per account, for 90 days.',
  ],
  run: ({ positionals }, context) =>
    context.withStorage(async (storage) => {
      const { clientId, userId } = await findUser(storage, positionals);
      const shown = await readUser('command line', { clientId, userId }, usersDeps(storage, context));
      const accounts = shown.accounts.map((account) => toSubject(account, shown));
      const document = {
        ...toDocument(USER, shown.user),
        accounts: accounts.map((account) => toDocument(ACCOUNT, account)),
        grants: shown.grants.map((grant) => toDocument(GRANT, grant)),
      };
      const lines = [
        ...toRows(USER, shown.user),
        ...shown.grants.map(({ scope, createdAt, refreshedAt }) => [
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
