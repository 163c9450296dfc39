/** Which guest of an event the account is: the principal's calendar user addresses, RFC 6638 §2.4.1. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import { type DavSession, propfind } from './dav-client.ts';
import { caldav, dav } from './dav-names.ts';
import { hrefsOf, textOf } from './xml.ts';

export type OwnAddresses = {
  /** As the server spells them, `mailto:` ones first; empty when nothing tells. */
  readonly addresses: readonly string[];
  readonly name: string | undefined;
};

/** A server without scheduling tells none: then the user name counts, where it is an e-mail address. */
export async function ownAddresses(session: DavSession, principal: URL): Promise<OwnAddresses> {
  const [response] = await askPrincipal(session, principal);
  const told = hrefsOf(response?.properties.get(caldav('calendar-user-address-set')));
  const name = textOf(response?.properties.get(dav('displayname')));
  const own = /^[^\s@:/]+@[^\s@:/]+$/.test(session.username) ? [`mailto:${session.username}`] : [];
  const addresses = [...told, ...own];
  return { addresses: addresses.toSorted((a, b) => Number(isMail(b)) - Number(isMail(a))), name };
}

async function askPrincipal(session: DavSession, principal: URL) {
  try {
    const asked = [caldav('calendar-user-address-set'), dav('displayname')];
    return (await propfind(session, principal, '0', asked)).responses;
  } catch (failure) {
    // A principal that cannot be asked tells no addresses; what is wrong with the account itself is not ours to hide.
    if (failure instanceof ProviderError && ['not_found', 'invalid_response'].includes(failure.kind))
      return [];
    throw failure;
  }
}

const isMail = (address: string): boolean => /^mailto:/i.test(address);

/** Whether an ATTENDEE or ORGANIZER with this value is the account. */
export function isOwn({ addresses }: OwnAddresses, value: string): boolean {
  return addresses.some((address) => sameAddress(address, value));
}

export const sameAddress = (one: string, other: string): boolean => comparable(one) === comparable(other);

/** Principal addresses are compared without the slash that some spell them with. */
const comparable = (address: string): string => decoded(address.trim()).toLowerCase().replace(/\/$/, '');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
