/** Pauses, resumes, changes and removes endpoints. */
import { isDeepStrictEqual } from 'node:util';

import type { AuditedChange, AuditFields, Caller } from '../../audit/audit-entry.ts';
import { auditedUrl } from '../../audit/audited-url.ts';
import { differingFields } from '../../audit/differing-fields.ts';
import { instantText } from '../../lib/rendered-json.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type { EndpointHears, PauseReason } from '../../webhooks/endpoint.ts';
import type { EndpointChange, EndpointStore } from '../../webhooks/endpoint-store.ts';
import type { EndpointSecret } from '../../webhooks/message.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { SET_BY_OWNER, urlColumns } from './first-endpoint.ts';
import { openSecrets, sealSecrets } from './webhook-sealing.ts';

// Locks the endpoint's row, so that the values read are those of the previous call.
const LOCK = `
  UPDATE webhook_endpoint SET url = url WHERE endpoint_id = :endpointId
  RETURNING client_id, url, private_network, is_first, state, paused_reason, failures, secrets,
    hears_events AS events, hears_calendars AS calendars, hears_connections AS connections, hears_own AS own`;
const PAUSE = `
  UPDATE webhook_endpoint SET state = 'paused', paused_reason = 'operator', paused_at = :now
   WHERE endpoint_id = :endpointId`;
const RESUME = `
  UPDATE webhook_endpoint SET state = 'active', paused_reason = NULL, paused_at = NULL, failures = 0,
         failing_since = NULL, gate_at = 0
   WHERE endpoint_id = :endpointId`;
const CHANGE = `
  UPDATE webhook_endpoint SET hears_events = :events, hears_calendars = :calendars, hears_connections = :connections,
         hears_own = :own
   WHERE endpoint_id = :endpointId`;
// A new address has had no failure yet: the endpoint is resumed.
const MOVE = `
  UPDATE webhook_endpoint SET url = :url, address = :address, private_network = ${SET_BY_OWNER}
   WHERE endpoint_id = :endpointId`;
/** Clears the due times of event streams if the endpoint loses this topic. Running deliveries are finished. */
const QUIET = `
  UPDATE webhook_stream SET due_at = NULL
   WHERE endpoint_id = :endpointId AND calendar_key IS NOT NULL AND message_id IS NULL AND lease_holder IS NULL`;
const WAKE = `
  UPDATE webhook_stream SET due_at = 0 WHERE endpoint_id = :endpointId AND due_at IS NOT NULL AND lease_holder IS NULL`;
const REMOVE = `
  DELETE FROM webhook_endpoint WHERE endpoint_id = :endpointId AND is_first = 0
  RETURNING client_id, url`;
const KEEP_SECRETS = 'UPDATE webhook_endpoint SET secrets = :secrets WHERE endpoint_id = :endpointId';

type LockedRow = {
  clientId: string;
  url: string;
  privateNetwork: 0 | 1;
  isFirst: number;
  events: number;
  calendars: number;
  connections: number;
  own: number;
  state: 'active' | 'paused';
  pausedReason: PauseReason | undefined;
  failures: number;
  secrets: string | undefined;
};

type Changes = Pick<
  EndpointStore,
  'pauseEndpoint' | 'resumeEndpoint' | 'changeEndpoint' | 'removeEndpoint' | 'changeSecrets'
>;

