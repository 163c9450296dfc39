/** `kalends user sync|disconnect|calendars|reconnect-link`: what is done with a user's accounts. */

import { disconnectAccount, readAccount, reconnectLink, syncUser } from '../administration/users.ts';
import type { Account } from '../calendars/account-store.ts';
import { instantText } from '../lib/rendered-json.ts';
import { type CalendarPlace, failureText, type SyncedCalendar } from '../user-data/account-calendars.ts';
import { CLIENT_ID, unknownClient } from './client-commands.ts';
import { type Command, CommandError, type Positional, type Storage } from './command.ts';
import { confirm, YES } from './confirm.ts';
import { hasMembers, limitIn, nextLine, nextOf, PAGE_OPTIONS, placeIn } from './page-options.ts';
import { tabulate } from './table.ts';
import { findUser, type NamedUser, USER_ID, usersDeps } from './user-argument.ts';

const ACCOUNT: Positional = {
  name: 'ACCOUNT',
  doc: 'The account\'s key, id or name, as "kalends user show" has them.',
};

const sync: Command = {
  name: 'user sync',
  summary: "Have the calendars of a user's accounts read now, or those of one",
  positionals: [CLIENT_ID, USER_ID, { ...ACCOUNT, optional: true }],
  options: [],
  notes: ['A running server does it within seconds.'],
  run: ({ positionals }, context) =>
    context.withStorage(async (storage) => {
      const user = await findUser(storage, positionals);
      const named = positionals.ACCOUNT;
      const accountKey =
        named === undefined ? undefined : (await findAccount(user, named, storage)).accountKey;
      const of = { clientId: user.clientId, userId: user.userId, accountKey };
      const count = await syncUser('command line', of, usersDeps(storage, context));
      return {
        json: { client_id: user.clientId, user_id: user.userId, accounts: count },
        text: `A sync of ${count} account(s) of ${user.userId} is due now.`,
      };
    }),
};

const disconnect: Command = {
  name: 'user disconnect',
  summary: 'Disconnect an account of a user: its calendars and credentials are deleted',
  positionals: [CLIENT_ID, USER_ID, ACCOUNT],
  options: [YES],
  notes: ['The application is told. The user can connect the account again.'],
  run: (input, context) =>
    context.withStorage(async (storage) => {
      const { clientId, userId } = await findUser(storage, input.positionals);
      const found = await findAccount({ clientId, userId }, input.positionals.ACCOUNT ?? '', storage);
      const { accountKey, provider, display, accountId } = found;
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
  summary: 'List the calendars of an account, when each was synced and how its changes come in',
  positionals: [CLIENT_ID, USER_ID, ACCOUNT],
  options: [...PAGE_OPTIONS],
  run: ({ positionals, options }, context) =>
    context.withStorage(async (storage) => {
      const { clientId, userId } = await findUser(storage, positionals);
      const { accountKey } = await findAccount({ clientId, userId }, positionals.ACCOUNT ?? '', storage);
      const page = { after: placeIn(options, isCalendarPlace), limit: limitIn(options) };
      const of = { clientId, userId, accountKey, ...page };
      const shown = await readAccount('command line', of, usersDeps(storage, context));
      const place = shown.next && { position: shown.next.position, calendarKey: shown.next.calendarKey };
      const next = nextOf(place);
      const head = ['TITLE', 'EVENTS', 'SYNCED', 'NEXT', 'PUSHED UNTIL', 'FAILED OF'];
      const table = `${tabulate([head, ...shown.calendars.map(calendarRow)])}${nextLine(next)}`;
      const none = 'No calendar of this account was read yet.';
      return {
        json: { calendars: shown.calendars.map(calendarDocument), next },
        text: shown.calendars.length === 0 ? none : table,
      };
    }),
};

const link: Command = {
  name: 'user reconnect-link',
  summary: 'Print what a user opens to connect an account again',
  positionals: [CLIENT_ID, USER_ID],
  options: [],
  notes: [
    'Only the user can connect: send it to nobody else. It leads back to the application, with the state "reconnect".',
  ],
  run: ({ positionals }, context) =>
    context.withStorage(async (storage) => {
      const { clientId, userId } = await findUser(storage, positionals);
      const client = await storage.clients.findClient(clientId);
      if (client === undefined) throw unknownClient(clientId);
      const url = reconnectLink(client, userId, usersDeps(storage, context));
      if (url !== undefined) return { json: { client_id: clientId, user_id: userId, url }, text: url };
      throw new CommandError(
        'refused',
        'The application begins each flow itself, since it pushes its requests: have the user begin there.',
      );
    }),
};

export const userAccountCommands: readonly Command[] = [sync, calendars, link, disconnect];

/** Throws CommandError when the user has no such account, or several of that name. */
async function findAccount(
  { clientId, userId }: NamedUser,
  named: string,
  { accounts }: Pick<Storage, 'accounts'>,
): Promise<Account> {
  const linked = await accounts.listAccounts(clientId, userId);
  const byKey = linked.filter(({ accountKey }) => accountKey === named);
  const found =
    byKey.length > 0
      ? byKey
      : linked.filter(({ accountId, display }) => accountId === named || display === named);
  const [account, another] = found;
  if (account === undefined)
    throw new CommandError(
      'not_found',
      `The user has no account "${named}"; "kalends user show" has those there are.`,
    );
  if (another !== undefined)
    throw new CommandError(
      'ambiguous',
      `The user has ${found.length} accounts "${named}"; name one by its key, which "kalends user show" has.`,
    );
  return account;
}

const isCalendarPlace = (value: unknown): value is CalendarPlace =>
  hasMembers(value, { position: 'number', calendarKey: 'string' });

const calendarRow = (calendar: SyncedCalendar): string[] => [
  calendar.isLeftOut ? `${calendar.title} (left out)` : calendar.title,
  String(calendar.eventCount),
  instantOr(calendar.syncedAt, 'not yet'),
  instantOr(calendar.nextAt, ''),
  instantOr(calendar.pushedUntil, ''),
  calendar.failure === undefined ? '' : failureText(calendar.failure),
];

const calendarDocument = (calendar: SyncedCalendar) => ({
  key: calendar.calendarKey,
  title: calendar.title,
  primary: calendar.isPrimary,
  left_out: calendar.isLeftOut,
  event_count: calendar.eventCount,
  synced_at: instantOr(calendar.syncedAt, null),
  next_at: instantOr(calendar.nextAt, null),
  pushed_until: instantOr(calendar.pushedUntil, null),
  failure: calendar.failure === undefined ? null : failureText(calendar.failure),
});

const instantOr = <T>(at: number | undefined, otherwise: T): string | T =>
  at === undefined ? otherwise : instantText(at);
