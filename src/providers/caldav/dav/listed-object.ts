/** Calendar object resources (RFC 4791 §4.1) in listings of their collection: address and version. */
import { type DavBody, decodeBody } from './dav-body.ts';
import { dav } from './dav-names.ts';
import type { DavTask } from './dav-reading.ts';
import { comparableHref, comparablePath, withoutSlash } from './href.ts';
import { type DavResponse, type Multistatus, multistatusParts } from './multistatus.ts';
import { isFailure } from './status.ts';
import { child, readElementText } from './xml.ts';

export type ListedObject = {
  /** As the server spells it: for requests. */
  readonly href: string;
  /** The spelling for comparison, by which the mirror identifies it. */
  readonly path: string;
  readonly etag: string | undefined;
};

/** The properties to request for each listed object. */
export const LISTED_PROPERTIES: readonly string[] = [
  dav('getetag'),
  dav('getcontenttype'),
  dav('resourcetype'),
];

/** Returns the object of a response; `undefined` for the collection itself and for other resources. */
export function parseListedObject(response: DavResponse, collection: URL): ListedObject | undefined {
  const path = objectPath(response.href, collection);
  if (path === undefined) return undefined;
  const { properties } = response;
  if (child(properties.get(dav('resourcetype')), dav('collection')) !== undefined) return undefined;
  const contentType = readElementText(properties.get(dav('getcontenttype')));
  const isCalendar =
    contentType === undefined
      ? isFailure(response.status) || /\.ics$/i.test(path)
      : /^text\/calendar\b/i.test(contentType);
  if (!isCalendar) return undefined;
  return { href: response.href, path, etag: boundedTag(readElementText(properties.get(dav('getetag')))) };
}

/** No server has longer ones. They are stored, compared and sent back. */
const LONGEST_TAG = 8192;

/** Returns an etag, a ctag or a sync token; `undefined` if it is too long to store. */
export const boundedTag = (tag: string | undefined): string | undefined =>
  tag === undefined || tag.length > LONGEST_TAG ? undefined : tag;

export type Listed = Pick<DavResponse, 'href' | 'status'> & { readonly object: ListedObject | undefined };

export type ListingInput = {
  readonly body: DavBody;
  readonly collection: string;
};

/** The sync token is in the last part. */
export type ListingPart = { readonly listed: readonly Listed[]; readonly syncToken?: string | undefined };

const LISTED_OF_PART = 1000;

/** Yields all responses of a listing. Fails as `multistatusParts` does. */
export const LISTING: DavTask<ListingInput, ListingPart> = {
  name: 'caldav-listing',
  *run({ body, collection }) {
    const url = new URL(collection);
    const parts = multistatusParts(decodeBody(body), (response): Listed => {
      const { href, status } = response;
      return { href, status, object: parseListedObject(response, url) };
    });
    for (;;) {
      const { done, value } = parts.next();
      if (done === true) {
        yield { listed: [], syncToken: boundedTag(value.syncToken) };
        return;
      }
      for (let at = 0; at < value.length; at += LISTED_OF_PART)
        yield { listed: value.slice(at, at + LISTED_OF_PART) };
    }
  },
};

export const objectsIn = ({ responses }: Multistatus<Listed>): ListedObject[] =>
  responses.flatMap(({ object }) => object ?? []);

/** Returns whether the server says that it left out a part of the listing (RFC 4791 §7.8, RFC 6578 §3.6). */
export const isTruncation = ({ status }: Pick<Listed, 'status'>): boolean => status === 507;

/** Returns the path of an object, for comparison; `undefined` for the collection itself and for paths elsewhere. */
export function objectPath(href: string, collection: URL): string | undefined {
  const path = comparableHref(href, collection);
  // iCloud lists the collection itself among its members, with and without its slash.
  if (path === undefined || path.endsWith('/') || path === toCollectionPath(collection)) return undefined;
  return path;
}

export function isCollection(href: string, collection: URL): boolean {
  const path = comparableHref(href, collection);
  return path !== undefined && withoutSlash(path) === toCollectionPath(collection);
}

const toCollectionPath = (collection: URL): string => withoutSlash(comparablePath(collection.pathname));
