/** AccountStore in SQL; held to test/contract/account-store.contract.ts on both databases. */
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../audit/audit-entry.ts';
import {
  type Account,
  type AccountStore,
  type NewAccount,
  TransactionAnswered,
} from '../../calendars/account-store.ts';
import type { Sealer } from '../../lib/sealing.ts';
import { auditFor, subjectOfUser } from '../audit/append-audit.ts';
import { lockUser } from '../changes/user-lock.ts';
import { connectionNoter } from '../changes/user-notes.ts';
import type { Database, Statements, Values } from '../drivers/database.ts';
import { scheduleJob } from '../jobs/job-rows.ts';
import { deleteAccounts, dropUnfinished } from './account-deletion.ts';
import {
  coveredText,
  groupOfTransaction,
  keyInGroup,
  renewCredentials,
  renewDevice,
} from './account-groups.ts';
import { makeRoom, syncNewestOnly } from './account-quota.ts';
import { deletePutAside } from './account-removal.ts';
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  credentialSealer,
  parseAccountRow,
  providerOrder,
  signInNeeded,
} from './account-rows.ts';
import { requestSync } from './account-syncing.ts';
import { addConnected, addHealthEvent } from './health-history.ts';

type LoadingRow = { accountKey: string; listedAt: number | undefined; calendars: number; loaded: number };

const IN_ORDER = `ORDER BY ${providerOrder('provider')}, linked_at, account_key`;
const LIST = `
  SELECT ${ACCOUNT_COLUMNS} FROM account
   WHERE client_id = :clientId AND user_id = :userId
     AND EXISTS (SELECT 1 FROM account_group AS g WHERE g.group_id = account.group_id AND g.expires_at IS NULL)
   ${IN_ORDER}`;
const ofReader = coveredText(
  (isCovered) => `
  SELECT ${ACCOUNT_COLUMNS} FROM account WHERE client_id = :clientId AND user_id = :userId AND ${isCovered}
   ${IN_ORDER}`,
);
const FIND = `SELECT ${ACCOUNT_COLUMNS} FROM account WHERE account_key = :accountKey`;
const CREDENTIALS = 'SELECT credentials FROM account WHERE account_key = :accountKey';
const LOADING = `
  SELECT a.account_key, a.listed_at, COUNT(c.calendar_key) AS calendars,
         COUNT(COALESCE(c.synced_at, c.failed_at)) AS loaded
    FROM account a LEFT JOIN calendar c ON c.account_key = a.account_key AND c.left_out = 0
   WHERE a.client_id = :clientId AND a.user_id = :userId
   GROUP BY a.account_key, a.listed_at`;

const SET_HEALTH = `
  UPDATE account SET health = :state, health_reason = :reason, health_message = :message,
         health_since = CASE WHEN health = :state THEN health_since ELSE :now END,
         calendar_permission = CASE WHEN :reason = 'calendar_permission_missing' THEN 0
                                    ELSE calendar_permission END,
         sync_state_at = CASE WHEN ${signInNeeded('health', 'health_reason')} = ${signInNeeded(':state', ':reason')}
                              THEN sync_state_at ELSE :now END
   WHERE account_key = :accountKey AND times_linked = :timesLinked
     AND (health <> :state OR health_reason <> :reason OR health_message <> :message)
     AND NOT (health = 'reauth_required' AND :state = 'degraded')
  RETURNING health_since AS since`;
const KEEP_ADDRESSES = `
  UPDATE account SET addresses = COALESCE(CAST(:addresses AS TEXT), addresses), addresses_read_at = :now
   WHERE account_key = :accountKey AND times_linked = :timesLinked`;
const RECOVER = `
  UPDATE account SET health = 'active', health_reason = NULL, health_message = NULL, health_since = :now,
         calendar_permission = CASE WHEN calendar_permission = 0 THEN 1 ELSE calendar_permission END,
         sync_state_at = CASE WHEN ${signInNeeded('health', 'health_reason')} = 1 THEN :now ELSE sync_state_at END
   WHERE account_key = :accountKey AND health <> 'active' AND list_error IS NULL
     AND NOT EXISTS (SELECT 1 FROM calendar
                      WHERE calendar.account_key = :accountKey
                        AND (sync_error IS NOT NULL OR too_complex IS NOT NULL OR unreadable IS NOT NULL))`;

const WELL = { reason: undefined, message: undefined } as const;

function healthChanges(db: Database): Pick<AccountStore, 'setHealth' | 'recover'> {
  return {
    async setHealth({ accountKey, timesLinked }, { state, reason, message }, now) {
      await db.transaction(async (tx) => {
        const note = await connectionNoter(tx, accountKey, now);
        const values = { accountKey, timesLinked, state, reason, message, now };
        const changed = await tx.get<{ since: number }>(SET_HEALTH, values);
        const eventType = state === 'degraded' ? 'connection.degraded' : 'connection.reauth_required';
        if (changed?.since === now) await note({ eventType, data: { state, reason, message } });
        if (changed !== undefined)
          await addHealthEvent(tx, { accountKey, happened: state, reason, message, at: now });
      });
    },

    async recover(accountKey, now) {
      await db.transaction(async (tx) => {
        const note = await connectionNoter(tx, accountKey, now);
        if ((await tx.change(RECOVER, { accountKey, now })) === 0) return;
        await note({ eventType: 'connection.recovered', data: { state: 'active' } });
        await addHealthEvent(tx, { ...WELL, accountKey, happened: 'recovered', at: now });
      });
    },
  };
}

