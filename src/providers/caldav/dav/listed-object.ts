/** Members of a calendar collection as listings show them. */
import type { EgressResponse } from '../../../lib/egress/egress.ts';
import { keepOfAnswer } from './dav-client.ts';
import { dav } from './dav-names.ts';
import { comparableHref, comparablePath } from './href.ts';
import type { DavResponse, Multistatus } from './multistatus.ts';
import { child, textOf } from './xml.ts';

export type Member = {
  /** As the server spells it: for requests. */
  readonly href: string;
  /** The one spelling that compares, and that the mirror knows it by. */
  readonly path: string;
  readonly etag: string | undefined;
};

/** The resource a response is about; undefined for the collection itself and what is no calendar object. */
export function memberOf(response: DavResponse, collection: URL): Member | undefined {
  const path = memberPath(response.href, collection);
  if (path === undefined) return undefined;
  const { properties } = response;
  if (child(properties.get(dav('resourcetype')), dav('collection')) !== undefined) return undefined;
  const contentType = textOf(properties.get(dav('getcontenttype')));
  const isCalendar =
    contentType === undefined ? /\.ics$/i.test(path) : /^text\/calendar\b/i.test(contentType);
  if (!isCalendar) return undefined;
  return { href: response.href, path, etag: textOf(properties.get(dav('getetag'))) };
}

/** A response of a listing, and the member it is about where it is about one. */
export type Listed = Pick<DavResponse, 'href' | 'status'> & { readonly member: Member | undefined };

/** All responses of a listing. Fails as what it is when it is none. */
export const listedIn = (answer: EgressResponse, collection: URL): Multistatus<Listed> =>
  keepOfAnswer(answer, (response) => {
    const { href, status } = response;
    return { href, status, member: memberOf(response, collection) };
  });

/** The comparable path of a member; undefined for the collection itself and for what lies elsewhere. */
export function memberPath(href: string, collection: URL): string | undefined {
  const path = comparableHref(href, collection);
  // iCloud names the collection among its members; with and without its slash it is no event.
  if (path === undefined || path.endsWith('/')) return undefined;
  return path === comparablePath(collection.pathname).replace(/\/$/, '') ? undefined : path;
}
