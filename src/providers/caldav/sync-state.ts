/** The content of sync tokens: how changes of the calendar are found, and the state at the last sync. */
import { ProviderError } from '../../calendars/provider-error.ts';

export type SyncState =
  /** RFC 6578: the server's own token. */
  { readonly method: 'sync-collection'; readonly token: string } | Comparison;

/** Compares etags with the mirror's, unless the ctag rules out a change. Instants are epoch milliseconds. */
export type Comparison = {
  readonly method: 'compare';
  readonly ctag: string | undefined;
  readonly ctagSince: number;
  readonly comparedAt: number;
  /** Until then, sync-collection is not tried again. */
  readonly demotedUntil: number;
};

/** 2: follows RFC 7529 and rules below a day, reads overrides without DTSTART, and reports unreadable events. */
const VERSION = 2;

export const writeSyncState = (state: SyncState): string => JSON.stringify({ v: VERSION, ...state });

/** Parses a token. Fails as `sync_token_expired` for any text that this version did not write. */
export function readSyncState(token: string): SyncState {
  const state = parse(token);
  if (state === undefined) throw new ProviderError('sync_token_expired', 'The sync token is not known');
  return state;
}

function parse(token: string): SyncState | undefined {
  const value = parseJsonObject(token);
  if (value?.v !== VERSION) return undefined;
  if (value.method === 'sync-collection' && typeof value.token === 'string')
    return { method: 'sync-collection', token: value.token };
  const { ctag, ctagSince, comparedAt, demotedUntil } = value;
  if (value.method !== 'compare' || (ctag !== undefined && typeof ctag !== 'string')) return undefined;
  if (typeof ctagSince !== 'number' || typeof comparedAt !== 'number' || typeof demotedUntil !== 'number')
    return undefined;
  return { method: 'compare', ctag, ctagSince, comparedAt, demotedUntil };
}

function parseJsonObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // Not JSON: not our token.
  }
}
