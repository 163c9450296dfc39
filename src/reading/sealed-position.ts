/**
 * Seals the page token (docs/wire.md 1.7) and the cursor of GET /events/changes, which contain all that the next
 * request needs. Authenticated encryption binds them to their user and purpose and hides their content, even ids that
 * the bearer's scope hides. `key` is 32 bytes.
 */
import { openWith, sealWith } from '../lib/encryption.ts';
import type { EventPosition, EventWindow, ReadingUser } from './event-reader.ts';

export type PagePosition = {
  readonly window: EventWindow;
  readonly singleEvents: boolean;
  readonly calendarKeys: readonly string[] | undefined;
  readonly pageSize: number;
  /** Folded terms; without any, all events are listed. */
  readonly search: readonly string[];
  readonly after: EventPosition;
};

type PagePayload = {
  w: [number, number];
  s: 0 | 1;
  k?: readonly string[];
  n: number;
  q?: readonly string[];
  p: [number, string, string];
};

export function sealPageToken(page: PagePosition, owner: ReadingUser, key: Buffer): string {
  const { window, after } = page;
  const payload: PagePayload = {
    w: [window.start, window.end],
    s: page.singleEvents ? 1 : 0,
    ...(page.calendarKeys === undefined ? {} : { k: page.calendarKeys }),
    n: page.pageSize,
    ...(page.search.length === 0 ? {} : { q: page.search }),
    p: [after.startsAt, after.calendarKey, after.id],
  };
  return sealText(JSON.stringify(payload), pageContext(owner), key);
}

/** Returns `undefined` for anything but a token of this owner. */
export function openPageToken(token: string, owner: ReadingUser, key: Buffer): PagePosition | undefined {
  const text = openText(token, pageContext(owner), key);
  if (text === undefined) return undefined;
  // Authenticated, so sealPageToken wrote it.
  const { w, s, k, n, q = [], p } = JSON.parse(text) as PagePayload;
  return {
    window: { start: w[0], end: w[1] },
    singleEvents: s === 1,
    calendarKeys: k,
    pageSize: n,
    search: q,
    after: { startsAt: p[0], calendarKey: p[1], id: p[2] },
  };
}

const pageContext = ({ clientId, userId }: ReadingUser) => [clientId, userId];

/** Seals a text. `context` is its owner and purpose. */
export const sealText = (text: string, context: readonly string[], key: Buffer): string =>
  sealWith(key, text, JSON.stringify(context));

/** Returns `undefined` for anything but a text that was sealed for this context. */
export function openText(token: string, context: readonly string[], key: Buffer): string | undefined {
  try {
    return openWith(key, token, JSON.stringify(context));
  } catch {
    // The text was not sealed by Kalends, or not for this context.
    return undefined;
  }
}
