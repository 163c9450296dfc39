/** How the databases find users and accounts that ail where there are many: each page from an index. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import { accountsByHealth } from '../../src/store/accounts/accounts-by-health.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { userDirectory } from '../../src/store/users/user-directory.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';

const MANY = 5_000;
const NUMBERS = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})`;
/** Users of two applications, each with an account; every tenth account is unhealthy. Updates the statistics too. */
const FILL = [
  `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
   VALUES ('acme', 'A', 'https://a.example/cb', ${NOW}, ${NOW}), ('other', 'O', 'https://o.example/cb', ${NOW}, ${NOW})`,
  `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
   ${NUMBERS} SELECT CASE WHEN i % 2 = 0 THEN 'acme' ELSE 'other' END, 'user-' || CAST(i AS TEXT), 1, 1 FROM n`,
  `INSERT INTO account_group (group_id, client_id, user_id, created_at)
   SELECT 'g ' || user_id, client_id, user_id, 1 FROM application_user`,
  `INSERT INTO account (account_key, client_id, user_id, provider, account_id, key_in_group, group_id, display,
     credentials, granted_scopes, health, health_reason, health_since, linked_at)
   SELECT 'k ' || user_id, client_id, user_id, 'caldav', 'id', 'g ' || user_id, 'g ' || user_id, user_id || '@a.example',
          '', '[]', CASE WHEN user_id LIKE '%7' THEN 'degraded' ELSE 'active' END,
          CASE WHEN user_id LIKE '%7' THEN 'provider_unavailable' END, 1, 1 FROM application_user`,
  'ANALYZE',
];
const ACME = { clientIds: ['acme'] };
const DOWN = { reason: 'provider_unavailable' } as const;
const after = {
  id: { by: 'id', userId: 'user-3', clientId: 'acme' },
  address: { by: 'address', address: 'user-3@a.example', accountKey: 'k user-3' },
  ailing: { since: 5, accountKey: 'k user-9' },
} as const;

type Read = (db: Database) => Promise<unknown>;
const find =
  (...asked: Parameters<ReturnType<typeof userDirectory>['findUsers']>): Read =>
  (db) =>
    userDirectory(db).findUsers(...asked);
const list =
  (...asked: Parameters<ReturnType<typeof accountsByHealth>['listUnhealthy']>): Read =>
  (db) =>
    accountsByHealth(db).listUnhealthy(...asked);
const connected =
  (...asked: Parameters<ReturnType<typeof accountsByHealth>['listConnected']>): Read =>
  (db) =>
    accountsByHealth(db).listConnected(...asked);
const limit = 50;
/** SQLite sorts a page of each reason, which an index gave in this order, again before it merges them. */
const SORTED_PAGE = 'SCAN listed\nUSE TEMP B-TREE FOR ORDER BY';
const well = { display: 'user-3@a.example', accountKey: 'k user-3' };
const READS: readonly (readonly [index: string, name: string, read: Read])[] = [
  ['application_user_by_id', 'users of all', find({}, { limit })],
  ['application_user_by_id', 'ids of all', find({ beginning: 'user-12' }, { limit: 1 })],
  ['application_user_by_id', 'users of all, behind one', find({}, { after: after.id, limit })],
  ['application_user_of_client', 'users of one', find(ACME, { limit })],
  ['application_user_of_client', 'users of one, behind one', find(ACME, { after: after.id, limit })],
  ['account_by_address', 'addresses of all', find({ beginning: 'user-3' }, { after: after.address, limit })],
  [
    'account_of_client_by_address',
    'addresses of one',
    find({ ...ACME, beginning: 'user-3' }, { after: after.address, limit }),
  ],
  ['account_ailing', 'what ails of all', list(DOWN, { limit })],
  ['account_ailing', 'what ails of all, behind one', list(DOWN, { after: after.ailing, limit })],
  [
    'account_ailing_of_client',
    'what ails of one',
    list({ ...DOWN, ...ACME }, { after: after.ailing, limit }),
  ],
  [
    'account_ailing',
    'what ails at a provider',
    list({ ...DOWN, provider: 'google', reasons: [{ ...DOWN, hasOwnApp: false }] }, { limit }),
  ],
  ['account_by_address', 'what works of all', connected({ isWorking: true }, { after: well, limit })],
  ['account_by_address', 'connected accounts of all', connected({ isWorking: false }, { limit })],
  [
    'account_of_client_by_address',
    'what works of one',
    connected({ ...ACME, isWorking: true }, { after: well, limit }),
  ],
];

onEachDatabase((database, open) => {
  it(`each page of users, and of accounts that ail, is read from an index, on ${database}`, async () => {
    const db = await open();
    for (const sql of FILL) await db.write(sql);

    for (const [index, name, read] of READS) {
      const plan = await planOf(db, read);

      // The rest of the plan is about one user. PostgreSQL may sort the few rows that it expects to find.
      const place = plan.search(new RegExp(`\\b${index}\\b`));
      assert.ok(place > 0, `${name}:\n${plan}`);
      assert.doesNotMatch(plan.slice(0, place), /Seq Scan on (account|application_user) |SCAN/, name);
      assert.doesNotMatch(plan.replaceAll(SORTED_PAGE, ''), /TEMP B-TREE|SCAN listed/, name);
    }
  });
});

/** Returns the plan of the first statement of `read`; SQLite's without the subqueries that are about one row. */
async function planOf(db: Database, read: Read): Promise<string> {
  const explain = db.dialect.engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
  const plans: string[] = [];
  const explaining: Database = Object.assign(Object.create(db), {
    async all(sql: string, values: Parameters<Database['all']>[1]) {
      const rows = await db.all<Record<string, unknown>>(`${explain} ${sql}`, values);
      const ofOneRow = new Set<unknown>();
      for (const { id, parent, detail } of rows)
        if (ofOneRow.has(parent) || /^(CORRELATED|LIST) /.test(String(detail))) ofOneRow.add(id);
      const steps = rows.filter(({ id }) => id === undefined || !ofOneRow.has(id));
      plans.push(steps.map((row) => String(row['QUERY PLAN'] ?? row.detail)).join('\n'));
      return [];
    },
  });
  await read(explaining);
  return plans[0] ?? '';
}
