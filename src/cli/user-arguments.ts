/** The arguments that select a user or an account, for the commands of `kalends user`. */
import type { Account } from '../calendars/account-store.ts';
import { CommandError, type Positional } from './command.ts';

export const USER_ID: Positional = { name: 'USER_ID', doc: "The user's id, as the application assigned it." };

export const ACCOUNT_NAME: Positional = {
  name: 'ACCOUNT',
  doc: 'The key, id or name of the account, see `user show`.',
};

type NamedAccount = Pick<Account, 'accountKey' | 'accountId' | 'display'> & { readonly state: string };

/** Returns the accounts in the document of a user. */
export const toNamedAccounts = (accounts: unknown): readonly NamedAccount[] =>
  (Array.isArray(accounts) ? accounts : []).map(({ key, id, display, state }) => ({
    ...{ accountKey: String(key), accountId: String(id), display: String(display), state: String(state) },
  }));

/** Returns an account by its key, id or name. Throws CommandError if none or several match. */
export function selectAccount(linked: readonly NamedAccount[], name: string): NamedAccount {
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
export function onlyBroken(linked: readonly NamedAccount[], userId: string): NamedAccount {
  const broken = linked.filter(({ state }) => state === 'reauth_required');
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
