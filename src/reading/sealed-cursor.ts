/** Seals the cursor of GET /events/changes, like a page token. */
import type { EventName, FeedPlace } from './change-feed.ts';
import type { ReadingUser } from './event-reader.ts';
import { openText, sealText } from './sealed-position.ts';

export type ChangeCursor = FeedPlace & {
  readonly feedId: string;
  /** Between pages of one response: the position of the first page's start. Later events are `created`. */
  readonly from?: number | undefined;
  /** While all events are listed: the last listed one, or the empty name. Changes since `seq` follow. */
  readonly state?: EventName | undefined;
};

type ChangePayload = { f: string; s: number; b?: number; e?: [string, string]; i?: [string, string] };

export function sealCursor(
  { feedId, seq, from, event, state }: ChangeCursor,
  owner: ReadingUser,
  key: Buffer,
): string {
  const payload: ChangePayload = {
    f: feedId,
    s: seq,
    ...(from === undefined ? {} : { b: from }),
    ...(event && { e: [event.calendarKey, event.id] }),
    ...(state && { i: [state.calendarKey, state.id] }),
  };
  return sealText(JSON.stringify(payload), changeContext(owner), key);
}

/** Returns `undefined` for anything but a cursor of this owner. */
export function openCursor(text: string, owner: ReadingUser, key: Buffer): ChangeCursor | undefined {
  const opened = openText(text, changeContext(owner), key);
  if (opened === undefined) return undefined;
  // Authenticated, so sealCursor wrote it.
  const { f, s, b, e, i } = JSON.parse(opened) as ChangePayload;
  const toEventName = ([calendarKey, id]: [string, string]) => ({ calendarKey, id });
  return { feedId: f, seq: s, from: b, event: e && toEventName(e), state: i && toEventName(i) };
}

const changeContext = ({ clientId, userId }: ReadingUser) => ['changes', clientId, userId];
