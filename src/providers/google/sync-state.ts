/**
 * Google's sync token with what the grant showed when it was issued. A larger grant shows more of events that did not
 * change, and a smaller one less: Google's token alone would leave what was shown before standing.
 */
import { ProviderError } from '../../calendars/provider-error.ts';
import { covers } from './scopes.ts';

/** How much the grant shows. `words`: all there is to an event; `busy`: no more than that somebody is busy. */
const detailOf = (scopes: readonly string[]): string => (covers(scopes, 'read') ? 'words' : 'busy');

export const writeSyncState = (token: string, scopes: readonly string[]): string =>
  `${detailOf(scopes)} ${token}`;

/** Google's own token. Fails as `sync_token_expired` when the grant shows something else now. */
export function readSyncState(sealed: string, scopes: readonly string[]): string {
  const start = `${detailOf(scopes)} `;
  if (sealed.startsWith(start)) return sealed.slice(start.length);
  throw new ProviderError('sync_token_expired', 'The permission changed, and with it what events show');
}
