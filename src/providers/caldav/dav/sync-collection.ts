/** The sync-collection report (RFC 6578 §3.2): the changes in a collection since a token. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { EgressResponse } from '../../../lib/egress/egress.ts';
import { type DavSession, davRequest, errorText, toDavError } from './dav-client.ts';
import { davDocument, escapeXml, propElement } from './dav-names.ts';
import {
  isCollection,
  isTruncation,
  LISTED_PROPERTIES,
  type ListedObject,
  objectPath,
  objectsIn,
} from './listed-object.ts';
import { namesCondition } from './multistatus.ts';
import { readListing } from './read-listing.ts';
import { isGone, isHidden, isTemporary } from './status.ts';

/** A page of changes; another page follows while `truncated`. */
export type SyncPage = {
  readonly objects: readonly ListedObject[];
  /** Paths of deleted objects. */
  readonly removed: readonly string[];
  readonly token: string;
  readonly truncated: boolean;
};

/** The server refuses this report, whatever it advertises: changes must be found in another way. */
export class SyncCollectionRefused extends Error {}

const MOST_PAGES = 1000;

/** Yields everything if `since` is empty. Fails as `sync_token_expired` if the server has forgotten the token. */
export async function* syncPages(
  session: DavSession,
  collection: URL,
  since: string,
): AsyncGenerator<SyncPage> {
  let token = since;
  for (let count = 0; count < MOST_PAGES; count += 1) {
    const page = await syncPage(session, collection, token);
    yield page;
    if (!page.truncated) return;
    if (page.token === token) break;
    token = page.token;
  }
  throw new SyncCollectionRefused('The pages do not end');
}

async function syncPage(session: DavSession, collection: URL, token: string): Promise<SyncPage> {
  const body = davDocument(
    'd:sync-collection',
    `<d:sync-token>${escapeXml(token)}</d:sync-token><d:sync-level>1</d:sync-level>` +
      propElement(LISTED_PROPERTIES),
  );
  const answer = await davRequest(session, collection, { method: 'REPORT', depth: '0', body });
  if (answer.status !== 207) throw toSyncError(answer, token);
  const { responses, syncToken } = await readListing(session, answer, collection);
  if (syncToken === undefined) throw new SyncCollectionRefused('The response has no sync token');
  // An object that the server failed to return has no etag, so it is fetched alone.
  const present = responses.filter(
    (response) => !isGone(response.status) && !isHidden(response.status) && !isTruncation(response),
  );
  const deleted = responses.filter(({ status }) => isGone(status));
  return {
    objects: objectsIn({ responses: present, syncToken }),
    removed: deleted.flatMap(({ href }) => objectPath(href, collection) ?? []),
    token: syncToken,
    truncated: responses.some(
      (response) => isTruncation(response) && isCollection(response.href, collection),
    ),
  };
}

function toSyncError(answer: EgressResponse, token: string): Error {
  const { status } = answer;
  if (isTemporary(status)) return toDavError(answer);
  const forgotten = status === 410 || namesCondition(errorText(answer), 'valid-sync-token');
  // RFC 6578 refuses a token with 403 or 409; not every server names the condition.
  if (token !== '' && (forgotten || status === 403 || status === 409))
    return new ProviderError('sync_token_expired', 'The server has forgotten this sync token');
  return new SyncCollectionRefused(`sync-collection returned ${status}`);
}
