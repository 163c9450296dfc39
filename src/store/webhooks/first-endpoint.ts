/** The endpoint of an application's webhook_url, which exists exactly while that is set. */
import type { Caller } from '../../audit/audit-entry.ts';
import { SETTINGS } from '../../branding/settings-error.ts';
import { ApiError } from '../../http/refusal.ts';
import { endpointAddress } from '../../lib/egress/endpoint-address.ts';
import type { Statements } from '../drivers/database.ts';
import { lookSoon } from '../jobs/followed-accounts.ts';

type FirstEndpoint = { readonly clientId: string; readonly webhookUrl: string | null; readonly now: number };

/** Value of `private_network` for a URL that the caller of `urlColumns` sets. */
export const SET_BY_OWNER = `CASE WHEN CAST(:setBy AS TEXT) IN ('command_line', 'environment') THEN 1 ELSE
  (SELECT COUNT(*) FROM person WHERE person_id = CAST(:setBy AS TEXT) AND role = 'owner') +
  (SELECT COUNT(*) FROM admin_key WHERE key_id = CAST(:setBy AS TEXT) AND role = 'owner') END`;

export const urlColumns = (url: string, { actor }: Partial<Caller> = {}) => ({
  ...{ url, address: endpointAddress(url) },
  setBy: (actor !== undefined && 'id' in actor ? actor.id : actor?.kind) ?? null,
});

const COUNT = `
  SELECT COUNT(*) AS count FROM webhook_endpoint WHERE client_id = :clientId AND expires_at IS NULL`;
const KEEP = `
  INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, private_network, is_first, created_at)
  VALUES ('we_' || :clientId, :clientId, :url, :address, ${SET_BY_OWNER}, 1, :now)
  ON CONFLICT (endpoint_id) DO UPDATE SET url = excluded.url, address = excluded.address, state = 'active',
    private_network = excluded.private_network, paused_reason = NULL, paused_at = NULL, failures = 0, failing_since = NULL,
    gate_at = 0`;

/** Throws ApiError 409 at `most` endpoints, not counting listeners. The caller has locked the application. */
export async function refuseFurther(tx: Statements, clientId: string, most: number): Promise<void> {
  if (most > ((await tx.get<{ count: number }>(COUNT, { clientId }))?.count ?? 0)) return;
  const message = `The application has ${most} webhook endpoints, which is its limit: remove one first`;
  throw new ApiError(SETTINGS.too_many_endpoints, message);
}

/** Call it in the transaction that sets the URL. Waiting deliveries go to the new address, without delay. */
export async function keepFirstEndpoint(
  tx: Statements,
  { clientId, webhookUrl, now }: FirstEndpoint,
  by: Caller | undefined,
): Promise<void> {
  if (webhookUrl === null) {
    await tx.change('DELETE FROM webhook_endpoint WHERE client_id = :clientId AND is_first = 1', {
      clientId,
    });
    return;
  }
  await lookSoon(tx, { clientId }, now);
  await tx.change(KEEP, { clientId, ...urlColumns(webhookUrl, by), now });
}