export function accountStore(db: Database, sealer: Sealer, options: RemovalOptions = {}): AccountStore {
  const { jobScheduled = () => {} } = options;
  const sealed = credentialSealer(sealer);
  const remove = accountRemover(db, options);
  return {
    ...healthChanges(db),
    async linkAccount(account, now) {
      const seal = (accountKey: string) => sealed.seal(accountKey, account.credentials);
      const linked = await db.transaction((tx) => link(tx, { account, seal, now }));
      jobScheduled();
      return linked;
    },

    async accountsOf({ clientId, userId, coverageId }) {
      const values = { clientId, userId, coverageId: coverageId ?? null };
      return (await db.all<AccountRow>(ofReader(coverageId), values)).map(parseAccountRow);
    },

    async listAccounts(clientId, userId) {
      return (await db.all<AccountRow>(LIST, { clientId, userId })).map(parseAccountRow);
    },

    async findAccount(accountKey) {
      const row = await db.get<AccountRow>(FIND, { accountKey });
      return row && parseAccountRow(row);
    },

    async loadingOf(clientId, userId) {
      const rows = await db.all<LoadingRow>(LOADING, { clientId, userId });
      return new Map(
        rows.map(({ accountKey, listedAt, calendars, loaded }) => {
          return [accountKey, { isListed: listedAt !== undefined, calendars, loaded }];
        }),
      );
    },

    async credentialsOf(accountKey) {
      const row = await db.get<{ credentials: string }>(CREDENTIALS, { accountKey });
      return row && sealed.open(accountKey, row.credentials);
    },

    async keepAddresses({ accountKey, timesLinked }, addresses, now) {
      const stored = addresses === undefined ? null : JSON.stringify(addresses);
      await db.change(KEEP_ADDRESSES, { accountKey, timesLinked, addresses: stored, now });
    },

    async disconnect({ clientId, userId, coverageId, provider, accountId = null }, now) {
      const values = { clientId, userId, coverageId: coverageId ?? null, provider, accountId, now };
      return remove(selected(coverageId), values, undefined);
    },

    async removeAccount(accountKey, now, by) {
      const owner = await db.get<UserKey & { provider: string }>(OWNER, { accountKey });
      return owner !== undefined && (await remove(ONE, { ...owner, accountKey, now }, by)) > 0;
    },

    async requestSync(user, now, by) {
      const count = await requestSync(db, user, { now, by });
      if (count > 0) jobScheduled();
      return count;
    },

    async auditReconnectLink({ clientId, userId, provider }, by) {
      if (by === undefined) return;
      await db.transaction(async (tx) => {
        const subject = await subjectOfUser(tx, { clientId, userId });
        const after = { provider };
        await auditFor(tx, by, { action: 'account.reconnect_link_created', clientId, subject, after });
      });
    },

    async dropUnfinished(endedBefore, now) {
      const dropped = await dropUnfinished(db, endedBefore, now);
      if (dropped > 0) jobScheduled();
      return dropped;
    },
  };
}

type Linking = {
  readonly account: NewAccount;
  /** Returns the account's credentials, sealed for the row of that key. */
  readonly seal: (accountKey: string) => string;
  readonly now: number;
};

