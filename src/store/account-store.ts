/** AccountStore in SQL; held to test/contract/account-store.contract.ts on both databases. */
import { randomUUID } from 'node:crypto';

import type { Account, AccountStore, NewAccount } from '../calendars/account-store.ts';
import type { Sealer } from '../lib/sealing.ts';
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  accountOf,
  credentialsContext,
  leaveAccounts,
} from './account-rows.ts';
import { noteAccountsLeaving } from './change-journal.ts';
import type { Database, Statements, Values } from './drivers/database.ts';
import { scheduleJob } from './job-rows.ts';
import { NO_FAILURE } from './token-lease-store.ts';

/**
 * `jobScheduled` is called when a job was committed, so that a worker in this process need not wait for
 * its next look at the table.
 */
export function accountStore(db: Database, sealer: Sealer, jobScheduled = () => {}): AccountStore {
  return {
    async linkAccount(account, now) {
      const linked = await db.transaction((tx) => link(tx, sealer, account, now));
      jobScheduled();
      return linked;
    },

    ...readsOf(db, sealer),

    async setHealth({ accountKey, timesLinked }, { state, reason, message }, now) {
      await db.write(
        `UPDATE account SET health = :state, health_reason = :reason, health_message = :message,
                health_since = CASE WHEN health = :state THEN health_since ELSE :now END,
                calendar_permission = CASE WHEN :reason = 'calendar_permission_missing' THEN 0
                                           ELSE calendar_permission END
          WHERE account_key = :accountKey AND times_linked = :timesLinked
            AND (health <> :state OR health_reason <> :reason OR health_message <> :message)
            AND NOT (health = 'reauth_required' AND :state = 'degraded')
         RETURNING account_key`,
        { accountKey, timesLinked, state, reason, message, now },
      );
    },

    async recover(accountKey, now) {
      await db.write(
        `UPDATE account SET health = 'active', health_reason = NULL, health_message = NULL, health_since = :now,
                calendar_permission = CASE WHEN calendar_permission = 0 THEN 1 ELSE calendar_permission END
          WHERE account_key = :accountKey AND health <> 'active' AND list_error IS NULL
            AND NOT EXISTS (SELECT 1 FROM calendar
                             WHERE calendar.account_key = :accountKey AND sync_error IS NOT NULL)
         RETURNING account_key`,
        { accountKey, now },
      );
    },

    async disconnect(clientId, userId, provider, accountId, now) {
      const values = { clientId, userId, provider, accountId: accountId ?? null, now };
      const gone = await db.transaction((tx) => disconnect(tx, values));
      if (gone > 0) jobScheduled();
      return gone;
    },
  };
}

type Reads = Pick<
  AccountStore,
  'listAccounts' | 'findAccount' | 'accountsLinkedBy' | 'loadingOf' | 'credentialsOf'
>;

type LoadingRow = { account_key: string; listed_at: number | null; calendars: number; loaded: number };

function readsOf(db: Database, sealer: Sealer): Reads {
  return {
    async listAccounts(clientId, userId) {
      const rows = await db.all<AccountRow>(
        `SELECT ${ACCOUNT_COLUMNS} FROM account WHERE client_id = :clientId AND user_id = :userId
         ORDER BY CASE provider WHEN 'google' THEN 0 WHEN 'microsoft' THEN 1 WHEN 'apple' THEN 2 ELSE 3 END,
                  linked_at, account_key`,
        { clientId, userId },
      );
      return rows.map(accountOf);
    },

    async findAccount(accountKey) {
      const row = await db.get<AccountRow>(
        `SELECT ${ACCOUNT_COLUMNS} FROM account WHERE account_key = :accountKey`,
        {
          accountKey,
        },
      );
      return row && accountOf(row);
    },

    async accountsLinkedBy(clientId, userId, deviceHash) {
      const rows = await db.all<{ account_key: string }>(
        `SELECT d.account_key FROM account_device d JOIN account a ON a.account_key = d.account_key
          WHERE a.client_id = :clientId AND a.user_id = :userId AND d.device_hash = :deviceHash`,
        { clientId, userId, deviceHash },
      );
      return new Set(rows.map((row) => row.account_key));
    },

    async loadingOf(clientId, userId) {
      const rows = await db.all<LoadingRow>(
        `SELECT a.account_key, a.listed_at, COUNT(c.calendar_key) AS calendars,
                COUNT(COALESCE(c.synced_at, c.failed_at)) AS loaded
           FROM account a LEFT JOIN calendar c ON c.account_key = a.account_key
          WHERE a.client_id = :clientId AND a.user_id = :userId
          GROUP BY a.account_key, a.listed_at`,
        { clientId, userId },
      );
      return new Map(
        rows.map(({ account_key: key, listed_at: listedAt, calendars, loaded }) => {
          return [key, { isListed: listedAt !== null, calendars, loaded }];
        }),
      );
    },

    async credentialsOf(accountKey) {
      const row = await db.get<{ credentials: string }>(
        'SELECT credentials FROM account WHERE account_key = :accountKey',
        { accountKey },
      );
      return row && JSON.parse(sealer.open(row.credentials, credentialsContext(accountKey)));
    },
  };
}

