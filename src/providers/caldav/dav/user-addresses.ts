/** The addresses of the account in events: its calendar user addresses, RFC 6638 §2.4.1. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import { type DavSession, propfind } from './dav-client.ts';
import { caldav, dav } from './dav-names.ts';
import { percentDecoded, withoutSlash } from './href.ts';
import { listHrefs, readElementText } from './xml.ts';

export type UserAddresses = {
  /** As the server spells them, `mailto:` ones first; empty if it names none. */
  readonly addresses: readonly string[];
  readonly name: string | undefined;
};

/** Includes the user name if it is an e-mail address: a server without scheduling names no addresses. */
export async function userAddresses(session: DavSession, principal: URL): Promise<UserAddresses> {
  const [response] = await askPrincipal(session, principal);
  const hrefs = listHrefs(response?.properties.get(caldav('calendar-user-address-set')));
  const name = readElementText(response?.properties.get(dav('displayname')));
  const typed = /^[^\s@:/]+@[^\s@:/]+$/.test(session.username) ? [`mailto:${session.username}`] : [];
  const addresses = [...hrefs, ...typed].sort((a, b) => Number(isMail(b)) - Number(isMail(a)));
  return { addresses, name };
}

async function askPrincipal(session: DavSession, principal: URL) {
  try {
    const properties = [caldav('calendar-user-address-set'), dav('displayname')];
    return (await propfind(session, principal, { depth: '0', properties })).responses;
  } catch (failure) {
    // A principal that cannot be read names no addresses. Other failures concern the whole account.
    if (failure instanceof ProviderError && ['not_found', 'invalid_response'].includes(failure.kind))
      return [];
    throw failure;
  }
}

/** Returns the e-mail addresses as events name attendees: without `mailto:`, its fields and its escapes; each once. */
export function listMailAddresses({ addresses }: UserAddresses): string[] {
  const mails = addresses.filter(isMail).map((address) => address.trim().slice('mailto:'.length));
  const plain = mails.map((mail) => percentDecoded(mail.replace(/\?.*$/s, '').trim()));
  return [...new Set(plain.filter((mail) => /^[^\s@<>:/]+@[^\s@<>:/]+$/.test(mail)))];
}

const isMail = (address: string): boolean => /^mailto:/i.test(address.trim());

export function isUserAddress({ addresses }: UserAddresses, value: string): boolean {
  return addresses.some((address) => sameAddress(address, value));
}

export const sameAddress = (one: string, other: string): boolean =>
  comparableAddress(one) === comparableAddress(other);

/** Returns the spelling for comparison. Some servers add a slash to principal addresses. */
export const comparableAddress = (address: string): string =>
  withoutSlash(percentDecoded(address.trim()).toLowerCase());
