/** Reads the rows of accounts, seals their credentials and prepares their deletion, for several stores. */
import type { Account, AccountHealth } from '../../calendars/account-store.ts';
import type { ProviderCredentials } from '../../calendars/calendar-provider.ts';
import type { HealthReason } from '../../calendars/health-reason.ts';
import { PROVIDER_FACTS, PROVIDER_KINDS } from '../../calendars/provider-facts.ts';
import { type Sealer, sealedField } from '../../lib/sealing.ts';
import type { Statements, Values } from '../drivers/database.ts';
import { scheduleEndOfAccess } from '../jobs/job-rows.ts';

export type HealthRow = {
  health: AccountHealth['state'];
  healthReason: HealthReason | undefined;
  healthMessage: string | undefined;
  healthSince: number;
};

export type AccountRow = HealthRow &
  Omit<Account, 'grantedScopes' | 'calendarPermission' | 'health' | 'provesOwner'> & {
    grantedScopes: string;
    calendarPermission: number | undefined;
    provesOwner: number;
  };

/** Returns SQL for whether an account must be connected again, not only to grant a missing permission. */
export const signInNeeded = (health: string, reason: string): string =>
  `CASE WHEN ${health} = 'reauth_required' AND ${reason} <> 'calendar_permission_missing' THEN 1 ELSE 0 END`;

/** Selects the groups of unfinished flows: few, and read once for a whole statement. */
export const UNFINISHED = 'SELECT group_id FROM account_group WHERE expires_at IS NOT NULL';

export const HEALTH_COLUMNS = `health, health_reason, health_message, health_since`;
export const ACCOUNT_COLUMNS = `account_key, client_id, user_id, provider,
  account_id, identity, proves_owner, display, granted_scopes, calendar_permission,
  ${HEALTH_COLUMNS}, sync_state_at, addresses_read_at, linked_at, times_linked`;

export const toAccountHealth = (row: HealthRow): AccountHealth => ({
  state: row.health,
  reason: row.healthReason,
  message: row.healthMessage,
  since: row.healthSince,
});

export function parseAccountRow(row: AccountRow): Account {
  const { health: _, healthReason, healthMessage, healthSince, ...account } = row;
  return {
    ...account,
    grantedScopes: JSON.parse(row.grantedScopes),
    provesOwner: row.provesOwner === 1,
    calendarPermission: row.calendarPermission === undefined ? undefined : row.calendarPermission === 1,
    health: toAccountHealth(row),
  };
}

const credentialsContext = sealedField('account.credentials');

/** Returns functions that seal and open the credentials of an account. They open in no other row. */
export const credentialSealer = (sealer: Sealer) => ({
  seal: (accountKey: string, credentials: ProviderCredentials): string =>
    sealer.seal(JSON.stringify(credentials), credentialsContext(accountKey)),
  open: (accountKey: string, sealed: string): ProviderCredentials =>
    JSON.parse(sealer.open(sealed, credentialsContext(accountKey))),
});

const ENDED_AT_PROVIDER = PROVIDER_KINDS.filter((kind) => PROVIDER_FACTS[kind].endsAccess);

/** SQL: whether an account's provider can be asked to end the access. */
export const ACCESS_CAN_BE_ENDED = `provider IN ('${ENDED_AT_PROVIDER.join("', '")}')`;

/** Deletes the jobs of the accounts that `accounts` selects and schedules the end of their access at `now`. */
export async function prepareAccountDeletion(
  tx: Statements,
  accounts: string,
  values: Values,
): Promise<void> {
  const ended = `FROM account
    WHERE account_key IN (${accounts}) AND ${ACCESS_CAN_BE_ENDED}`;
  await tx.change(
    `DELETE FROM job WHERE (kind = 'sync-account' AND key IN (${accounts}))
        OR (kind = 'sync-calendar' AND key IN
             (SELECT calendar_key FROM calendar WHERE account_key IN (${accounts})))`,
    values,
  );
  await tx.change(
    `INSERT INTO ended_access (account_key, client_id, provider, account_id, identity, credentials, ended_at)
     SELECT account_key, client_id, provider, account_id, identity, credentials, CAST(:now AS BIGINT) ${ended}`,
    values,
  );
  await scheduleEndOfAccess(tx, ended, values);
}

/** Returns SQL that sorts accounts in the order of PROVIDER_KINDS. `column` has the kind. */
export const providerOrder = (column: string): string =>
  `CASE ${column} ${PROVIDER_KINDS.map((kind, i) => `WHEN '${kind}' THEN ${i}`).join(' ')} END`;
