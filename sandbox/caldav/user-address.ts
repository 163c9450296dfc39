/** The addresses by which events refer to a person, RFC 6638 §2.4.1. */
import type { Account } from './accounts.ts';
import type { ServerBehaviour } from './server-behaviour.ts';

/** Returns addresses with `mailto:`, the chosen one first, and the principal's path last, as sabre/dav lists them. */
export function addressesOf(account: Account, behaviour: ServerBehaviour): string[] {
  const mails = [emailOf(account, behaviour), ...account.aliases].map((email) => `mailto:${email}`);
  return [...mails, behaviour.pathOfPrincipal(account)];
}

/** Returns the person's address; a plain sign-in name gets an address at the server. */
export const emailOf = ({ person: { email } }: Account, { kind }: ServerBehaviour): string =>
  email.includes('@') ? email : `${email}@${kind}.example`;
