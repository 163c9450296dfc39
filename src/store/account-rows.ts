/** What of an account's rows several stores share: how they are read, sealed and ended. */
import type { Account, AccountHealth } from '../calendars/account-store.ts';
import type { HealthReason } from '../calendars/health-reason.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';
import type { Statements, Values } from './drivers/database.ts';

export type AccountRow = {
  account_key: string;
  client_id: string;
  user_id: string;
  provider: ProviderKind;
  account_id: string;
  display: string;
  granted_scopes: string;
  calendar_permission: number | null;
  linked_at: number;
  times_linked: number;
} & HealthRow;

export type HealthRow = {
  health: AccountHealth['state'];
  health_reason: HealthReason | null;
  health_message: string | null;
  health_since: number;
};

export const ACCOUNT_COLUMNS = `account_key, client_id, user_id, provider, account_id, display, granted_scopes,
  calendar_permission, health, health_reason, health_message, health_since, linked_at, times_linked`;

/** What an account's credentials are sealed for: they open in no other row. */
export const credentialsContext = (accountKey: string): string => `account|${accountKey}|credentials`;

export const healthOf = (row: HealthRow): AccountHealth => ({
  state: row.health,
  reason: row.health_reason ?? undefined,
  message: row.health_message ?? undefined,
  since: row.health_since,
});

export function accountOf(row: AccountRow): Account {
  return {
    accountKey: row.account_key,
    clientId: row.client_id,
    userId: row.user_id,
    provider: row.provider,
    accountId: row.account_id,
    display: row.display,
    grantedScopes: JSON.parse(row.granted_scopes),
    calendarPermission: row.calendar_permission === null ? undefined : row.calendar_permission === 1,
    health: healthOf(row),
    linkedAt: row.linked_at,
    timesLinked: row.times_linked,
  };
}

/**
 * To be run before accounts are deleted: their jobs go, and access that their provider can end is kept
 * for the job that ends it. `chosen` selects the keys of the accounts; `values` has its parameters and `now`.
 */
export async function leaveAccounts(tx: Statements, chosen: string, values: Values): Promise<void> {
  await tx.all(
    `DELETE FROM job WHERE (kind = 'sync-account' AND key IN (${chosen}))
        OR (kind = 'sync-calendar' AND key IN
             (SELECT calendar_key FROM calendar WHERE account_key IN (${chosen})))`,
    values,
  );
  await tx.all(
    `INSERT INTO ended_access (account_key, client_id, provider, account_id, credentials, ended_at)
     SELECT account_key, client_id, provider, account_id, credentials, CAST(:now AS BIGINT) FROM account
      WHERE account_key IN (${chosen}) AND provider IN ('google', 'microsoft')`,
    values,
  );
  await tx.all(
    `INSERT INTO job (kind, key, run_at, attempts)
     SELECT 'end-access', account_key, CAST(:now AS BIGINT), 0 FROM account
      WHERE account_key IN (${chosen}) AND provider IN ('google', 'microsoft')`,
    values,
  );
}
