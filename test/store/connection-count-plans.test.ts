/** The hourly count of connections where there are many: it goes through an index, one application after the other. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import { connectionCounts } from '../../src/store/accounts/connection-counts.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { onEachDatabase } from '../harness/databases.ts';

const MANY = 5_000;
const APPLICATIONS = 20;
const client = `'app-' || (i % ${APPLICATIONS})`;
const numbers = (count: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
const FILL = [
  `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
   ${numbers(APPLICATIONS)} SELECT ${client}, 'A', 'https://a.example/cb', 1, 1 FROM n`,
  `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
   ${numbers(MANY)} SELECT ${client}, 'user-' || i, 1, 1 FROM n`,
  `INSERT INTO account_group (group_id, client_id, user_id, created_at)
   SELECT 'g ' || user_id, client_id, user_id, 1 FROM application_user`,
  `INSERT INTO account (account_key, client_id, user_id, provider, account_id, key_in_group, group_id, display,
     credentials, granted_scopes, health, health_since, linked_at)
   SELECT 'k ' || user_id, client_id, user_id, 'caldav', 'id', 'g ' || user_id, 'g ' || user_id, user_id,
          '', '[]', 'active', 1, 1 FROM application_user`,
];
const HOUR = 3_600_000;

onEachDatabase((database, open) => {
  it(`the connections of each application are counted through an index, once an hour, on ${database}`, async () => {
    const db = await open();
    for (const sql of FILL) await db.write(sql);
    // Does at once what autovacuum does in its own time.
    if (db.dialect.engine === 'postgres') await db.all('VACUUM ANALYZE');
    else await db.write('ANALYZE');
    const plans: string[] = [];
    const counts = connectionCounts(explaining(db, plans));

    assert.equal(await counts.keepTotals(HOUR), APPLICATIONS);
    const [unfinished = '', ...first] = plans.filter((plan) => /\baccount/.test(plan));
    assert.equal(await counts.keepTotals(2 * HOUR - 1), 0);

    assert.match(unfinished, /account_group_by_expiry[\s\S]*account_by_group/);
    assert.equal(first.length, APPLICATIONS);
    for (const plan of first) {
      assert.match(plan, /SEARCH account USING COVERING INDEX|Index Only Scan/);
      assert.doesNotMatch(plan, /SCAN|Seq Scan/);
    }
    assert.equal(plans.filter((plan) => /\baccount/.test(plan)).length, 1 + APPLICATIONS);
  });
});

/** Keeps how the database answers each question. */
function explaining(db: Database, plans: string[]): Database {
  const explain = db.dialect.engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
  const note = async (sql: string, values: Parameters<Database['all']>[1]) => {
    const rows = await db.all<Record<string, unknown>>(`${explain} ${sql}`, values);
    plans.push(rows.map((row) => String(row['QUERY PLAN'] ?? row.detail)).join('\n'));
  };
  const asking: Pick<Database, 'all' | 'get' | 'write' | 'change'> = {
    async all(sql, values) {
      await note(sql, values);
      return db.all(sql, values);
    },
    async get(sql, values) {
      await note(sql, values);
      return db.get(sql, values);
    },
    // Private fields are the database's own.
    write: db.write.bind(db),
    change: db.change.bind(db),
  };
  return Object.assign(Object.create(db) as Database, asking);
}
