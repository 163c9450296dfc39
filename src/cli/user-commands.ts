/** `kalends user …`: the users of applications and their accounts. */

import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CALENDAR } from '../administration/documents/calendar.ts';
import { toRows } from '../administration/documents/field.ts';
import { ACCOUNT, type AccountSubject, FOUND_USER, USER } from '../administration/documents/user.ts';
import {
  createReconnectLinkOperation,
  disconnectAccountOperation,
  exportUserOperation,
  listAccountCalendars,
  searchUsers,
} from '../administration/operations/account-operations.ts';
import {
  deleteUserOperation,
  listUsers,
  revokeUserOperation,
  showUser,
  syncUserOperation,
} from '../administration/operations/user-operations.ts';
import { instantText } from '../lib/rendered-json.ts';
import type { DeletionReceipt } from '../user-data/delete-user.ts';
import type { FoundUser } from '../user-data/user-directory.ts';
import { CLIENT_ID } from './client-commands.ts';
import { type Command, type Input, newFile } from './command.ts';
import { tabulate } from './help.ts';
import { listOutput, operationCommand, pageInput, runAndPrint } from './operation-command.ts';
import { PAGE_OPTIONS, text, YES } from './option-values.ts';
import { type Completed, type Operations, rendering } from './rendering.ts';
import { safeJson } from './terminal-text.ts';
import { ACCOUNT_NAME, onlyBroken, selectAccount, toNamedAccounts, USER_ID } from './user-arguments.ts';

const userInput = ({ positionals: { CLIENT_ID: clientId = '', USER_ID: userId = '' } }: Input) => ({
  client_id: clientId,
  user_id: userId,
});

const sync = operationCommand({
  name: 'user sync',
  summary: 'Sync all accounts of a user now, or one',
  positionals: [CLIENT_ID, USER_ID, { ...ACCOUNT_NAME, optional: true }],
  notes: ['A running server starts the sync within seconds.'],
  operation: syncUserOperation,
  input: (parsed, operations) =>
    parsed.positionals.ACCOUNT === undefined ? userInput(parsed) : accountInput(parsed, operations),
  render: ({ accounts, user_id: userId }) => ({
    text: `A sync of ${accounts} account(s) of ${userId} is due now.`,
  }),
});

/** Returns the account that the command names, or without a name the only one that needs reconnecting. */
async function requestedAccount(parsed: Input, operations: Operations) {
  const { ACCOUNT: name } = parsed.positionals;
  const user = userInput(parsed);
  const accounts = toNamedAccounts((await operations.read(showUser, user)).accounts);
  return name === undefined ? onlyBroken(accounts, user.user_id) : selectAccount(accounts, name);
}

const accountInput = async (parsed: Input, operations: Operations) => ({
  ...userInput(parsed),
  account_key: (await requestedAccount(parsed, operations)).accountKey,
});

const disconnect = operationCommand({
  name: 'user disconnect',
  summary: 'Disconnect an account of a user: its calendars and credentials are deleted',
  positionals: [CLIENT_ID, USER_ID, ACCOUNT_NAME],
  options: [YES],
  notes: ['The application receives `connection.disconnected`. The user can connect the account again.'],
  operation: disconnectAccountOperation,
  async confirmation(parsed, operations) {
    const { display } = await requestedAccount(parsed, operations);
    return `Disconnecting ${display} of ${parsed.positionals.USER_ID}`;
  },
  input: accountInput,
  render: ({ account, userId }) => ({ text: `Disconnected ${account.display} of ${userId}.` }),
});

const calendars = operationCommand({
  name: 'user calendars',
  summary: 'List the calendars of an account, with their syncs and watches',
  positionals: [CLIENT_ID, USER_ID, ACCOUNT_NAME],
  options: PAGE_OPTIONS,
  operation: listAccountCalendars,
  async input(parsed, operations) {
    const page = pageInput(parsed);
    return { ...(await accountInput(parsed, operations)), ...page };
  },
  render: ({ subjects: calendars }) => {
    const columns = ['title', 'event_count', 'synced_at', 'next_at', 'pushed_until', 'failure'];
    const none = 'No calendars yet. They appear after the first sync of the account.';
    return listOutput(CALENDAR, { columns, none }, calendars);
  },
});

const link = operationCommand({
  name: 'user reconnect-link',
  summary: 'Print a link that reconnects an account',
  positionals: [CLIENT_ID, USER_ID, { ...ACCOUNT_NAME, optional: true }],
  notes: [
    'Without ACCOUNT, the link is for the only account that needs reconnecting.',
    'Send the link only to the user. It is valid for seven days, and ends when the user has signed in to the account. It gives no access to calendars.',
  ],
  operation: createReconnectLinkOperation,
  input: accountInput,
  render: ({ link: { url } }) => ({ text: url }),
});

type FoundUsers = Completed<{ readonly search: string | undefined; readonly after: string | undefined }>;

const render = (
  { users }: { readonly users: readonly FoundUser[] },
  { input: { search, after } }: FoundUsers,
) => {
  const columns = ['client_id', 'user_id', 'account', 'account_count', 'ailing_count', 'last_seen_at'];
  const isWhole = search === undefined && after === undefined;
  const none = isWhole
    ? 'No users yet. The first request to /authorize creates one.'
    : 'No users match these options.';
  return listOutput(FOUND_USER, { columns, none }, users);
};
const ofClient = rendering({ operation: listUsers, render });
const ofAll = rendering({ operation: searchUsers, render });