async function link(tx: Statements, { account, seal, now }: Linking): Promise<Account> {
  const candidate = randomUUID();
  const {
    credentials: _,
    calendarPermission,
    transaction,
    device,
    provesOwner,
    limits: __,
    ...fields
  } = account;
  const { clientId, userId } = account;
  await lockUser(tx, account);
  // Resets Allow, which did not include this account. If the request was answered in the meantime, that is final.
  const open = await tx.change(STILL_OPEN, { transactionId: transaction.transactionId });
  if (open === 0 && (await isAnswered(tx, transaction.transactionId))) throw new TransactionAnswered();
  await takeIdentity(tx, account);
  await makeRoom(tx, { account, now });
  const groupId = await groupOfTransaction(tx, { clientId, userId, ...transaction, now });
  await renewDevice(tx, groupId, device);
  const values = {
    ...fields,
    groupId,
    keyInGroup: keyInGroup(groupId, account.identity),
    provesOwner: Number(provesOwner),
    grantedScopes: JSON.stringify(account.grantedScopes),
    calendarPermission: calendarPermission === undefined ? null : Number(calendarPermission),
    ...(calendarPermission === false ? NO_PERMISSION : ACTIVE),
    now,
  };
  // The conflict locks the row of an account that is connected already: one of several concurrent calls inserts.
  const [row] = await tx.all<AccountRow>(
    `INSERT INTO account (account_key, client_id, user_id, provider, account_id, group_id, key_in_group, identity,
       proves_owner, display, credentials, granted_scopes, calendar_permission, health, health_reason, health_message,
       health_since, linked_at)
     VALUES (:candidate, :clientId, :userId, :provider, :accountId, :groupId, :keyInGroup, :identity, :provesOwner,
       :display, :credentials, :grantedScopes, :calendarPermission, :health, :reason, :message, :now, :now)
     ON CONFLICT (client_id, user_id, provider, key_in_group) DO UPDATE SET
       account_id = excluded.account_id, proves_owner = excluded.proves_owner,
       display = excluded.display, granted_scopes = excluded.granted_scopes,
       calendar_permission = excluded.calendar_permission, health = excluded.health,
       health_reason = excluded.health_reason, health_message = excluded.health_message,
       health_since = CASE WHEN account.health = excluded.health THEN account.health_since ELSE :now END,
       sync_state_at = CASE WHEN ${signInNeeded('account.health', 'account.health_reason')} = 1 THEN :now
                            ELSE account.sync_state_at END, addresses_read_at = NULL,
       times_linked = account.times_linked + 1, list_error = NULL, list_failed_at = NULL, lease_holder = NULL,
       unfinished_syncs = 0
     RETURNING ${ACCOUNT_COLUMNS}`,
    { ...values, candidate, credentials: seal(candidate) },
  );
  if (row === undefined) throw new Error('An upsert of an account answered no row');

  const { accountKey } = row;
  if (accountKey !== candidate) await renewCredentials(tx, accountKey, seal(accountKey));
  await addConnected(tx, accountKey, now);
  await scheduleJob(tx, { kind: 'sync-account', key: accountKey }, now);
  await syncNewestOnly(tx, { clientId, userId, accountKey });
  return parseAccountRow(row);
}

const STILL_OPEN = `
  UPDATE authorization_request SET allowed_at = NULL
   WHERE transaction_id = :transactionId AND status = 'open'`;

const isAnswered = async (tx: Statements, transactionId: string): Promise<boolean> =>
  (await tx.get('SELECT status FROM authorization_request WHERE transaction_id = :transactionId', {
    transactionId,
  })) !== undefined;

/** Sets the identity of an account from before identities were stored. For CalDAV, the user name must match too. */
async function takeIdentity(tx: Statements, { clientId, userId, ...account }: NewAccount): Promise<void> {
  const { provider, accountId, identity, display } = account;
  await tx.change(
    `UPDATE account SET identity = :identity, key_in_group = group_id || ' ' || :identity
      WHERE client_id = :clientId AND user_id = :userId AND provider = :provider AND account_id = :accountId
        AND identity IS NULL AND (provider <> 'caldav' OR display = :display)
        AND NOT EXISTS (SELECT 1 FROM account AS s
                         WHERE s.group_id = account.group_id AND s.provider = :provider AND s.identity = :identity)`,
    { clientId, userId, provider, accountId, identity, display },
  );
}

const ACTIVE = { health: 'active', reason: null, message: null };
const NO_PERMISSION = {
  health: 'reauth_required',
  reason: 'calendar_permission_missing',
  message: 'The account was connected without access to its calendars',
};

type UserKey = { readonly clientId: string; readonly userId: string };

const OWNER = `
  SELECT client_id, user_id, provider FROM account WHERE account_key = :accountKey`;
const ONE = 'SELECT account_key FROM account WHERE account_key = :accountKey';
const selected = coveredText(
  (isCovered) => `SELECT account_key FROM account
  WHERE client_id = :clientId AND user_id = :userId AND provider = :provider AND ${isCovered}
    AND (CAST(:accountId AS TEXT) IS NULL OR account_id = :accountId)`,
);

export type RemovalOptions = {
  /** Called after the commit of a job, so that this process's worker looks for it immediately. */
  readonly jobScheduled?: (() => void) | undefined;
};

type AccountsToRemove = Values & {
  readonly clientId: string;
  readonly userId: string;
  readonly provider: string;
  readonly now: number;
};

/** Returns a function that removes those accounts of one user that a statement selects; it returns their number. */
export function accountRemover(db: Database, { jobScheduled = () => {} }: RemovalOptions) {
  return async (accounts: string, values: AccountsToRemove, by: Caller | undefined): Promise<number> => {
    const { clientId, provider, now } = values;
    const deleted = await db.transaction(async (tx) => {
      const count = await deleteAccounts(tx, accounts, values);
      if (count === 0 || by === undefined) return count;
      const subject = await subjectOfUser(tx, values);
      const before = { provider, accounts: count };
      await auditFor(tx, by, { action: 'account.disconnected', clientId, subject, before });
      return count;
    });
    if (deleted > 0) jobScheduled();
    await deletePutAside(db, now, values);
    return deleted;
  };
}
