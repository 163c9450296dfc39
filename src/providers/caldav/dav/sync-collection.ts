/** The first rung: the sync-collection report, RFC 6578 §3.2. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { EgressResponse } from '../../../lib/egress/egress.ts';
import { bodyText, type DavSession, davRequest, refusalOf } from './dav-client.ts';
import { dav, davDocument, escapeXml, propElement } from './dav-names.ts';
import { comparableHref, comparablePath } from './href.ts';
import { listedIn, type Member, memberPath } from './listed-object.ts';
import { namesCondition } from './multistatus.ts';
import { isPassing } from './passing.ts';

/** A page of changes; there is another one after it while `truncated`. */
export type SyncPage = {
  readonly members: readonly Member[];
  /** Paths of members that are gone. */
  readonly removed: readonly string[];
  readonly token: string;
  readonly truncated: boolean;
};

/** Thrown when the server does not do this report, whatever it advertises: the next rung is to be taken. */
export class SyncCollectionRefused extends Error {}

const MOST_PAGES = 1000;

/** Everything when `since` is empty. A token the server forgot fails as `sync_token_expired`. */
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
      propElement([dav('getetag'), dav('getcontenttype'), dav('resourcetype')]),
  );
  const answer = await davRequest(session, collection, { method: 'REPORT', depth: '0', body });
  if (answer.status !== 207) throw refusedSync(answer, token);
  const { responses, syncToken } = listedIn(answer, collection);
  if (syncToken === undefined) throw new SyncCollectionRefused('The answer has no sync token');

  const self = comparablePath(collection.pathname).replace(/\/$/, '');
  const isSelf = (href: string) => comparableHref(href, collection)?.replace(/\/$/, '') === self;
  const present = responses.filter(({ status }) => status === undefined || status < 300);
  const gone = responses.filter(({ status }) => status === 404 || status === 410);
  return {
    members: present.flatMap(({ member }) => member ?? []),
    removed: gone.flatMap(({ href }) => memberPath(href, collection) ?? []),
    token: syncToken,
    truncated: responses.some(({ href, status }) => status === 507 && isSelf(href)),
  };
}

function refusedSync(answer: EgressResponse, token: string): Error {
  const { status } = answer;
  if (isPassing(status)) return refusalOf(answer);
  const forgotten = status === 410 || namesCondition(bodyText(answer), 'valid-sync-token');
  // 403 and 409 are how the RFC has a token refused, condition named or not.
  if (token !== '' && (forgotten || status === 403 || status === 409))
    return new ProviderError('sync_token_expired', 'The server has forgotten this sync token');
  return new SyncCollectionRefused(`sync-collection was answered with ${status}`);
}
