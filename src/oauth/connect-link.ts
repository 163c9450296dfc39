/** The address at which a person connects accounts, or connects one again. */
import type { Client } from './client.ts';

/** What the application sees as `state`: it did not begin this flow. */
const STATE = 'reconnect';

/**
 * Leads through the Connect pages and ends at the application's redirect URI. `undefined` where the application has to begin
 * each flow itself, since it pushes its requests.
 */
export function connectLink(
  { clientId, redirectUri, pushedRequests }: Pick<Client, 'clientId' | 'redirectUri' | 'pushedRequests'>,
  { userId, publicUrl }: { readonly userId: string; readonly publicUrl: string },
): string | undefined {
  if (pushedRequests === 'required') return undefined;
  const query = { client_id: clientId, user_id: userId, response_type: 'code', redirect_uri: redirectUri };
  return `${publicUrl}/authorize?${new URLSearchParams({ ...query, state: STATE })}`;
}
