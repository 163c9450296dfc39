/** HealthHistory in SQL; held to test/contract/health-history.contract.ts on both databases. */
import type { AccountHealth } from '../../calendars/account-store.ts';
import { type HealthEvent, type HealthHistory, MOST_HEALTH_EVENTS } from '../../calendars/health-history.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';

const LAST = '(SELECT MAX(number) FROM account_history WHERE account_key = :accountKey)';
const LAST_OF_HEALTH = LAST.replace(':accountKey', ":accountKey AND happened <> 'refresh_reused'");
// Another message about the same problem is no new event. Numbers have no gaps: the account's row is locked.
const ADD = `
  INSERT INTO account_history (account_key, number, happened, reason, message, happened_at)
  SELECT account_key, COALESCE(${LAST}, 0) + 1, CAST(:happened AS TEXT), CAST(:reason AS TEXT), CAST(:message AS TEXT),
         CAST(:at AS BIGINT)
    FROM account
   WHERE account_key = :accountKey
     AND (:happened IN ('connected', 'refresh_reused') OR NOT EXISTS
           (SELECT 1 FROM account_history AS h
             WHERE h.account_key = :accountKey AND h.number = ${LAST_OF_HEALTH}
               AND h.happened = :happened AND COALESCE(h.reason, '') = COALESCE(CAST(:reason AS TEXT), '')))
  RETURNING number`;
const FORGET = `
  DELETE FROM account_history WHERE account_key = :accountKey AND number <= :last`;

/** Adds an event, in the transaction that changes the account's health and after that statement. */
export async function addHealthEvent(
  tx: Statements,
  { reason, message, ...event }: HealthEvent,
): Promise<void> {
  const values = { ...event, reason: reason ?? null, message: message ?? null };
  const added = await tx.get<{ number: number }>(ADD, values);
  if (added === undefined) return;
  await tx.change(FORGET, { accountKey: event.accountKey, last: added.number - MOST_HEALTH_EVENTS });
}

const HEALTH = `
  SELECT health, health_reason AS reason, health_message AS message FROM account WHERE account_key = :accountKey`;
type HealthRow = Pick<HealthEvent, 'reason' | 'message'> & { health: AccountHealth['state'] };

/** Adds the event of an account that was just connected, and its problem, if it has one from the start. */
export async function addConnected(tx: Statements, accountKey: string, now: number): Promise<void> {
  const event = { accountKey, at: now, reason: undefined, message: undefined };
  await addHealthEvent(tx, { ...event, happened: 'connected' });
  const row = await tx.get<HealthRow>(HEALTH, { accountKey });
  if (row === undefined || row.health === 'active') return;
  const { health, ...trouble } = row;
  await addHealthEvent(tx, { ...event, ...trouble, happened: health });
}

const LOCK_COVERED = `
  UPDATE account SET linked_at = linked_at
   WHERE group_id IN (SELECT group_id FROM grant_coverage WHERE coverage_id = :coverageId)
  RETURNING account_key`;

/** Adds the event of a grant that ended, to each account that it covered. */
export async function addReused(tx: Statements, coverageId: string, at: number): Promise<void> {
  for (const { accountKey } of await tx.all<{ accountKey: string }>(LOCK_COVERED, { coverageId }))
    await addHealthEvent(tx, {
      ...{ accountKey, happened: 'refresh_reused', at },
      ...{ reason: undefined, message: undefined },
    });
}

const LIST = `
  SELECT h.account_key, h.happened, h.reason, h.message, h.happened_at AS at
    FROM account AS a
    JOIN account_group AS g ON g.group_id = a.group_id AND g.expires_at IS NULL
    JOIN account_history AS h ON h.account_key = a.account_key
   WHERE a.client_id = :clientId AND a.user_id = :userId
   ORDER BY h.happened_at DESC, h.account_key, h.number DESC`;
const DELETE_OLD = `
  DELETE FROM account_history WHERE (account_key, number) IN
    (SELECT account_key, number FROM account_history WHERE happened_at < :before LIMIT :limit)`;

export const healthHistory = (db: Database): HealthHistory => ({
  listHealthEvents: (clientId, userId) => db.all<HealthEvent>(LIST, { clientId, userId }),

  deleteOldHealthEvents: (before) => deleteInParts(db, DELETE_OLD, { before }),
});
