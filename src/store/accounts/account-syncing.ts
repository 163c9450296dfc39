/** Syncs accounts on request. */
import type { ChangeTerms } from '../../audit/audit-entry.ts';
import { auditFor, subjectOfUser } from '../audit/append-audit.ts';
import type { Database } from '../drivers/database.ts';
import { scheduleJob } from '../jobs/job-rows.ts';

type AccountsToSync = {
  readonly clientId: string;
  readonly userId: string;
  readonly accountKey?: string | undefined;
};

const ACCOUNTS = `
  SELECT a.account_key AS key FROM account AS a
    JOIN account_group AS g ON g.group_id = a.group_id AND g.expires_at IS NULL
   WHERE a.client_id = :clientId AND a.user_id = :userId
     AND (CAST(:accountKey AS TEXT) IS NULL OR a.account_key = :accountKey)
   ORDER BY a.account_key`;
/** The calendars with push notifications: the account's own sync skips them for some hours. */
const PUSHED = `
  SELECT c.calendar_key AS key FROM calendar AS c
   WHERE c.account_key = :accountKey AND c.left_out = 0
     AND EXISTS (SELECT 1 FROM provider_watch AS w WHERE w.calendar_key = c.calendar_key AND w.state = 'live')
   ORDER BY c.position, c.calendar_key LIMIT 100`;

/** Implements AccountStore.requestSync. `by` is the operator who requests it, if any. */
export async function requestSync(
  db: Database,
  { accountKey, clientId, userId }: AccountsToSync,
  { now, by }: ChangeTerms,
): Promise<number> {
  return db.transaction(async (tx) => {
    // First, since it locks the user.
    const subject = by && (await subjectOfUser(tx, { clientId, userId }));
    const values = { clientId, userId, accountKey: accountKey ?? null };
    const accounts = await tx.all<{ key: string }>(ACCOUNTS, values);
    for (const { key } of accounts) {
      await scheduleJob(tx, { kind: 'sync-account', key }, now);
      const calendars = await tx.all<{ key: string }>(PUSHED, { accountKey: key });
      for (const calendar of calendars)
        await scheduleJob(tx, { kind: 'sync-calendar', key: calendar.key }, now);
    }
    if (accounts.length === 0) return 0;
    const after = { accounts: accounts.length };
    await auditFor(tx, by, { action: 'account.sync_requested', clientId, subject, after });
    return accounts.length;
  });
}