const list: Command = {
  name: 'user list',
  summary: 'List the users of one application, or of all',
  positionals: [{ ...CLIENT_ID, optional: true }],
  options: [
    {
      name: 'search',
      value: 'BEGINNING',
      doc: "Users whose id, or whose account's name or address, starts with this text.",
    },
    ...PAGE_OPTIONS,
  ],
  notes: [
    'The list is in the order of user ids. Without these options, it has all users; with one, it has one page: use this if there are very many users.',
  ],
  renderings: [ofClient, ofAll],
  async run(input, context) {
    const { CLIENT_ID: clientId } = input.positionals;
    const { search } = input.options;
    const isPaged = ['search', 'limit', 'after'].some((name) => name in input.options);
    const fields = { search: text(search), ...(isPaged && pageInput(input)) };
    const [row, path] = clientId === undefined ? [ofAll, {}] : [ofClient, { client_id: clientId }];
    return context.withOperations((operations) => runAndPrint(row, { ...path, ...fields }, operations));
  },
};

/** The most events per account in text. */
const NEWEST_EVENTS = 5;

const show = operationCommand({
  name: 'user show',
  summary: 'Show one user with the accounts and their history',
  positionals: [CLIENT_ID, USER_ID],
  notes: [
    'The text has the newest events of each account. --json has all stored events: at most 100 per account, for 90 days.',
  ],
  operation: showUser,
  input: userInput,
  render({ user, grants, accounts }) {
    const lines = [
      ...toRows(USER, user),
      ...grants.map(({ scope, createdAt, refreshedAt }) => [
        'grant',
        `${scope}, since ${instantText(createdAt)}, last used ${instantText(refreshedAt)}`,
      ]),
      ...accounts.flatMap((account) => [...toRows(ACCOUNT, account), ...historyLines(account)]),
    ];
    return { text: tabulate(lines) };
  },
});

const historyLines = ({ history }: AccountSubject): string[][] =>
  history
    .slice(0, NEWEST_EVENTS)
    .map(({ happened, reason, at }) => [
      '  history',
      `${instantText(at)} ${happened}${reason ? `, ${reason}` : ''}`,
    ]);

const remove = operationCommand({
  name: 'user delete',
  summary: 'Delete a user with its grants, connected accounts and mirrored calendars',
  positionals: [CLIENT_ID, USER_ID],
  options: [YES],
  notes: [
    'The receipt says what was deleted and when; the audit log stores it without the identity of the user. docs/privacy.md says what remains after a deletion.',
  ],
  operation: deleteUserOperation,
  async confirmation(parsed, operations) {
    const user = userInput(parsed);
    const { account_count: accounts } = await operations.read(showUser, user);
    return `Deleting ${user.user_id} with ${accounts} account(s)`;
  },
  input: userInput,
  render: ({ userId, receipt }) => ({
    text: [`Deleted ${userId}.`, ...receiptLines(receipt)].join('\n'),
  }),
});

function receiptLines(receipt: DeletionReceipt | undefined): string[] {
  if (receipt === undefined) return [];
  const { deletedAt, deleted, accessToEnd, isOffDisk } = receipt;
  const counts = Object.entries(deleted).map(([kind, count]) => `${count} ${kind}`);
  return [
    `Receipt: ${instantText(deletedAt)}, ${counts.join(', ')}.`,
    ...pendingLines(accessToEnd, isOffDisk),
  ];
}

/** Returns a line for each part of the deletion that happens later. */
function pendingLines(accessToEnd: number, isOffDisk: boolean): string[] {
  const access = `Pending: a running server revokes the access to ${accessToEnd} account(s) at Google and Microsoft. It retries for a day.`;
  const disk =
    'Pending: the database overwrites deleted rows later (docs/privacy.md#what-is-left-after-a-deletion).';
  return [...(accessToEnd > 0 ? [access] : []), ...(isOffDisk ? [] : [disk])];
}

const revoke = operationCommand({
  name: 'user revoke',
  summary: 'Revoke every grant of a user: its tokens stop working at once',
  positionals: [CLIENT_ID, USER_ID],
  notes: [
    'Unused authorization codes stop working too. Accounts stay connected; after the next authorization the application can read them again.',
  ],
  operation: revokeUserOperation,
  input: userInput,
  render: ({ ended_grants: ended, user_id: userId }) => ({
    text: `Revoked ${ended} grant(s) of ${userId}.`,
  }),
});

const userExport: Command = {
  name: 'user export',
  summary: 'Export all stored data of a user as one JSON document',
  positionals: [CLIENT_ID, USER_ID],
  options: [{ name: 'output', value: 'FILE', doc: 'Write to a new file instead of standard output.' }],
  notes: [
    'The export contains events, addresses of accounts and bodies of deliveries, but no credentials. Give it only to the user. The audit log records the export. docs/privacy.md describes its content.',
  ],
  renderings: [],
  run: (input, context) =>
    context.withOperations(async (operations) => {
      const output = text(input.options.output);
      const file = output === undefined ? undefined : newFile(output);
      const fields = userInput(input);
      const pieces = await operations.stream(exportUserOperation, fields);
      if (file === undefined) {
        for await (const piece of pieces) context.io.stdout.write(safeJson(piece));
        return undefined;
      }
      await writeFile(pieces, file);
      const { size } = await stat(file);
      return {
        json: { ...fields, file, bytes: size },
        text: `Wrote ${file} (${size} bytes). Only you can read it. Give it only to the user.`,
      };
    }),
};

/** Writes under another name first, so that nothing mistakes a partial document for a complete one. */
async function writeFile(pieces: AsyncIterable<string>, file: string): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(partial, { mode: 0o600, flags: 'wx' }));
    await rename(partial, file);
  } catch (reason) {
    await rm(partial, { force: true });
    throw reason;
  }
}

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
