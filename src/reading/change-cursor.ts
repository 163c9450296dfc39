/** The cursor of GET /events/changes: where a reader of the feed stands, sealed for its user and application. */
import type { EventName, FeedPlace } from './change-feed.ts';
import type { PageOwner } from './page-token.ts';
import { openText, sealText } from './sealed-text.ts';

export type ChangeCursor = FeedPlace & {
  readonly feedId: string;
  /** Between the pages of one answer: where it began. What appeared since then was created, for whoever reads it. */
  readonly from?: number | undefined;
  /** While the whole state is being told: the last event told, or the empty name. What changed since `seq` follows. */
  readonly state?: EventName | undefined;
};

type Payload = { f: string; s: number; b?: number; e?: [string, string]; i?: [string, string] };

export function sealCursor(
  { feedId, seq, from, event, state }: ChangeCursor,
  owner: PageOwner,
  key: Buffer,
): string {
  const payload: Payload = {
    f: feedId,
    s: seq,
    ...(from === undefined ? {} : { b: from }),
    ...(event && { e: [event.calendarKey, event.id] }),
    ...(state && { i: [state.calendarKey, state.id] }),
  };
  return sealText(JSON.stringify(payload), contextOf(owner), key);
}

/** `undefined` for anything but a cursor of this owner. */
export function openCursor(text: string, owner: PageOwner, key: Buffer): ChangeCursor | undefined {
  const opened = openText(text, contextOf(owner), key);
  if (opened === undefined) return undefined;
  // Authenticated, so it is what sealCursor wrote.
  const { f, s, b, e, i } = JSON.parse(opened) as Payload;
  const nameOf = ([calendarKey, id]: [string, string]) => ({ calendarKey, id });
  return { feedId: f, seq: s, from: b, event: e && nameOf(e), state: i && nameOf(i) };
}

const contextOf = ({ clientId, userId }: PageOwner) => ['changes', clientId, userId];
