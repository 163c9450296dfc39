/** RequestLimitStore in SQL; held to test/contract/request-limit-store.contract.ts on both databases. */
import type { RequestLimitStore } from '../access/request-limit-store.ts';
import type { Database } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';

type CircuitRow = { operation: string; failure: string; openUntil: number | undefined };

const TAKE_SLOT = `
  INSERT INTO request_slot (mailbox, slot, holder, lease_until) VALUES (:mailbox, :slot, :holder, :until)
  ON CONFLICT (mailbox, slot) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
   WHERE request_slot.lease_until <= :now`;
const RELEASE_SLOT = `
  DELETE FROM request_slot WHERE mailbox = :mailbox AND slot = :slot AND holder = :holder`;
const DELETE_ENDED_SLOTS = `
  DELETE FROM request_slot WHERE (mailbox, slot) IN
    (SELECT mailbox, slot FROM request_slot WHERE lease_until <= :now LIMIT :limit)
    AND lease_until <= :now`;

const TAKE_TOKENS = `
  INSERT INTO request_budget (bucket, full_at) VALUES (:bucket, CAST(:now AS BIGINT) + :cost)
  ON CONFLICT (bucket) DO UPDATE SET full_at =
    CASE WHEN request_budget.full_at < :now THEN :now ELSE request_budget.full_at END + :cost
   WHERE CASE WHEN request_budget.full_at < :now THEN :now ELSE request_budget.full_at END + :cost
         <= CAST(:now AS BIGINT) + :burst`;
const FIND_BUCKET = 'SELECT full_at FROM request_budget WHERE bucket = :bucket';
const DRAIN = `
  INSERT INTO request_budget (bucket, full_at) VALUES (:bucket, CAST(:until AS BIGINT) + :burst)
  ON CONFLICT (bucket) DO UPDATE SET full_at = excluded.full_at
   WHERE request_budget.full_at < excluded.full_at`;
const DELETE_FULL_BUCKETS = `
  DELETE FROM request_budget WHERE bucket IN
    (SELECT bucket FROM request_budget WHERE full_at <= :now LIMIT :limit)
    AND full_at <= :now`;

const CIRCUIT = 'account_key = :accountKey AND operation = :operation';
const LEASE_PROBE = `
  UPDATE request_circuit SET probe_until = :until
   WHERE ${CIRCUIT} AND open_until <= :now AND (probe_until IS NULL OR probe_until <= :now)`;
// Returns no row for a failure that does not count.
const COUNT_FAILURE = `
  INSERT INTO request_circuit (account_key, operation, failures, failure)
  SELECT account_key, CAST(:operation AS TEXT), 1, CAST(:failure AS TEXT) FROM account WHERE account_key = :accountKey
  ON CONFLICT (account_key, operation) DO UPDATE SET
    failures = request_circuit.failures + 1, failure = excluded.failure
   WHERE request_circuit.open_until IS NULL OR request_circuit.open_until <= :now
  RETURNING failures`;
const OPEN_CIRCUIT = `UPDATE request_circuit SET open_until = :openUntil, probe_until = NULL WHERE ${CIRCUIT}`;
const CLOSE_CIRCUIT = `DELETE FROM request_circuit WHERE ${CIRCUIT}`;

export function requestLimitStore(db: Database): RequestLimitStore {
  const findCircuits = `SELECT operation, failure, open_until FROM request_circuit
    WHERE account_key = :accountKey AND operation ${db.dialect.oneOf('operations')}`;
  return {
    takeSlot: async ({ mailbox, slot, holder }, now, until) =>
      (await db.change(TAKE_SLOT, { mailbox, slot, holder, now, until })) > 0,

    async releaseSlot({ mailbox, slot, holder }) {
      await db.change(RELEASE_SLOT, { mailbox, slot, holder });
    },

    async takeTokens({ bucket, cost, burst }, now) {
      const updated = await db.change(TAKE_TOKENS, { bucket, cost, burst, now });
      if (updated > 0) return 0;
      const row = await db.get<{ fullAt: number }>(FIND_BUCKET, { bucket });
      return Math.max(1, (row?.fullAt ?? now) + cost - burst - now);
    },

    async drain(bucket, burst, until) {
      await db.change(DRAIN, { bucket, burst, until });
    },

    async circuitsOf(accountKey, operations) {
      const rows = await db.all<CircuitRow>(findCircuits, { accountKey, operations });
      return rows.map((row) => ({ ...row, failure: JSON.parse(row.failure) }));
    },

    leaseProbe: async ({ accountKey, operation }, now, until) =>
      (await db.change(LEASE_PROBE, { accountKey, operation, now, until })) > 0,

    async countFailure({ accountKey, operation, failure }, now, openUntil) {
      const circuit = { accountKey, operation };
      await db.transaction(async (tx) => {
        const values = { ...circuit, failure: JSON.stringify(failure), now };
        const row = await tx.get<{ failures: number }>(COUNT_FAILURE, values);
        if (row === undefined) return;
        await tx.change(OPEN_CIRCUIT, { ...circuit, openUntil: openUntil(row.failures) ?? null });
      });
    },

    async closeCircuit({ accountKey, operation }) {
      await db.change(CLOSE_CIRCUIT, { accountKey, operation });
    },

    async deleteUnusedLimits(now) {
      const slots = await deleteInParts(db, DELETE_ENDED_SLOTS, { now });
      const buckets = await deleteInParts(db, DELETE_FULL_BUCKETS, { now });
      return slots + buckets;
    },
  };
}
