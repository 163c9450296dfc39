/** The contracts of accounts, jobs and the mirror on a fresh SQLite file each. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

import type { Database } from '../src/store/database.ts';
import { migrate } from '../src/store/migrate.ts';
import { openSqlite } from '../src/store/sqlite-driver.ts';
import { accountStoreContract } from './contract/account-store.contract.ts';
import { eventReaderContract } from './contract/event-reader.contract.ts';
import { jobStoreContract } from './contract/job-store.contract.ts';
import { mirrorStoreContract } from './contract/mirror-store.contract.ts';

const opened: { db: Database; file: string }[] = [];
after(async () => {
  for (const { db, file } of opened) {
    await db.close();
    for (const suffix of ['', '-wal', '-shm']) await rm(file + suffix, { force: true });
  }
});

async function open(): Promise<Database> {
  const file = path.join(tmpdir(), `kalends-${randomUUID()}.db`);
  const db = openSqlite(file);
  opened.push({ db, file });
  await migrate(db, Date.now, async () => {});
  return db;
}

accountStoreContract('SQLite', open);
jobStoreContract('SQLite', open);
mirrorStoreContract('SQLite', open);
eventReaderContract('SQLite', open);
