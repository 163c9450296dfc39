/** What the contracts of the authorization stores start from. */
import type { Grant } from '../../src/oauth/grant.ts';
import { familyOf, firstOfFamily, type RefreshTokenId } from '../../src/oauth/refresh-token-id.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { hashOfTokenId } from '../../src/store/token-family-store.ts';
import { NOW } from './calendar-rows.ts';

/** A living grant with its first refresh token, as a redeemed code makes it. */
export async function makeFamily(
  db: Database,
  user: { clientId: string; userId: string },
): Promise<{ grant: Grant; first: RefreshTokenId }> {
  const first = firstOfFamily();
  const grant: Grant = { familyId: familyOf(first), ...user, scope: 'read' };
  await db.write(
    `INSERT INTO token_family (family_id, token_hash, client_id, user_id, scope, created_at, refreshed_at)
     VALUES (:familyId, :tokenHash, :clientId, :userId, :scope, :now, :now)`,
    { ...grant, tokenHash: hashOfTokenId(first), now: NOW },
  );
  return { grant, first };
}

/** The user, unless it is there, with one account, a calendar of it and the account's job. */
export async function makeAccount(db: Database, clientId: string, userId: string): Promise<void> {
  const key = `${clientId}-${userId}`;
  const values = { clientId, userId, key, now: NOW };
  await db.write(
    `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
     VALUES (:clientId, :userId, :now, :now) ON CONFLICT (client_id, user_id) DO NOTHING`,
    values,
  );
  await db.write(
    `INSERT INTO account (account_key, client_id, user_id, provider, account_id, display, credentials,
       granted_scopes, health, health_since, linked_at)
     VALUES (:key, :clientId, :userId, 'caldav', 'id', 'd', 'sealed', '[]', 'active', :now, :now)`,
    values,
  );
  await db.write(
    `INSERT INTO job (kind, key, run_at, attempts) VALUES ('sync-account', :key, :now, 0)`,
    values,
  );
}

export async function rowsIn(db: Database, table: string): Promise<number> {
  const row = await db.get<{ rows: number }>(`SELECT COUNT(*) AS "rows" FROM ${table}`);
  return row?.rows ?? 0;
}
