/** Answers in pages: each names the next one, the last one names none. */

import { isObject, text } from '../json-value.ts';
import { unreadable } from './api-refusal.ts';

/** A listing that has not ended by then never does. */
const MOST_PAGES = 10_000;

/**
 * Asks page by page. `T` is what Google publishes of a page; each of its members may still be anything. Fails as
 * `invalid_response` for what is no page, and for pages without end.
 */
export async function* pagesOf<T extends { nextPageToken?: string | null }>(
  ask: (pageToken: string | undefined) => Promise<unknown>,
): AsyncGenerator<T> {
  let pageToken: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await ask(pageToken);
    if (!isObject(page)) throw unreadable(undefined);
    // An object is all that is known of it: whoever reads a member checks it.
    yield page as T;
    const next = 'nextPageToken' in page ? text(page.nextPageToken) : undefined;
    if (next === undefined) return;
    if (next === pageToken) throw unreadable(undefined, 'Google’s list of pages runs in a circle');
    pageToken = next;
  }
  throw unreadable(undefined, 'Google’s list of pages has no end');
}
