/** RequestLimitStore in SQL; held to test/contract/request-limit-store.contract.ts on both databases. */
import type { RequestLimitStore } from '../access/request-limit-store.ts';
import type { Database, Statements } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';

type CircuitRow = { operation: string; failure: string; openUntil: number | null };
type Slots = Pick<RequestLimitStore, 'takeSlot' | 'giveSlotBack' | 'deleteUnusedLimits'>;
type Buckets = Pick<RequestLimitStore, 'takeTokens' | 'drain'>;

export function requestLimitStore(db: Database): RequestLimitStore {
  return { ...slotsOf(db), ...bucketsOf(db), ...circuitsOf(db) };
}

function slotsOf(db: Database): Slots {
  return {
    async takeSlot({ mailbox, slot, holder }, now, until) {
      const won = await db.write(
        `INSERT INTO request_slot (mailbox, slot, holder, lease_until) VALUES (:mailbox, :slot, :holder, :until)
         ON CONFLICT (mailbox, slot) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
          WHERE request_slot.lease_until <= :now
         RETURNING slot`,
        { mailbox, slot, holder, now, until },
      );
      return won.length > 0;
    },

    async giveSlotBack({ mailbox, slot, holder }) {
      await db.write(
        `DELETE FROM request_slot WHERE mailbox = :mailbox AND slot = :slot AND holder = :holder RETURNING slot`,
        { mailbox, slot, holder },
      );
    },

    async deleteUnusedLimits(now) {
      const slots = await deleteInParts(
        db,
        `DELETE FROM request_slot WHERE (mailbox, slot) IN
           (SELECT mailbox, slot FROM request_slot WHERE lease_until <= :now LIMIT :limit)
           AND lease_until <= :now RETURNING slot`,
        { now },
      );
      const buckets = await deleteInParts(
        db,
        `DELETE FROM request_budget WHERE bucket IN
           (SELECT bucket FROM request_budget WHERE full_at <= :now LIMIT :limit)
           AND full_at <= :now RETURNING bucket`,
        { now },
      );
      return slots + buckets;
    },
  };
}

function bucketsOf(db: Database): Buckets {
  return {
    async takeTokens(bucket, cost, burst, now) {
      const taken = await db.write(
        `INSERT INTO request_budget (bucket, full_at) VALUES (:bucket, CAST(:now AS BIGINT) + :cost)
         ON CONFLICT (bucket) DO UPDATE SET full_at =
           CASE WHEN request_budget.full_at < :now THEN :now ELSE request_budget.full_at END + :cost
          WHERE CASE WHEN request_budget.full_at < :now THEN :now ELSE request_budget.full_at END + :cost
                <= CAST(:now AS BIGINT) + :burst
         RETURNING full_at`,
        { bucket, cost, burst, now },
      );
      if (taken.length > 0) return 0;
      const row = await db.get<{ fullAt: number }>(
        'SELECT full_at AS "fullAt" FROM request_budget WHERE bucket = :bucket',
        { bucket },
      );
      return Math.max(1, (row?.fullAt ?? now) + cost - burst - now);
    },

    async drain(bucket, burst, until) {
      await db.write(
        `INSERT INTO request_budget (bucket, full_at) VALUES (:bucket, CAST(:until AS BIGINT) + :burst)
         ON CONFLICT (bucket) DO UPDATE SET full_at = excluded.full_at
          WHERE request_budget.full_at < excluded.full_at
         RETURNING full_at`,
        { bucket, burst, until },
      );
    },
  };
}

function circuitsOf(db: Database): Omit<RequestLimitStore, keyof Slots | keyof Buckets> {
  const named = `SELECT operation, failure, open_until AS "openUntil" FROM request_circuit
    WHERE account_key = :accountKey AND operation ${db.dialect.oneOf('operations')}`;
  return {
    async circuitsOf(accountKey, operations) {
      const rows = await db.all<CircuitRow>(named, { accountKey, operations });
      return rows.map(({ operation, failure, openUntil }) => ({
        operation,
        failure: JSON.parse(failure),
        openUntil: openUntil ?? undefined,
      }));
    },

    async leaseProbe(accountKey, operation, now, until) {
      const won = await db.write(
        `UPDATE request_circuit SET probe_until = :until
          WHERE account_key = :accountKey AND operation = :operation AND open_until <= :now
            AND (probe_until IS NULL OR probe_until <= :now)
         RETURNING operation`,
        { accountKey, operation, now, until },
      );
      return won.length > 0;
    },

    async countFailure(accountKey, operation, failure, now, openUntil) {
      const values = { accountKey, operation, failure: JSON.stringify(failure), now };
      await db.transaction(async (tx) => {
        const failures = await oneMoreFailure(tx, values);
        if (failures === undefined) return;
        await tx.all(
          `UPDATE request_circuit SET open_until = :openUntil, probe_until = NULL
            WHERE account_key = :accountKey AND operation = :operation`,
          { accountKey, operation, openUntil: openUntil(failures) ?? null },
        );
      });
    },

    async closeCircuit(accountKey, operation) {
      await db.write(
        `DELETE FROM request_circuit WHERE account_key = :accountKey AND operation = :operation
         RETURNING operation`,
        { accountKey, operation },
      );
    },
  };
}

/** How many there are in a row now; `undefined` when this one does not count. */
async function oneMoreFailure(
  tx: Statements,
  values: { accountKey: string; operation: string; failure: string; now: number },
): Promise<number | undefined> {
  const row = await tx.get<{ failures: number }>(
    `INSERT INTO request_circuit (account_key, operation, failures, failure)
     SELECT account_key, CAST(:operation AS TEXT), 1, CAST(:failure AS TEXT) FROM account WHERE account_key = :accountKey
     ON CONFLICT (account_key, operation) DO UPDATE SET
       failures = request_circuit.failures + 1, failure = excluded.failure
      WHERE request_circuit.open_until IS NULL OR request_circuit.open_until <= :now
     RETURNING failures`,
    values,
  );
  return row?.failures;
}