async function link(tx: Statements, sealer: Sealer, account: NewAccount, now: number): Promise<Account> {
  const candidate = randomUUID();
  const seal = (key: string) => sealer.seal(JSON.stringify(account.credentials), credentialsContext(key));
  const values = {
    clientId: account.clientId,
    userId: account.userId,
    provider: account.provider,
    accountId: account.accountId,
    display: account.display,
    grantedScopes: JSON.stringify(account.grantedScopes),
    calendarPermission: account.calendarPermission === undefined ? null : Number(account.calendarPermission),
    ...(account.calendarPermission === false ? NO_PERMISSION : WELL),
    now,
  };
  // The conflict locks the row of the account that is linked already: of concurrent calls, one inserts.
  const [row] = await tx.all<AccountRow>(
    `INSERT INTO account (account_key, client_id, user_id, provider, account_id, display, credentials,
       granted_scopes, calendar_permission, health, health_reason, health_message, health_since, linked_at)
     VALUES (:candidate, :clientId, :userId, :provider, :accountId, :display, :credentials,
       :grantedScopes, :calendarPermission, :health, :reason, :message, :now, :now)
     ON CONFLICT (client_id, user_id, provider, account_id) DO UPDATE SET
       display = excluded.display, granted_scopes = excluded.granted_scopes,
       calendar_permission = excluded.calendar_permission, health = excluded.health,
       health_reason = excluded.health_reason, health_message = excluded.health_message,
       health_since = CASE WHEN account.health = excluded.health THEN account.health_since ELSE :now END,
       times_linked = account.times_linked + 1, list_error = NULL, list_failed_at = NULL, lease_holder = NULL
     RETURNING ${ACCOUNT_COLUMNS}`,
    { ...values, candidate, credentials: seal(candidate) },
  );
  if (row === undefined) throw new Error('An upsert of an account answered no row');

  const accountKey = row.account_key;
  if (accountKey !== candidate) await renew(tx, accountKey, seal(accountKey));
  await tx.all(
    `INSERT INTO account_device (account_key, device_hash) VALUES (:accountKey, :deviceHash)
     ON CONFLICT (account_key, device_hash) DO NOTHING`,
    { accountKey, deviceHash: account.deviceHash },
  );
  await scheduleJob(tx, 'sync-account', accountKey, now);
  return accountOf(row);
}

/** New credentials, sealed for this row, and nothing of the old ones' failures or of work under way with them. */
async function renew(tx: Statements, accountKey: string, credentials: string): Promise<void> {
  await tx.all(
    `UPDATE account SET credentials = :credentials, credentials_version = credentials_version + 1,
            renewal_holder = NULL, renewal_until = NULL, ${NO_FAILURE}
      WHERE account_key = :accountKey`,
    { accountKey, credentials },
  );
  await tx.all(
    `UPDATE calendar SET sync_error = NULL, failed_at = NULL, lease_holder = NULL
      WHERE account_key = :accountKey`,
    { accountKey },
  );
  await tx.all('DELETE FROM request_circuit WHERE account_key = :accountKey', { accountKey });
}

const WELL = { health: 'active', reason: null, message: null };
const NO_PERMISSION = {
  health: 'reauth_required',
  reason: 'calendar_permission_missing',
  message: 'The account was connected without access to its calendars',
};

async function disconnect(tx: Statements, values: Values & { readonly now: number }): Promise<number> {
  // Locks the user's row, as noteAccountsLeaving does too: of two calls that each take one of the last two
  // accounts, the second must see that none is left.
  await tx.all(
    'UPDATE application_user SET last_seen_at = :now WHERE client_id = :clientId AND user_id = :userId',
    values,
  );
  const chosen = `SELECT account_key FROM account
    WHERE client_id = :clientId AND user_id = :userId AND provider = :provider
      AND (CAST(:accountId AS TEXT) IS NULL OR account_id = :accountId)`;
  await noteAccountsLeaving(tx, chosen, values);
  await leaveAccounts(tx, chosen, values);
  const gone = await tx.all(
    `DELETE FROM account WHERE account_key IN (${chosen}) RETURNING account_key`,
    values,
  );
  if (gone.length > 0) {
    await tx.all(
      `UPDATE authorization_code SET withdrawn_at = :now
        WHERE client_id = :clientId AND user_id = :userId AND withdrawn_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM account WHERE client_id = :clientId AND user_id = :userId)`,
      values,
    );
  }
  return gone.length;
}
