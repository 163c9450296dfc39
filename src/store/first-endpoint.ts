/** The endpoint that is an application's webhook_url: it is there exactly as long as that is set. */
import { endpointAddress } from '../lib/egress/endpoint-address.ts';
import type { Statements } from './drivers/database.ts';
import { lookSoon } from './followed-accounts.ts';

type FirstEndpoint = { readonly clientId: string; readonly webhookUrl: string | null };

const KEEP = `
  INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at)
  VALUES ('we_' || :clientId, :clientId, :url, :address, 1, :now)
  ON CONFLICT (endpoint_id) DO UPDATE SET url = excluded.url, address = excluded.address, state = 'active',
    paused_reason = NULL, paused_at = NULL, failures = 0, failing_since = NULL, gate_at = 0`;

/** Call it in the transaction that sets the URL. What waits at the endpoint goes to the new address, and is tried at once. */
export async function keepFirstEndpoint(
  tx: Statements,
  { clientId, webhookUrl }: FirstEndpoint,
  now: number,
): Promise<void> {
  if (webhookUrl === null) {
    await tx.all('DELETE FROM webhook_endpoint WHERE client_id = :clientId AND is_first = 1', { clientId });
    return;
  }
  await lookSoon(tx, { clientId }, now);
  await tx.all(KEEP, { clientId, url: webhookUrl, address: endpointAddress(webhookUrl), now });
}
