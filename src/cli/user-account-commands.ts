/** `kalends user sync|disconnect|calendars|reconnect-link`: actions on the accounts of a user. */
import { CALENDAR } from '../administration/documents/calendar.ts';
import { disconnectAccount, readAccount, reconnectLink, syncUser } from '../administration/users.ts';
import type { Account } from '../calendars/account-store.ts';
import type { CalendarPlace } from '../user-data/account-calendars.ts';
import { CLIENT_ID, requireClient } from './client-commands.ts';
import { type Command, CommandError, type Positional, type Storage } from './command.ts';
import { confirm, YES } from './confirm.ts';
import { hasMembers, limitIn, listResult, PAGE_OPTIONS, positionIn, toNext } from './page-options.ts';
import { type NamedUser, USER_ID, usersDeps, withUser } from './user-argument.ts';

const ACCOUNT: Positional = {
  name: 'ACCOUNT',
  doc: 'The key, id or name of the account, see `user show`.',
};

const sync: Command = {
  name: 'user sync',
  summary: 'Sync the calendars of a user now, or those of one account',
  positionals: [CLIENT_ID, USER_ID, { ...ACCOUNT, optional: true }],
  notes: ['A running server starts the sync within seconds.'],
  run: (input, context) =>
    withUser(input, context, async ({ clientId, userId }, storage) => {
      const name = input.positionals.ACCOUNT;
      const account = name === undefined ? undefined : await findAccount({ clientId, userId }, name, storage);
      const target = { clientId, userId, accountKey: account?.accountKey };
      const count = await syncUser('command line', target, usersDeps(storage, context));
      return {
        json: { client_id: clientId, user_id: userId, accounts: count },
        text: `A sync of ${count} account(s) of ${userId} is due now.`,
      };
    }),
};

const disconnect: Command = {
  name: 'user disconnect',
  summary: 'Disconnect an account of a user: its calendars and credentials are deleted',
  positionals: [CLIENT_ID, USER_ID, ACCOUNT],
  options: [YES],
  notes: ['The application receives `connection.disconnected`. The user can connect the account again.'],
  run: (input, context) =>
    withUser(input, context, async ({ clientId, userId }, storage) => {
      const { accountKey, provider, display, accountId } = await findAccount(
        { clientId, userId },
        input.positionals.ACCOUNT ?? '',
        storage,
      );
      await confirm(`Disconnecting ${display} of ${userId}`, input, context);
      await disconnectAccount('command line', { clientId, userId, accountKey }, usersDeps(storage, context));
      const account = { provider, key: accountKey, id: accountId };
      return {
        json: { disconnected: true, client_id: clientId, user_id: userId, account },
        text: `Disconnected ${display} of ${userId}.`,
      };
    }),
};

const calendars: Command = {
  name: 'user calendars',
  summary: 'List the calendars of an account, with their syncs and watches',
  positionals: [CLIENT_ID, USER_ID, ACCOUNT],
  options: [...PAGE_OPTIONS],
  run: (input, context) =>
    withUser(input, context, async ({ clientId, userId }, storage) => {
      const { positionals, options } = input;
      const { accountKey } = await findAccount({ clientId, userId }, positionals.ACCOUNT ?? '', storage);
      const page = { after: positionIn(options, isCalendarPlace), limit: limitIn(options) };
      const target = { clientId, userId, accountKey, ...page };
      const { calendars: subjects, next } = await readAccount(
        'command line',
        target,
        usersDeps(storage, context),
      );
      return listResult({
        name: 'calendars',
        fields: CALENDAR,
        columns: ['title', 'event_count', 'synced_at', 'next_at', 'pushed_until', 'failure'],
        subjects,
        none: 'No calendar of this account was read yet.',
        next: toNext(next && { position: next.position, calendarKey: next.calendarKey }),
      });
    }),
};

const link: Command = {
  name: 'user reconnect-link',
  summary: 'Print the link with which a user connects an account again',
  positionals: [CLIENT_ID, USER_ID],
  notes: [
    'Send the link only to the user. It ends at the redirect URI of the application with `state=reconnect`.',
  ],
  run: (input, context) =>
    withUser(input, context, async ({ clientId, userId }, storage) => {
      const client = await requireClient(clientId, storage.clients);
      const url = reconnectLink(client, userId, usersDeps(storage, context));
      if (url !== undefined) return { json: { client_id: clientId, user_id: userId, url }, text: url };
      throw new CommandError(
        'refused',
        'The application must push its authorization requests: ask the user to start in the application.',
      );
    }),
};

export const userAccountCommands: readonly Command[] = [sync, calendars, link, disconnect];

/** Returns an account by its key, id or name. Throws CommandError if none or several match. */
async function findAccount(
  { clientId, userId }: NamedUser,
  name: string,
  { accounts }: Pick<Storage, 'accounts'>,
): Promise<Account> {
  const linked = await accounts.listAccounts(clientId, userId);
  const byKey = linked.filter(({ accountKey }) => accountKey === name);
  const matches =
    byKey.length > 0
      ? byKey
      : linked.filter(({ accountId, display }) => accountId === name || display === name);
  const [account, another] = matches;
  if (account === undefined)
    throw new CommandError(
      'not_found',
      `The user has no account "${name}"; "kalends user show" lists the accounts.`,
    );
  if (another !== undefined)
    throw new CommandError(
      'ambiguous',
      `The user has ${matches.length} accounts "${name}"; use the key that "kalends user show" prints.`,
    );
  return account;
}

const isCalendarPlace = (value: unknown): value is CalendarPlace =>
  hasMembers(value, { position: 'number', calendarKey: 'string' });
