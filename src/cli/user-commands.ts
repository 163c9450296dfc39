/** `kalends user …`: the users of applications and their accounts. */
import { CALENDAR } from '../administration/documents/calendar.ts';
import { toDocument, toRows } from '../administration/documents/field.ts';
import { ACCOUNT, type AccountSubject, FOUND_USER, GRANT, USER } from '../administration/documents/user.ts';
import type { ShownUser } from '../administration/shown-user.ts';
import {
  disconnectAccount,
  findUsers,
  readAccount,
  readUser,
  reconnectLink,
  syncUser,
} from '../administration/users.ts';
import type { Account } from '../calendars/account-store.ts';
import { instantText } from '../lib/rendered-json.ts';
import type { DeletedUser } from '../oauth/user-store.ts';
import type { CalendarPlace } from '../user-data/account-calendars.ts';
import { deleteUser } from '../user-data/delete-user.ts';
import type { UserPlace } from '../user-data/user-directory.ts';
import { CLIENT_ID, requireClient } from './client-commands.ts';
import {
  type Command,
  CommandError,
  type Input,
  type Positional,
  type Result,
  type Storage,
} from './command.ts';
import { tabulate } from './help.ts';
import {
  confirm,
  hasMembers,
  limitIn,
  listResult,
  PAGE_OPTIONS,
  positionIn,
  text,
  toNext,
  YES,
} from './option-values.ts';
import { type NamedUser, USER_ID, usersDeps, withUser } from './user-argument.ts';
import { userExport } from './user-export-command.ts';

const ACCOUNT_NAME: Positional = {
  name: 'ACCOUNT',
  doc: 'The key, id or name of the account, see `user show`.',
};

const sync: Command = {
  name: 'user sync',
  summary: 'Sync the calendars of a user now, or those of one account',
  positionals: [CLIENT_ID, USER_ID, { ...ACCOUNT_NAME, optional: true }],
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
  positionals: [CLIENT_ID, USER_ID, ACCOUNT_NAME],
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
  positionals: [CLIENT_ID, USER_ID, ACCOUNT_NAME],
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

const list: Command = {
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

/** The most events per account in text. */
const NEWEST_EVENTS = 5;

const show: Command = {
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

const remove: Command = {
  name: 'user delete',
  summary: 'Delete a user with its grants, linked accounts and mirrored calendars',
  positionals: [CLIENT_ID, USER_ID],
  options: [YES],
  notes: [
    'The receipt says what was deleted and when; the audit log stores it without the identity of the user. docs/privacy.md says what remains after a deletion.',
  ],
  run: (input, context) =>
    withUser(input, context, async ({ clientId, userId, accounts }, storage) => {
      await confirm(`Deleting ${userId} with ${accounts} account(s)`, input, context);
      const receipt = await deleteUser({ clientId, userId }, { ...storage, now: context.deps.now });
      if (receipt === undefined)
        throw new CommandError('not_found', `The user "${userId}" was deleted meanwhile.`);
      const { deletedAt, deleted, accessToEnd, isOffDisk } = receipt;
      return {
        json: {
          deleted: true,
          client_id: clientId,
          user_id: userId,
          receipt: { deleted_at: instantText(deletedAt), ...deleted },
          access_to_end: accessToEnd,
          off_disk: isOffDisk,
        },
        text: [
          `Deleted ${userId}.`,
          `Receipt: ${instantText(deletedAt)}, ${countsText(deleted)}.`,
          ...pendingLines(accessToEnd, isOffDisk),
        ].join('\n'),
      };
    }),
};

const countsText = (deleted: Omit<DeletedUser, 'accessToEnd'>): string =>
  Object.entries(deleted)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');

/** Returns a line for each part of the deletion that happens later. */
function pendingLines(accessToEnd: number, isOffDisk: boolean): string[] {
  const access = `Pending: a running server revokes the access to ${accessToEnd} account(s) at Google and Microsoft. It retries for a day.`;
  const disk =
    'Pending: the database overwrites deleted rows later (docs/privacy.md#what-is-left-after-a-deletion).';
  return [...(accessToEnd > 0 ? [access] : []), ...(isOffDisk ? [] : [disk])];
}

const revoke: Command = {
  name: 'user revoke',
  summary: 'Revoke every grant of a user: its tokens stop working at once',
  positionals: [CLIENT_ID, USER_ID],
  notes: [
    'Unused authorization codes stop working too. Accounts stay connected; after the next authorization the application can read them again.',
  ],
  run: (input, context) =>
    withUser(input, context, async ({ clientId, userId }, { families, by }) => {
      const ended = await families.endGrantsOf(clientId, userId, { now: context.deps.now(), by });
      return {
        json: { client_id: clientId, user_id: userId, ended_grants: ended },
        text: `Revoked ${ended} grant(s) of ${userId}.`,
      };
    }),
};

export const userCommands: readonly Command[] = [
  list,
  show,
  sync,
  calendars,
  link,
  disconnect,
  userExport,
  revoke,
  remove,
];
