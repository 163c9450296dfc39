/**
 * The token of a following page (wire 1.7): everything the next page needs, so that nothing is kept here.
 * Encrypted and authenticated, with its owner as additional data: a changed one, or another user's, does not
 * open, and it tells its bearer nothing, not even the id of an event its scope hides.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

import type { EventPosition, EventWindow } from './event-reader.ts';

/** Whose listing it is. */
export type PageOwner = { readonly clientId: string; readonly userId: string };

export type PagePosition = {
  readonly window: EventWindow;
  readonly singleEvents: boolean;
  /** The keys of the calendars listed; `undefined` lists all. */
  readonly calendarKeys: readonly string[] | undefined;
  readonly pageSize: number;
  readonly after: EventPosition;
};

type Payload = {
  w: [number, number];
  s: 0 | 1;
  k?: readonly string[];
  n: number;
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
    p: [after.startsAt, after.calendarKey, after.id],
  };
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bytesOf(owner));
  const box = [nonce, cipher.update(JSON.stringify(payload), 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(box).toString('base64url');
}

/** `undefined` for anything but a token that was sealed for this owner. */
export function openPageToken(token: string, owner: PageOwner, key: Buffer): PagePosition | undefined {
  const box = Buffer.from(token, 'base64url');
  if (box.length < 28) return undefined;
  let text: string;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12)).setAAD(bytesOf(owner));
    decipher.setAuthTag(box.subarray(-16));
    text = decipher.update(box.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    // The only failure there is: the text is not ours, or not this owner's.
    return undefined;
  }
  // Authenticated, so it is what sealPageToken wrote.
  const { w, s, k, n, p } = JSON.parse(text) as Payload;
  return {
    window: { start: w[0], end: w[1] },
    singleEvents: s === 1,
    calendarKeys: k,
    pageSize: n,
    after: { startsAt: p[0], calendarKey: p[1], id: p[2] },
  };
}

const bytesOf = ({ clientId, userId }: PageOwner) => Buffer.from(JSON.stringify([clientId, userId]));
