/** What the contracts of the calendar stores start from: an application, its users and their accounts. */
import { randomBytes } from 'node:crypto';
import type { NewAccount } from '../../src/calendars/account-store.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import type { AuthorizationCode } from '../../src/oauth/authorization-code-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';

export const NOW = 1_790_000_000_000;
export const sealer = createSealer(randomBytes(32));

/** Makes the application `acme` with the users `ada` and `ben`. */
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

/** A fresh database with `makeUsers`, and the stores on it. */
export async function openWithUsers(open: () => Promise<Database>) {
  const db = await open();
  await makeUsers(db);
  return { db, ...openStores(db, { sealer }) };
}

export function newAccount(change: Partial<NewAccount> = {}): NewAccount {
  return {
    clientId: 'acme',
    userId: 'ada',
    provider: 'caldav',
    accountId: 'https://dav.example/ada/',
    display: 'ada@dav.example',
    grantedScopes: [],
    calendarPermission: undefined,
    credentials: { username: 'ada', password: 'canary-secret' },
    deviceHash: 'device-1',
    ...change,
  };
}

/** A pending code of the user, as an approval makes it. */
export async function makeCode(db: Database, userId: string): Promise<void> {
  await db.write(
    `INSERT INTO authorization_code (client_id, user_id, redirect_uri, scope, approved_at)
     VALUES ('acme', :userId, 'https://acme.example/cb', 'read', :now)`,
    { userId, now: NOW },
  );
}

export async function codeIsWithdrawn(db: Database, userId: string): Promise<boolean> {
  const row = await db.get<{ withdrawn_at: number | null }>(
    "SELECT withdrawn_at FROM authorization_code WHERE client_id = 'acme' AND user_id = :userId",
    { userId },
  );
  return row?.withdrawn_at != null;
}

/** Ten calls at once, as a race test makes them. */
export function tenTimes<T>(call: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: 10 }, (_, i) => call(i)));
}

/** What a token request would present to redeem the record. */
export function presentedOf({ clientId, userId, redirectUri, codeChallenge, approvedAt }: AuthorizationCode) {
  return { clientId, code: userId, redirectUri, codeChallenge, approvedSince: approvedAt };
}
