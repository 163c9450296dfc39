/**
 * The token of a following page (wire 1.7): everything the next page needs, so that nothing is kept here.
 * Encrypted and authenticated, with its owner as additional data: a changed one, or another user's, does not
 * open, and it tells its bearer nothing, not even the id of an event its scope hides.
 */
import type { EventPosition, EventWindow } from './event-reader.ts';
import { openText, sealText } from './sealed-text.ts';

/** Whose listing it is. */
export type PageOwner = { readonly clientId: string; readonly userId: string };

export type PagePosition = {
  readonly window: EventWindow;
  readonly singleEvents: boolean;
  /** The keys of the calendars listed; `undefined` lists all. */
  readonly calendarKeys: readonly string[] | undefined;
  readonly pageSize: number;
  /** Words that are searched for, folded; none lists everything. */
  readonly search: readonly string[];
  readonly after: EventPosition;
};

type Payload = {
  w: [number, number];
  s: 0 | 1;
  k?: readonly string[];
  n: number;
  q?: readonly string[];
  p: [number, string, string];
};

/** `key` is 32 bytes, kept for this purpose alone. */
export function sealPageToken(page: PagePosition, owner: PageOwner, key: Buffer): string {
  const { window, after } = page;
  const payload: Payload = {
    w: [window.start, window.end],
    s: page.singleEvents ? 1 : 0,
    ...(page.calendarKeys === undefined ? {} : { k: page.calendarKeys }),
    n: page.pageSize,
    ...(page.search.length === 0 ? {} : { q: page.search }),
    p: [after.startsAt, after.calendarKey, after.id],
  };
  return sealText(JSON.stringify(payload), contextOf(owner), key);
}

/** `undefined` for anything but a token that was sealed for this owner. */
export function openPageToken(token: string, owner: PageOwner, key: Buffer): PagePosition | undefined {
  const text = openText(token, contextOf(owner), key);
  if (text === undefined) return undefined;
  // Authenticated, so it is what sealPageToken wrote.
  const { w, s, k, n, q = [], p } = JSON.parse(text) as Payload;
  return {
    window: { start: w[0], end: w[1] },
    singleEvents: s === 1,
    calendarKeys: k,
    pageSize: n,
    search: q,
    after: { startsAt: p[0], calendarKey: p[1], id: p[2] },
  };
}

const contextOf = ({ clientId, userId }: PageOwner) => [clientId, userId];
