/** Rows that the contract tests of the calendar stores start from: an application, its users and their accounts. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { NewAccount } from '../../src/calendars/account-store.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import type { AuthorizationCode } from '../../src/oauth/authorization-code-store.ts';
import type { Grant } from '../../src/oauth/grant.ts';
import type { Scope } from '../../src/oauth/scope.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { beginCode, beginGrant } from '../harness/begin-grant.ts';

export const NOW = 1_790_000_000_000;
export const sealer = createSealer(randomBytes(32));

/** Creates the application `acme` with the users `ada` and `ben`. */
export async function makeUsers(db: Database): Promise<void> {
  await db.write(
    `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
     VALUES ('acme', 'Acme', 'https://acme.example/cb', :now, :now)`,
    { now: NOW },
  );
  for (const userId of ['ada', 'ben']) {
    await db.write(
      `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
       VALUES ('acme', :userId, :now, :now)`,
      { userId, now: NOW },
    );
  }
}

/** Opens a new database with the rows of `makeUsers`, and the stores on it. */
export async function openWithUsers(open: () => Promise<Database>) {
  const db = await open();
  await makeUsers(db);
  return { db, ...openStores(db, { sealer }) };
}

const FAR = NOW + 10 * 365 * 24 * 3_600_000;

/** Returns the transaction in which tests link the accounts of a user by default: all in one group. */
export const setupOf = (clientId: string, userId: string): NewAccount['transaction'] => ({
  transactionId: `setup ${clientId} ${userId}`,
  expiresAt: FAR,
});

/** Returns an account linked in its user's `setupOf`; `grantAll` makes it the user's own. */
export function newAccount(change: Partial<NewAccount> = {}): NewAccount {
  const { clientId, userId, accountId } = { ...ACCOUNT, ...change };
  return {
    ...ACCOUNT,
    identity: `id:${accountId}`,
    provesOwner: true,
    transaction: setupOf(clientId, userId),
    device: { deviceHash: 'device-1', formerHash: undefined },
    ...change,
  };
}

/** Returns an account of another group than all that `newAccount` returns. */
export const accountApart = (group: string, change: Partial<NewAccount> = {}): NewAccount =>
  newAccount({ ...change, transaction: { transactionId: group, expiresAt: FAR } });

const ACCOUNT = {
  clientId: 'acme',
  userId: 'ada',
  provider: 'caldav',
  accountId: 'https://dav.example/ada/',
  display: 'ada@dav.example',
  grantedScopes: [],
  calendarPermission: undefined,
  credentials: { username: 'ada', password: 'canary-secret' },
} as const;

type Granting = {
  readonly clientId?: string;
  readonly userId?: string;
  /** The scope of the grant. */
  readonly scope?: Scope;
  /** The scope at which the grant covers its groups; `read-write` by default. */
  readonly coveredAt?: Scope;
  /** Accounts whose groups are covered; by default all groups of the user. */
  readonly accountKeys?: readonly string[];
};

/**
 * Makes groups of a user the user's own, as if they had been allowed, and returns a living grant that covers them. By
 * default the user is Ada and the scope `read-write`. Accounts linked later in the same transactions join the groups.
 */
export async function grantAll(
  db: Database,
  {
    clientId = 'acme',
    userId = 'ada',
    scope = 'read-write',
    coveredAt = 'read-write',
    accountKeys,
  }: Granting = {},
): Promise<Grant> {
  const coverageId = randomUUID();
  const ofAccounts = `group_id IN (SELECT group_id FROM account WHERE account_key ${db.dialect.oneOf('accountKeys')})`;
  const groups = `client_id = :clientId AND user_id = :userId ${accountKeys === undefined ? '' : `AND ${ofAccounts}`}`;
  const values = { clientId, userId, ...(accountKeys && { accountKeys }) };
  return db.transaction(async (tx) => {
    await tx.all(`UPDATE account_group SET expires_at = NULL WHERE ${groups}`, values);
    await tx.all(
      `INSERT INTO grant_coverage (coverage_id, group_id, scope)
       SELECT CAST(:coverageId AS TEXT), group_id, CAST(:coveredAt AS TEXT) FROM account_group WHERE ${groups}`,
      { ...values, coverageId, coveredAt },
    );
    return (await beginGrant(tx, { clientId, userId, scope, coverageId }, NOW)).grant;
  });
}

/** Creates a pending code of the user, as an approval of all of the user's groups does. */
export async function makeCode(db: Database, userId: string): Promise<void> {
  const approvalId = `approval of ${userId}`;
  const code = { coverageId: approvalId, clientId: 'acme', userId, scope: 'read' } as const;
  await db.transaction((tx) => beginCode(tx, code, NOW));
  await db.write(
    `INSERT INTO grant_coverage (coverage_id, group_id, scope)
     SELECT CAST(:approvalId AS TEXT), group_id, 'read' FROM account_group
      WHERE client_id = 'acme' AND user_id = :userId`,
    { approvalId, userId },
  );
}

export async function codeIsWithdrawn(db: Database, userId: string): Promise<boolean> {
  const row = await db.get<{ withdrawnAt: number | undefined }>(
    "SELECT withdrawn_at FROM token_family WHERE client_id = 'acme' AND user_id = :userId AND token_hash = ''",
    { userId },
  );
  return row?.withdrawnAt !== undefined;
}

/** Makes ten concurrent calls, for tests of races. */
export function tenTimes<T>(call: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: 10 }, (_, i) => call(i)));
}

/** Returns what a token request presents to redeem the record. */
export function presentedOf({ clientId, userId, redirectUri, codeChallenge, approvedAt }: AuthorizationCode) {
  return { clientId, code: userId, redirectUri, codeChallenge, approvedSince: approvedAt };
}
