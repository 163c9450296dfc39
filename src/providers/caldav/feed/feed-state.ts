/** The sync token of a feed: the last read, and when to ask the server again. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { FeedFacts } from './feed-facts.ts';
import type { Validators } from './fetch-feed.ts';

/** Instants are epoch milliseconds. */
export type FeedState = {
  readonly validators: Validators;
  /** The digest of the whole text; `undefined` if the text was cut off, so that it is read again. */
  readonly digest: string | undefined;
  /** The last time that the server sent the calendar or confirmed that it is unchanged. */
  readonly readAt: number;
  /** The last time that the calendar was requested, whether or not the server was asked. */
  readonly wantedAt: number;
  /** The wait that its server's response asks for, in milliseconds. */
  readonly maxAge: number | undefined;
  readonly facts: FeedFacts;
};

const MINUTE = 60_000;
/** The maximum age of a calendar that states none: while somebody reads it, and otherwise. */
const READ_EVERY_MS = 5 * MINUTE;
const ASKED_EVERY_MS = 60 * MINUTE;
const LONGEST_WAIT_MS = 24 * 60 * MINUTE;
/** The regular sync comes less often than this. Requests that are closer together come from a reader. */
const READERS_COME_WITHIN_MS = 11 * MINUTE;

/** Returns until when nothing new is expected, for a request at `now`. */
export function freshUntil({ readAt, wantedAt, maxAge, facts }: FeedState, now: number): number {
  const stated = Math.max(maxAge ?? 0, facts.refresh ?? 0);
  const isRead = now - wantedAt < READERS_COME_WITHIN_MS;
  const usual = isRead ? READ_EVERY_MS : ASKED_EVERY_MS;
  return readAt + (stated === 0 ? usual : Math.min(Math.max(stated, READ_EVERY_MS), LONGEST_WAIT_MS));
}

/** 2: as in sync-state.ts. */
const VERSION = 2;

export const writeFeedState = (state: FeedState): string => JSON.stringify({ v: VERSION, feed: state });

/** Parses a token. Fails as `sync_token_expired` for any text that this version did not write. */
export function readFeedState(token: string): FeedState {
  const state = stateIn(token);
  if (state === undefined) throw new ProviderError('sync_token_expired', 'The sync token is not known');
  return state;
}

/** Returns the state; `undefined` if the token is not a feed's. */
export function stateIn(token: string): FeedState | undefined {
  try {
    const value: unknown = JSON.parse(token);
    if (typeof value !== 'object' || value === null || !('feed' in value)) return undefined;
    // Only this adapter writes tokens of this version for these calendars.
    return 'v' in value && value.v === VERSION ? (value.feed as FeedState) : undefined;
  } catch {
    return undefined; // Not JSON: not our token.
  }
}
