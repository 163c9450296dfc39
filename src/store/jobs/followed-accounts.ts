/** Finds accounts whose changes are awaited: the application has an endpoint, or the user's change feed is read. */

import type { ProviderKind } from '../../calendars/provider-facts.ts';
import type { FollowedAccounts } from '../../sync/sync-interval.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { OR_EARLIER } from './job-rows.ts';

/** Condition on the account `a`. Excludes accounts that are not their user's yet. */
export const FOLLOWED_ACCOUNT = `
  EXISTS (SELECT 1 FROM account_group AS fg WHERE fg.group_id = a.group_id AND fg.expires_at IS NULL)
  AND (EXISTS (SELECT 1 FROM webhook_endpoint AS fe WHERE fe.client_id = a.client_id AND fe.state = 'active')
       OR EXISTS (SELECT 1 FROM application_user AS fu
                   WHERE fu.client_id = a.client_id AND fu.user_id = a.user_id AND fu.feed_id IS NOT NULL))`;

const FACTS = `
  SELECT a.provider, u.changed_at, CASE WHEN ${FOLLOWED_ACCOUNT} THEN 1 ELSE 0 END AS followed
    FROM account AS a JOIN application_user AS u ON u.client_id = a.client_id AND u.user_id = a.user_id
   WHERE a.account_key = :accountKey`;

export const followedAccounts = (db: Database): FollowedAccounts => ({
  async syncFacts(accountKey) {
    const row = await db.get<{ provider: ProviderKind; changedAt: number; followed: number }>(FACTS, {
      accountKey,
    });
    return row && { ...row, followed: row.followed === 1 };
  },
});

/** Maximum number of accounts whose sync is brought forward at once. The others wait for their next sync. */
const MOST_BROUGHT_FORWARD = 1_000;
/** Period over which these syncs are spread, in milliseconds. */
const SPREAD_MS = 60_000;

const WAITING = `
  SELECT j.key FROM job AS j JOIN account AS a ON a.account_key = j.key
   WHERE j.kind = 'sync-account' AND a.client_id = :clientId
     AND (CAST(:userId AS TEXT) IS NULL OR a.user_id = :userId) AND j.lease_holder IS NULL AND j.unfinished = 0
     AND j.run_at > :now ORDER BY j.run_at LIMIT ${MOST_BROUGHT_FORWARD}`;
/** Locks the turns before their jobs, as every caller does (job-rows.ts). */
const TURNS = `
  INSERT INTO job_turn (client_id, owner, kind, host, turn_at)
  SELECT DISTINCT CAST(:clientId AS TEXT), owner, kind, host, CAST(:now AS BIGINT) FROM job
   WHERE kind = 'sync-account' AND key IN (${WAITING}) ${OR_EARLIER}`;
const JOBS = `
  UPDATE job SET run_at = CASE WHEN run_at > :now + (run_at % ${SPREAD_MS}) THEN :now + (run_at % ${SPREAD_MS}) ELSE run_at END
   WHERE kind = 'sync-account' AND lease_holder IS NULL AND key IN (${WAITING})`;

/** Brings syncs forward when somebody begins to follow the accounts of an application or of one of its users. */
export async function lookSoon(
  tx: Statements,
  { clientId, userId = null }: { readonly clientId: string; readonly userId?: string | null },
  now: number,
): Promise<void> {
  await tx.change(TURNS, { clientId, userId, now });
  await tx.change(JOBS, { clientId, userId, now });
}
