/** Invariants of the accounts in a database whose program was killed: they are the user's or not, never half. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import pg from 'pg';

import type { Program } from '../harness/program.ts';

/** Each finds rows that only half a step could have left. */
const HALVES: Readonly<Record<string, string>> = {
  'an account without a group': `
    SELECT account_key FROM account WHERE group_id NOT IN (SELECT group_id FROM account_group)`,
  'a group that is its user’s and that no approval was redeemed for': `
    SELECT g.group_id FROM account_group AS g
     WHERE g.expires_at IS NULL AND NOT EXISTS (
       SELECT 1 FROM grant_coverage AS c JOIN token_family AS f ON f.coverage_id = c.coverage_id
        WHERE c.group_id = g.group_id AND f.token_hash <> '')`,
  'a group that was allowed and whose code is gone, without being its user’s': `
    SELECT g.group_id FROM account_group AS g
     WHERE g.expires_at IS NOT NULL AND g.approved_at IS NOT NULL
       AND NOT EXISTS (
         SELECT 1 FROM grant_coverage AS c JOIN token_family AS f ON f.coverage_id = c.coverage_id
          WHERE c.group_id = g.group_id AND f.token_hash = '')`,
  'a group that its user allowed and a grant reads, without being the user’s': `
    SELECT g.group_id FROM account_group AS g
      JOIN grant_coverage AS c ON c.group_id = g.group_id
      JOIN token_family AS f ON f.coverage_id = c.coverage_id
     WHERE g.expires_at IS NOT NULL AND f.token_hash <> ''`,
  'a code that covers no account': `
    SELECT f.family_id FROM token_family AS f
     WHERE f.token_hash = '' AND f.withdrawn_at IS NULL AND NOT EXISTS (
       SELECT 1 FROM grant_coverage AS c JOIN account AS b ON b.group_id = c.group_id
        WHERE c.coverage_id = f.coverage_id)`,
  'an approved request without its code or its grant': `
    SELECT r.transaction_id FROM authorization_request AS r
     WHERE r.status = 'approved'
       AND NOT EXISTS (SELECT 1 FROM token_family AS f WHERE f.client_id = r.client_id AND f.user_id = r.user_id)`,
};

/** Rows of a program's database: its SQLite file, or the PostgreSQL at the URL. */
export async function rowsOf(sql: string, { dataDir }: Program, databaseUrl: string | undefined) {
  if (databaseUrl === undefined) {
    const db = new DatabaseSync(path.join(dataDir, 'kalends.db'), { timeout: 5000 });
    const rows = db.prepare(sql).all();
    db.close();
    return rows.map((row): Record<string, unknown> => ({ ...row }));
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql).finally(() => client.end());
  return rows;
}

/** Throws what is half. Housekeeping must not have run since: it deletes what ended long ago. */
export async function assertWhole(program: Program, databaseUrl: string | undefined): Promise<void> {
  for (const [name, sql] of Object.entries(HALVES)) {
    assert.deepEqual(await rowsOf(sql, program, databaseUrl), [], name);
  }
}
