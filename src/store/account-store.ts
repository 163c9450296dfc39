/** AccountStore in SQL; held to test/contract/account-store.contract.ts on both databases. */
import { randomUUID } from 'node:crypto';

import type { Account, AccountStore, NewAccount } from '../calendars/account-store.ts';
import type { Sealer } from '../lib/sealing.ts';
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  accountOf,
  credentialSealer,
  prepareAccountDeletion,
} from './account-rows.ts';
import { recordAccountRemoval } from './change-journal.ts';
import type { Database, Statements, Values } from './drivers/database.ts';
import { scheduleJob } from './job-rows.ts';
import { providerOrder } from './provider-order.ts';
import { NO_FAILURE } from './token-lease-store.ts';

type LoadingRow = { accountKey: string; listedAt: number | null; calendars: number; loaded: number };

const LIST = `
  SELECT ${ACCOUNT_COLUMNS} FROM account WHERE client_id = :clientId AND user_id = :userId
   ORDER BY ${providerOrder('provider')}, linked_at, account_key`;
const FIND = `SELECT ${ACCOUNT_COLUMNS} FROM account WHERE account_key = :accountKey`;
const CREDENTIALS = 'SELECT credentials FROM account WHERE account_key = :accountKey';
const LINKED_BY = `
  SELECT d.account_key AS "accountKey" FROM account_device d JOIN account a ON a.account_key = d.account_key
   WHERE a.client_id = :clientId AND a.user_id = :userId AND d.device_hash = :deviceHash`;
const LOADING = `
  SELECT a.account_key AS "accountKey", a.listed_at AS "listedAt", COUNT(c.calendar_key) AS calendars,
         COUNT(COALESCE(c.synced_at, c.failed_at)) AS loaded
    FROM account a LEFT JOIN calendar c ON c.account_key = a.account_key
   WHERE a.client_id = :clientId AND a.user_id = :userId
   GROUP BY a.account_key, a.listed_at`;

const SET_HEALTH = `
  UPDATE account SET health = :state, health_reason = :reason, health_message = :message,
         health_since = CASE WHEN health = :state THEN health_since ELSE :now END,
         calendar_permission = CASE WHEN :reason = 'calendar_permission_missing' THEN 0
                                    ELSE calendar_permission END
   WHERE account_key = :accountKey AND times_linked = :timesLinked
     AND (health <> :state OR health_reason <> :reason OR health_message <> :message)
     AND NOT (health = 'reauth_required' AND :state = 'degraded')
  RETURNING account_key`;
const RECOVER = `
  UPDATE account SET health = 'active', health_reason = NULL, health_message = NULL, health_since = :now,
         calendar_permission = CASE WHEN calendar_permission = 0 THEN 1 ELSE calendar_permission END
   WHERE account_key = :accountKey AND health <> 'active' AND list_error IS NULL
     AND NOT EXISTS (SELECT 1 FROM calendar
                      WHERE calendar.account_key = :accountKey AND sync_error IS NOT NULL)
  RETURNING account_key`;

/** `jobScheduled` is called when a job was committed, so that this process' worker looks at once. */
export function accountStore(db: Database, sealer: Sealer, jobScheduled = () => {}): AccountStore {
  const sealed = credentialSealer(sealer);
  return {
    async linkAccount(account, now) {
      const seal = (accountKey: string) => sealed.seal(accountKey, account.credentials);
      const linked = await db.transaction((tx) => link(tx, { account, seal, now }));
      jobScheduled();
      return linked;
    },

    async listAccounts(clientId, userId) {
      return (await db.all<AccountRow>(LIST, { clientId, userId })).map(accountOf);
    },

    async findAccount(accountKey) {
      const row = await db.get<AccountRow>(FIND, { accountKey });
      return row && accountOf(row);
    },

    async accountsLinkedBy(clientId, userId, deviceHash) {
      const rows = await db.all<{ accountKey: string }>(LINKED_BY, { clientId, userId, deviceHash });
      return new Set(rows.map(({ accountKey }) => accountKey));
    },

    async loadingOf(clientId, userId) {
      const rows = await db.all<LoadingRow>(LOADING, { clientId, userId });
      return new Map(
        rows.map(({ accountKey, listedAt, calendars, loaded }) => {
          return [accountKey, { isListed: listedAt !== null, calendars, loaded }];
        }),
      );
    },

    async credentialsOf(accountKey) {
      const row = await db.get<{ credentials: string }>(CREDENTIALS, { accountKey });
      return row && sealed.open(accountKey, row.credentials);
    },

    async setHealth({ accountKey, timesLinked }, { state, reason, message }, now) {
      await db.write(SET_HEALTH, { accountKey, timesLinked, state, reason, message, now });
    },

    async recover(accountKey, now) {
      await db.write(RECOVER, { accountKey, now });
    },

    async disconnect({ clientId, userId, provider, accountId = null }, now) {
      const values = { clientId, userId, provider, accountId, now };
      const deleted = await db.transaction((tx) => disconnect(tx, values));
      if (deleted > 0) jobScheduled();
      return deleted;
    },
  };
}

type Linking = {
  readonly account: NewAccount;
  /** Answers the account's credentials, sealed for the row of that key. */
  readonly seal: (accountKey: string) => string;
  readonly now: number;
};

async function link(tx: Statements, { account, seal, now }: Linking): Promise<Account> {
  const candidate = randomUUID();
  const { credentials: _, deviceHash, calendarPermission, ...fields } = account;
  const values = {
    ...fields,
    grantedScopes: JSON.stringify(account.grantedScopes),
    calendarPermission: calendarPermission === undefined ? null : Number(calendarPermission),
    ...(calendarPermission === false ? NO_PERMISSION : ACTIVE),
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

  const { accountKey } = row;
  if (accountKey !== candidate) await renew(tx, accountKey, seal(accountKey));
  await tx.all(
    `INSERT INTO account_device (account_key, device_hash) VALUES (:accountKey, :deviceHash)
     ON CONFLICT (account_key, device_hash) DO NOTHING`,
    { accountKey, deviceHash },
  );
  await scheduleJob(tx, { kind: 'sync-account', key: accountKey }, now);
  return accountOf(row);
}

/** Stores new credentials and forgets failures of the old ones. Work under way with those loses its leases. */
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

const ACTIVE = { health: 'active', reason: null, message: null };
const NO_PERMISSION = {
  health: 'reauth_required',
  reason: 'calendar_permission_missing',
  message: 'The account was connected without access to its calendars',
};

async function disconnect(tx: Statements, values: Values & { readonly now: number }): Promise<number> {
  // Locks the user's row, as recordAccountRemoval does too: of two calls that each delete one of the last two accounts,
  // the second must see that none is left.
  await tx.all(
    'UPDATE application_user SET last_seen_at = :now WHERE client_id = :clientId AND user_id = :userId',
    values,
  );
  const accounts = `SELECT account_key FROM account
    WHERE client_id = :clientId AND user_id = :userId AND provider = :provider
      AND (CAST(:accountId AS TEXT) IS NULL OR account_id = :accountId)`;
  await recordAccountRemoval(tx, accounts, values);
  await prepareAccountDeletion(tx, accounts, values);
  const deleted = await tx.all(
    `DELETE FROM account WHERE account_key IN (${accounts}) RETURNING account_key`,
    values,
  );
  if (deleted.length > 0) {
    await tx.all(
      `UPDATE authorization_code SET withdrawn_at = :now
        WHERE client_id = :clientId AND user_id = :userId AND withdrawn_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM account WHERE client_id = :clientId AND user_id = :userId)`,
      values,
    );
  }
  return deleted.length;
}
