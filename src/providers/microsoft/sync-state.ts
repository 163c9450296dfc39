/**
 * The content of sync tokens: Graph's delta link, its window, the time of the last comparison, and whether the
 * permission allowed only basic fields. A larger permission shows more of events whose versions stay the same.
 */
import { ProviderError } from '../../calendars/provider-error.ts';
import { jsonIn } from '../../lib/json.ts';
import type { JsonObject } from '../bearer-api.ts';
import { isObject } from '../json-value.ts';

/** Epoch milliseconds, from midnight to midnight UTC. */
export type Window = { readonly start: number; readonly end: number };

/** Instants are epoch milliseconds. */
export type SyncState = {
  readonly link: string;
  readonly window: Window;
  readonly basic: boolean;
  readonly drawnAt: number;
  /** When all versions were last compared. */
  readonly comparedAt: number;
};

/** The version of tokens and of what is read of events. A new one lists everything again. */
const VERSION = 2;

export function writeSyncState({ link, window, basic, drawnAt, comparedAt }: SyncState): string {
  return JSON.stringify({ v: VERSION, link, ...window, basic, drawnAt, comparedAt });
}

/** Parses a sync token. Fails as `sync_token_expired` if this version did not write it. */
export function readSyncState(token: string): SyncState {
  const state = parse(token);
  if (state === undefined) throw new ProviderError('sync_token_expired', 'The sync token is not known');
  return state;
}

function parse(token: string): SyncState | undefined {
  const state = jsonIn(token);
  if (!isObject(state)) return undefined;
  const { v, link, start, end, basic, drawnAt, comparedAt }: JsonObject = { ...state };
  if (v !== VERSION || typeof link !== 'string') return undefined;
  if (typeof start !== 'number' || typeof end !== 'number') return undefined;
  if (typeof basic !== 'boolean') return undefined;
  if (typeof drawnAt !== 'number' || typeof comparedAt !== 'number') return undefined;
  return { link, window: { start, end }, basic, drawnAt, comparedAt };
}
