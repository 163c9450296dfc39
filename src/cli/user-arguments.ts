/** The arguments that select a user or an account, for the commands of `kalends user`. */
import type { AdministrationDeps } from '../administration/operations/operation.ts';
import type { Account } from '../calendars/account-store.ts';
import { needsReconnecting } from '../connect/accounts/reconnect-link.ts';
import type { UserSummary } from '../oauth/user-store.ts';
import { administrationDeps } from './administration-deps.ts';
import { requireClient } from './client-commands.ts';
import {
  CommandError,
  type Context,
  type Input,
  type Positional,
  type Result,
  type Storage,
} from './command.ts';
import { missing } from './operation-command.ts';

export const USER_ID: Positional = { name: 'USER_ID', doc: "The user's id, as the application assigned it." };

export const ACCOUNT_NAME: Positional = {
  name: 'ACCOUNT',
  doc: 'The key, id or name of the account, see `user show`.',
};

/** Opens the storage and runs `work` on the user that the command names. Throws CommandError if it does not exist. */
export const withUser = (
  { positionals: { CLIENT_ID: clientId = '', USER_ID: userId = '' } }: Input,
  context: Context,
  work: (user: UserSummary, deps: Storage & AdministrationDeps) => Promise<Result | undefined>,
): Promise<Result | undefined> =>
  context.withStorage(async (storage) => {
    await requireClient(clientId, storage.clients);
    const user = await storage.users.findUser(clientId, userId);
    if (user !== undefined) return work(user, administrationDeps(storage, context));
    throw missing('user_id', { client_id: clientId, user_id: userId });
  });

/** Returns an account by its key, id or name. Throws CommandError if none or several match. */
export const findAccount = async (
  { clientId, userId }: UserSummary,
  { positionals: { ACCOUNT: name = '' } }: Input,
  { accounts }: Pick<Storage, 'accounts'>,
): Promise<Account> => selectAccount(await accounts.listAccounts(clientId, userId), name);

type NamedAccount = Pick<Account, 'accountKey' | 'accountId' | 'display'>;

/** Returns the accounts in the document of a user. */
export const toNamedAccounts = (accounts: unknown): readonly NamedAccount[] =>
  (Array.isArray(accounts) ? accounts : []).map(({ key, id, display }) => ({
    ...{ accountKey: String(key), accountId: String(id), display: String(display) },
  }));

/** Returns an account by its key, id or name. Throws CommandError if none or several match. */
export function selectAccount<T extends NamedAccount>(linked: readonly T[], name: string): T {
  const byKey = linked.filter(({ accountKey }) => accountKey === name);
  const byName = linked.filter(({ accountId, display }) => accountId === name || display === name);
  const matches = byKey.length > 0 ? byKey : byName;
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

/** Returns the only account that needs reconnecting. Throws CommandError if there are none or several. */
export async function findBroken(
  { clientId, userId }: UserSummary,
  { accounts }: Pick<Storage, 'accounts'>,
): Promise<Account> {
  const broken = (await accounts.listAccounts(clientId, userId)).filter(needsReconnecting);
  const [account, another] = broken;
  if (account === undefined)
    throw new CommandError('not_found', `No account of "${userId}" needs reconnecting; name the account.`);
  if (another !== undefined)
    throw new CommandError(
      'ambiguous',
      `${broken.length} accounts of "${userId}" need reconnecting; name one, see "kalends user show".`,
    );
  return account;
}