export function endpointChanges(db: Database, sealer: Sealer): Changes {
  return {
    async pauseEndpoint(endpointId, now, by) {
      return db.transaction(async (tx) => {
        const row = await tx.get<LockedRow>(LOCK, { endpointId });
        if (row === undefined) return false;
        await tx.change(PAUSE, { endpointId, now });
        const after = { ...toAuditState(row), state: 'paused', paused_reason: 'operator' };
        const changed = differingFields(toAuditState(row), after);
        const { clientId } = row;
        if (changed)
          await auditFor(tx, by, { action: 'endpoint.paused', clientId, subject: endpointId, ...changed });
        return true;
      });
    },

    async resumeEndpoint(endpointId, by) {
      return db.transaction(async (tx) => {
        const row = await tx.get<LockedRow>(LOCK, { endpointId });
        if (row === undefined) return false;
        await tx.change(RESUME, { endpointId });
        await tx.change(WAKE, { endpointId });
        const changed = differingFields(toAuditState(row), ACTIVE);
        const { clientId } = row;
        if (changed)
          await auditFor(tx, by, { action: 'endpoint.resumed', clientId, subject: endpointId, ...changed });
        return true;
      });
    },

    changeEndpoint: (endpointId, change, by) =>
      db.transaction((tx) => changeEndpoint(tx, { endpointId, ...change }, by)),

    async removeEndpoint(endpointId, by) {
      return db.transaction(async (tx) => {
        const removed = await tx.get<{ clientId: string; url: string }>(REMOVE, { endpointId });
        if (removed === undefined) return false;
        const before = { url: auditedUrl(removed.url) };
        const { clientId } = removed;
        await auditFor(tx, by, { action: 'endpoint.deleted', clientId, subject: endpointId, before });
        return true;
      });
    },

    async changeSecrets(endpointId, change, by) {
      return db.transaction(async (tx) => {
        const row = await tx.get<LockedRow>(LOCK, { endpointId });
        if (row === undefined) return false;
        const before = openSecrets({ endpointId, ...row }, sealer);
        const secrets = change(before);
        await tx.change(KEEP_SECRETS, { endpointId, secrets: sealSecrets(endpointId, secrets, sealer) });
        if (!isDeepStrictEqual(before, secrets)) {
          const { clientId } = row;
          await auditFor(tx, by, { ...secretsChange(before, secrets), clientId, subject: endpointId });
        }
        return true;
      });
    },
  };
}

async function changeEndpoint(
  tx: Statements,
  { endpointId, hears, url }: EndpointChange & { readonly endpointId: string },
  by: Caller | undefined,
): Promise<boolean> {
  const row = await tx.get<LockedRow>(LOCK, { endpointId });
  if (row === undefined) return false;
  await tx.change(CHANGE, { endpointId, ...hearsFlags(hears) });
  if (row.events === 1 && !hears.events) await tx.change(QUIET, { endpointId });
  if (url !== undefined && row.isFirst === 0) {
    await tx.change(MOVE, { endpointId, ...urlColumns(url, by) });
    await tx.change(RESUME, { endpointId });
    await tx.change(WAKE, { endpointId });
  }
  const after = await tx.get<LockedRow>(LOCK, { endpointId });
  const changed = after && differingFields(toAuditFields(row), toAuditFields(after));
  const { clientId } = row;
  if (changed)
    await auditFor(tx, by, { action: 'endpoint.updated', clientId, subject: endpointId, ...changed });
  return true;
}

const ACTIVE: AuditFields = { state: 'active', paused_reason: null, failures: 0 };

const toAuditFields = (row: LockedRow): AuditFields => ({
  url: auditedUrl(row.url),
  private_network: row.privateNetwork === 1,
  hears: hearsWords(hearsIn(row)),
  ...toAuditState(row),
});

const hearsIn = ({ events, calendars, connections, own }: LockedRow): EndpointHears => ({
  events: events === 1,
  calendars: calendars === 1,
  connections: connections === 1,
  own: own === 1,
});

export const hearsFlags = (hears: EndpointHears) => ({
  events: Number(hears.events),
  calendars: Number(hears.calendars),
  connections: Number(hears.connections),
  own: Number(hears.own),
});

export const hearsWords = (hears: EndpointHears): string[] =>
  (['events', 'calendars', 'connections', 'own'] as const).filter((kind) => hears[kind]);

/** Returns the audit entry of a change of secrets. It never contains the secrets. */
function secretsChange(before: readonly EndpointSecret[], after: readonly EndpointSecret[]): AuditedChange {
  if (before.length === 0) return { action: 'endpoint.secret_created' };
  const until = after.find((secret) => secret.until !== undefined)?.until;
  const ends = until === undefined ? null : instantText(until);
  return { action: 'endpoint.secret_rotated', after: { old_secret_expires_at: ends } };
}

const toAuditState = ({ state, pausedReason, failures }: LockedRow): AuditFields => ({
  state,
  paused_reason: pausedReason ?? null,
  failures,
});
