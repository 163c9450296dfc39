/**
 * Brings a database to this program's schema: numbered files, forward only, one transaction each,
 * under a lease, so that instances starting at once on an empty database take turns.
 */
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Database, Statements } from './database.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
const LEASE_MS = 60_000;
const WAIT_MS = 50;

const BOOTSTRAP = `
  CREATE TABLE IF NOT EXISTS lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL)`;

type Clock = () => number;

/**
 * Applies what is missing, then runs `once` still under the lease (the master key's fingerprint is
 * written there). Throws when the database has a migration this program does not know: it was made
 * by a newer one. `now` answers epoch milliseconds.
 */
export async function migrate(db: Database, now: Clock, once: () => Promise<void>): Promise<void> {
  await bootstrap(db);
  const holder = randomUUID();
  await acquire(db, holder, now);
  try {
    const applied = await appliedMigrations(db);
    const known = await knownMigrations();
    const unknown = applied.find((number) => !known.some((migration) => migration.number === number));
    if (unknown !== undefined) {
      throw new Error(
        `The database has migration ${unknown}, which this version of Kalends does not know. Start the newer version.`,
      );
    }
    for (const migration of known.filter(({ number }) => !applied.includes(number))) {
      const sql = await readFile(new URL(migration.file, FOLDER), 'utf8');
      await db.script(sql, async (tx) => {
        await renew(tx, holder, now);
        await tx.all('INSERT INTO migration (number, name, applied_at) VALUES (:number, :name, :now)', {
          number: migration.number,
          name: migration.file,
          now: now(),
        });
      });
    }
    await once();
  } finally {
    await db.write("DELETE FROM lease WHERE name = 'migration' AND holder = :holder", { holder });
  }
}

/** The numbers of migrations this program has and the database lacks; for `doctor`. */
export async function pendingMigrations(db: Database): Promise<number[]> {
  const applied = await appliedMigrations(db);
  return (await knownMigrations()).map(({ number }) => number).filter((number) => !applied.includes(number));
}

async function bootstrap(db: Database): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.script(BOOTSTRAP, async () => {});
    } catch (reason) {
      // PostgreSQL's IF NOT EXISTS does not cover two sessions creating one table at the same moment.
      if (attempt === 10) throw reason;
      await sleep(WAIT_MS * attempt);
    }
  }
}

async function acquire(db: Database, holder: string, now: Clock): Promise<void> {
  for (;;) {
    const won = await db.write(
      `INSERT INTO lease (name, holder, expires_at) VALUES ('migration', :holder, :expiresAt)
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
        WHERE lease.expires_at < :now
       RETURNING holder`,
      { holder, expiresAt: now() + LEASE_MS, now: now() },
    );
    if (won.length > 0) return;
    await sleep(WAIT_MS);
  }
}

async function renew(tx: Statements, holder: string, now: Clock): Promise<void> {
  const still = await tx.all(
    `UPDATE lease SET expires_at = :expiresAt WHERE name = 'migration' AND holder = :holder RETURNING holder`,
    { holder, expiresAt: now() + LEASE_MS },
  );
  if (still.length === 0) throw new Error('Another instance took over the migration; start again');
}

async function appliedMigrations(db: Database): Promise<number[]> {
  const rows = await db.all<{ number: number }>('SELECT number FROM migration ORDER BY number');
  return rows.map(({ number }) => number);
}

async function knownMigrations(): Promise<{ number: number; file: string }[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort();
  return files.map((file) => ({ number: Number.parseInt(file, 10), file }));
}
