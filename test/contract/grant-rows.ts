/** Rows that the contract tests of the authorization stores start from. */
import type { Account, NewAccount } from '../../src/calendars/account-store.ts';
import { decideApproval } from '../../src/connect/flow/account-groups.ts';
import type {
  ApprovalResult,
  AuthorizationRequest,
} from '../../src/connect/flow/authorization-request-store.ts';
import type { Grant } from '../../src/oauth/grant.ts';
import { newTokenIn, parseFamilyId, type RefreshTokenId } from '../../src/oauth/refresh-token-id.ts';
import type { NewFamily } from '../../src/oauth/token-family-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import type { Stores } from '../../src/store/open-stores.ts';
import { beginGrant } from '../harness/begin-grant.ts';
import { NOW, newAccount } from './calendar-rows.ts';

/** Creates a living grant with its first refresh token, as redeeming a code does. */
export function makeFamily(
  db: Database,
  user: { clientId: string; userId: string; coverageId?: string },
): Promise<NewFamily> {
  return db.transaction((tx) => beginGrant(tx, { coverageId: 'none', ...user, scope: 'read' }, NOW));
}

/** Returns the token that a refresh replaces `id` with. */
export const successorOf = (id: RefreshTokenId): RefreshTokenId => newTokenIn(parseFamilyId(id));

/** Creates the user, unless it exists, with an account of its own and the account's sync job. */
export async function makeAccount(db: Database, clientId: string, userId: string): Promise<void> {
  const key = `${clientId}-${userId}`;
  const values = { clientId, userId, key, now: NOW };
  await db.write(
    `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
     VALUES (:clientId, :userId, :now, :now) ON CONFLICT (client_id, user_id) DO NOTHING`,
    values,
  );
  await db.write(
    `INSERT INTO account_group (group_id, client_id, user_id, created_at)
     VALUES (:key, :clientId, :userId, :now)`,
    values,
  );
  await db.write(
    `INSERT INTO account (account_key, client_id, user_id, provider, account_id, key_in_group, group_id, display,
       credentials, granted_scopes, health, health_since, linked_at)
     VALUES (:key, :clientId, :userId, 'caldav', 'id', CAST(:key AS TEXT) || ' id', :key, 'd', 'sealed', '[]', 'active', :now, :now)`,
    values,
  );
  await db.write(
    `INSERT INTO job (kind, key, run_at, attempts) VALUES ('sync-account', :key, :now, 0)`,
    values,
  );
}

/** Returns a request of Ada's, as `/authorize` creates it. It ends after two hours. */
export function newRequest(change: Partial<AuthorizationRequest> = {}): AuthorizationRequest {
  return {
    transactionId: 't1',
    issuer: 'default',
    clientId: 'acme',
    userId: 'ada',
    redirectUri: 'https://acme.example/cb',
    scope: 'read',
    state: undefined,
    codeChallenge: undefined,
    resource: undefined,
    dpopJkt: undefined,
    language: 'en',
    theme: undefined,
    display: 'page',
    providers: ['google', 'microsoft', 'apple', 'caldav'],
    query: 'client_id=acme&user_id=ada',
    secretHash: 'secret-hash',
    isPushed: false,
    isVouched: false,
    userName: undefined,
    loginHint: undefined,
    allowedAt: undefined,
    hasDisconnected: false,
    wasSentAhead: false,
    reconnects: undefined,
    formToken: 'token',
    status: 'open',
    createdAt: NOW,
    ...change,
  };
}

export const MOST_OPEN = 1000;
const REQUEST_LIFETIME_MS = 2 * 3_600_000;

/** One run through the pages by a person with a browser of their own. */
export type Visit = {
  readonly request: AuthorizationRequest;
  /** Links an account whose name is its `accountId`. */
  link(change?: Partial<NewAccount>, now?: number): Promise<Account>;
  allow(now?: number): Promise<ApprovalResult>;
  /** Returns the id of what it allowed, which is that of the coverage. */
  approvalId(): string;
  /** The application redeems what this visit allowed. */
  redeem(now?: number): Promise<Grant | undefined>;
  /** Links an account, allows the request and redeems the code. */
  connect(change?: Partial<NewAccount>, now?: number): Promise<Grant>;
};

