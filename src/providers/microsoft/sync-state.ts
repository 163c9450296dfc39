/**
 * What our sync tokens hold: Graph's delta link, the window it is for, when everything was last compared, and whether
 * the permission showed no more than the basics. A larger one shows more of events whose versions stay as they were.
 */
import { ProviderError } from '../../calendars/provider-error.ts';
import { jsonIn } from '../../lib/rendered-json.ts';
import type { JsonObject } from '../bearer-api.ts';
import { isObject } from '../json-value.ts';

/** Epoch milliseconds, from midnight to midnight UTC. */
export type Window = { readonly start: number; readonly end: number };

/** Instants are epoch milliseconds. */
export type SyncState = {
  readonly link: string;
  readonly window: Window;
  readonly basic: boolean;
  /** When the window was drawn. */
  readonly drawnAt: number;
  /** When ids and versions of everything were last seen. */
  readonly comparedAt: number;
};

/** Of what is read of events too: after a change of it everything is listed anew, since versions stay as they were. */
const VERSION = 2;

export function writeSyncState({ link, window, basic, drawnAt, comparedAt }: SyncState): string {
  return JSON.stringify({ v: VERSION, link, ...window, basic, drawnAt, comparedAt });
}

/** Fails with ProviderError `sync_token_expired` on anything this version did not write. */
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
