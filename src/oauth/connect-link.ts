/** The address at which a user connects or reconnects accounts. */
import type { Client } from './client.ts';

/** The `state` of a flow that the application did not start. */
const STATE = 'reconnect';

/** Returns an address through the Connect pages to the redirect URI; `undefined` if requests must be pushed. */
export function connectLink(
  { clientId, redirectUri, pushedRequests }: Pick<Client, 'clientId' | 'redirectUri' | 'pushedRequests'>,
  { userId, publicUrl }: { readonly userId: string; readonly publicUrl: string },
): string | undefined {
  if (pushedRequests === 'required') return undefined;
  const query = { client_id: clientId, user_id: userId, response_type: 'code', redirect_uri: redirectUri };
  return `${publicUrl}/authorize?${new URLSearchParams({ ...query, state: STATE })}`;
}