/** Begins a transaction; the browser's cookie has `device` as its hash. */
export async function visit(
  { requests, accounts, codes }: Pick<Stores, 'requests' | 'accounts' | 'codes'>,
  device: string,
  change: Partial<AuthorizationRequest> = {},
): Promise<Visit> {
  const request = newRequest(change);
  const { transactionId, clientId, userId, redirectUri, codeChallenge } = request;
  await requests.createRequest(request, MOST_OPEN);
  const transaction = { transactionId, expiresAt: request.createdAt + REQUEST_LIFETIME_MS };
  const link: Visit['link'] = (account = {}, now = NOW) =>
    accounts.linkAccount(
      newAccount({
        clientId,
        userId,
        transaction,
        device: { deviceHash: device, formerHash: device },
        ...account,
      }),
      now,
    );
  let approvalId: string | undefined;
  const allow: Visit['allow'] = async (now = NOW) => {
    const result = await requests.approveRequest({ request, deviceHash: device, now }, (user) =>
      decideApproval(request, user, { returningUsers: 'prove', codeFormat: 'user-id', now }),
    );
    const pending = result === 'approved' ? await codes.findCodes(clientId, userId) : [];
    approvalId ??= pending.find((code) => code.codeChallenge === codeChallenge)?.approvalId;
    return result;
  };
  const redeem: Visit['redeem'] = async (now = NOW) =>
    (await codes.redeemCode({ clientId, code: userId, redirectUri, codeChallenge, approvedSince: 0 }, now))
      ?.grant;
  const connect: Visit['connect'] = async (account, now) => {
    await link(account, now);
    const result = await allow(now);
    const grant = await redeem(now);
    if (grant === undefined) throw new Error(`Nothing was redeemed: the approval said ${result}`);
    return grant;
  };
  return {
    ...{ request, link, allow, redeem, connect },
    approvalId: () => approvalId ?? `nothing allowed in ${transactionId}`,
  };
}

/**
 * Creates the application `acme` with one account of ada's, whose calendars `c0`, `c1`, … were synced at these
 * instants.
 */
export async function makeCalendars(db: Database, syncedAt: readonly number[]): Promise<void> {
  await db.write(
    `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
     VALUES ('acme', 'acme', 'https://acme.example/cb', :now, :now)`,
    { now: NOW },
  );
  await makeAccount(db, 'acme', 'ada');
  for (const [index, at] of syncedAt.entries()) await makeCalendar(db, `c${index}`, at);
}

/** Creates a calendar of ada's account, named by `key`, that was synced at that instant. */
export async function makeCalendar(db: Database, key: string, syncedAt: number): Promise<void> {
  await db.write(
    `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, synced_at)
     VALUES (:key, 'acme-ada', :key, 0, 't', 'UTC', 'write', '{}', :syncedAt)`,
    { key, syncedAt },
  );
}

export async function rowsIn(db: Database, table: string): Promise<number> {
  const row = await db.get<{ rows: number }>(`SELECT COUNT(*) AS "rows" FROM ${table}`);
  return row?.rows ?? 0;
}

/** Returns the number of living grants. */
export async function livingIn(db: Database): Promise<number> {
  return rowsIn(db, '(SELECT family_id FROM token_family WHERE ended_at IS NULL) AS living');
}

/** Creates a calendar of an account, named by `name`, with one event of that name in the mirror. */
export async function makeEvent(db: Database, accountKey: string, name: string): Promise<void> {
  await db.write(
    `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original)
     VALUES (:name, :accountKey, '/c/', 0, 'C', 'UTC', 'read', '{}')`,
    { name, accountKey },
  );
  await db.write(
    `INSERT INTO event (calendar_key, href, recurrence_id, event_id, shape, starts_at, ends_at, uid, content)
     VALUES (:name, :name, '', :name, 'short', 0, 1, :name, '{}')`,
    { name },
  );
}
