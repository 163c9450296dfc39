/** What the contracts of the authorization stores start from. */
import { familyOf, newTokenIn, type RefreshTokenId } from '../../src/oauth/refresh-token-id.ts';
import type { NewFamily } from '../../src/oauth/token-family-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { beginFamily } from '../../src/store/token-family-store.ts';
import { NOW } from './calendar-rows.ts';

/** A living grant with its first refresh token, as a redeemed code makes it. */
export function makeFamily(db: Database, user: { clientId: string; userId: string }): Promise<NewFamily> {
  return db.transaction((tx) => beginFamily(tx, { ...user, scope: 'read' }, NOW));
}

/** What a refresh puts in the place of a token. */
export const successorOf = (id: RefreshTokenId): RefreshTokenId => newTokenIn(familyOf(id));

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
