/** The addresses by which events name somebody, RFC 6638 §2.4.1. */
import type { Account } from './accounts.ts';
import type { ServerBehaviour } from './server-behaviour.ts';

/** With `mailto:`, the chosen one first, and the principal's path at the end, as sabre/dav lists them. */
export function addressesOf(account: Account, behaviour: ServerBehaviour): string[] {
  const mails = [emailOf(account, behaviour), ...account.aliases].map((email) => `mailto:${email}`);
  return [...mails, behaviour.pathOfPrincipal(account)];
}

/** Who signs in with a plain name has an address of the server's. */
export const emailOf = ({ person: { email } }: Account, { kind }: ServerBehaviour): string =>
  email.includes('@') ? email : `${email}@${kind}.example`;
