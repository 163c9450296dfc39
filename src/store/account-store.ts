/** AccountStore in SQL; held to test/contract/account-store.contract.ts on both databases. */
import { randomUUID } from 'node:crypto';

import type { Account, AccountHealth, AccountStore, NewAccount } from '../calendars/account-store.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { Database, Statements, Values } from './database.ts';
import { scheduleJob } from './job-rows.ts';

type AccountRow = {
  account_key: string;
  client_id: string;
  user_id: string;
  provider: ProviderKind;
  account_id: string;
  display: string;
  granted_scopes: string;
  calendar_permission: number | null;
  health: AccountHealth['state'];
  health_reason: string | null;
  health_since: number;
  linked_at: number;
};

const COLUMNS = `account_key, client_id, user_id, provider, account_id, display, granted_scopes,
  calendar_permission, health, health_reason, health_since, linked_at`;

/**
 * `jobScheduled` is called when a first sync's job was committed, so that a worker in this process
 * need not wait for its next look at the table.
 */
export function accountStore(db: Database, sealer: Sealer, jobScheduled = () => {}): AccountStore {
  return {
    async linkAccount(account, now) {
      const linked = await db.transaction((tx) => link(tx, sealer, account, now));
      jobScheduled();
      return linked;
    },

    async listAccounts(clientId, userId) {
      const rows = await db.all<AccountRow>(
        `SELECT ${COLUMNS} FROM account WHERE client_id = :clientId AND user_id = :userId
         ORDER BY CASE provider WHEN 'google' THEN 0 WHEN 'microsoft' THEN 1 WHEN 'apple' THEN 2 ELSE 3 END,
                  linked_at, account_key`,
        { clientId, userId },
      );
      return rows.map(accountOf);
    },

    async findAccount(accountKey) {
      const row = await db.get<AccountRow>(`SELECT ${COLUMNS} FROM account WHERE account_key = :accountKey`, {
        accountKey,
      });
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

    async credentialsOf(accountKey) {
      const row = await db.get<{ credentials: string }>(
        'SELECT credentials FROM account WHERE account_key = :accountKey',
        { accountKey },
      );
      return row && JSON.parse(sealer.open(row.credentials, contextOf(accountKey)));
    },

    async setHealth(accountKey, state, reason, now) {
      await db.write(
        `UPDATE account SET health = :state, health_reason = :reason,
                health_since = CASE WHEN health = :state THEN health_since ELSE :now END
          WHERE account_key = :accountKey
            AND (health <> :state OR COALESCE(health_reason, '') <> COALESCE(:reason, ''))
            AND NOT (health = 'reauth_required' AND :state = 'degraded')
         RETURNING account_key`,
        { accountKey, state, reason: reason ?? null, now },
      );
    },

    async recover(accountKey, now) {
      await db.write(
        `UPDATE account SET health = 'active', health_reason = NULL, health_since = :now
          WHERE account_key = :accountKey AND health <> 'active' AND list_error IS NULL
            AND NOT EXISTS (SELECT 1 FROM calendar
                             WHERE calendar.account_key = :accountKey AND sync_error IS NOT NULL)
         RETURNING account_key`,
        { accountKey, now },
      );
    },

    disconnect(clientId, userId, provider, accountId, now) {
      return db.transaction((tx) =>
        disconnect(tx, { clientId, userId, provider, accountId: accountId ?? null, now }),
      );
    },
  };
}

const contextOf = (accountKey: string): string => `account|${accountKey}|credentials`;

async function link(tx: Statements, sealer: Sealer, account: NewAccount, now: number): Promise<Account> {
  const candidate = randomUUID();
  const seal = (key: string) => sealer.seal(JSON.stringify(account.credentials), contextOf(key));
  const values = {
    clientId: account.clientId,
    userId: account.userId,
    provider: account.provider,
    accountId: account.accountId,
    display: account.display,
    grantedScopes: JSON.stringify(account.grantedScopes),
    calendarPermission: account.calendarPermission === undefined ? null : Number(account.calendarPermission),
    now,
  };
  // The conflict locks the row of the account that is linked already: of concurrent calls, one inserts.
  const [row] = await tx.all<AccountRow>(
    `INSERT INTO account (account_key, client_id, user_id, provider, account_id, display, credentials,
       granted_scopes, calendar_permission, health, health_since, linked_at)
     VALUES (:candidate, :clientId, :userId, :provider, :accountId, :display, :credentials,
       :grantedScopes, :calendarPermission, 'active', :now, :now)
     ON CONFLICT (client_id, user_id, provider, account_id) DO UPDATE SET
       display = excluded.display, granted_scopes = excluded.granted_scopes,
       calendar_permission = excluded.calendar_permission, health = 'active', health_reason = NULL,
       health_since = CASE WHEN account.health = 'active' THEN account.health_since ELSE :now END,
       list_error = NULL, list_failed_at = NULL
     RETURNING ${COLUMNS}`,
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

/** New credentials, sealed for this row, and nothing of the old ones' failures. */
async function renew(tx: Statements, accountKey: string, credentials: string): Promise<void> {
  await tx.all('UPDATE account SET credentials = :credentials WHERE account_key = :accountKey', {
    accountKey,
    credentials,
  });
  await tx.all('UPDATE calendar SET sync_error = NULL, failed_at = NULL WHERE account_key = :accountKey', {
    accountKey,
  });
}

async function disconnect(tx: Statements, values: Values): Promise<number> {
  // Locks the user's row: of two calls that each take one of the last two accounts, the second must
  // see that none is left.
  await tx.all(
    'UPDATE application_user SET last_seen_at = :now WHERE client_id = :clientId AND user_id = :userId',
    values,
  );
  const chosen = `SELECT account_key FROM account
    WHERE client_id = :clientId AND user_id = :userId AND provider = :provider
      AND (CAST(:accountId AS TEXT) IS NULL OR account_id = :accountId)`;
  await tx.all(
    `DELETE FROM job WHERE (kind = 'sync-account' AND key IN (${chosen}))
        OR (kind = 'sync-calendar' AND key IN
             (SELECT calendar_key FROM calendar WHERE account_key IN (${chosen})))`,
    values,
  );
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

function accountOf(row: AccountRow): Account {
  return {
    accountKey: row.account_key,
    clientId: row.client_id,
    userId: row.user_id,
    provider: row.provider,
    accountId: row.account_id,
    display: row.display,
    grantedScopes: JSON.parse(row.granted_scopes),
    calendarPermission: row.calendar_permission === null ? undefined : row.calendar_permission === 1,
    health: { state: row.health, reason: row.health_reason ?? undefined, since: row.health_since },
    linkedAt: row.linked_at,
  };
}
