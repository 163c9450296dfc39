import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';

import { createSealer } from '../../src/lib/sealing.ts';
import type { RequestFilter } from '../../src/request-log/request-log.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { requestLogContract } from '../contract/request-log.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(requestLogContract);

const FILTERS: readonly RequestFilter[] = [
  {},
  { clientIds: ['acme'] },
  { clientIds: ['acme'], statusClass: 4 },
  { clientIds: ['acme'], status: 429 },
  { clientIds: ['acme'], route: '/token' },
  { statusClass: 5 },
  { status: 429 },
  { route: '/token' },
  { user: 'user_x' },
  { user: 'user_x', clientIds: ['acme'], statusClass: 4 },
  { requestId: 'r1' },
  { requestId: 'r1', clientIds: ['acme'] },
  { clientIds: ['acme'], from: 1, to: 2 },
];

onEachDatabase((name, open) => {
  // PostgreSQL decides by what it knows of a table, which is nothing here.
  if (name !== 'SQLite') return;
  it('the request log is read by an index, without a scan and without sorting more than one instant', async () => {
    const db = await open();
    for (const after of [undefined, { at: 5, requestId: 'r' }])
      for (const filter of FILTERS) {
        const plan = await planOf(db, (seen) => logOf(seen).listRequests(filter, { after, limit: 10 }));

        const text = `${JSON.stringify({ filter, after })}: ${plan.join('; ')}`;
        assert.match(plan[0] ?? '', /USING (COVERING )?INDEX/, text);
        assert.doesNotMatch(plan.join('; '), /SCAN request_log$|B-TREE FOR ORDER BY/, text);
      }
  });
});

onEachDatabase((name, open) => {
  if (name !== 'SQLite') return;
  it('excess requests are counted by an index alone, and deleted by one without sorting', async () => {
    const counts = ['acme', undefined].map((clientId) => ({ clientId, count: 2 }));
    const plan = await planOf(await open(), (seen) => logOf(seen).deleteExcessRequests(1), counts);

    const ofLog = plan.filter((step) => / request_log\b/.test(step));
    assert.match(ofLog.slice(0, 2).join('; '), /^(SEARCH .* COVERING INDEX request_log_by_owner .*){2}$/);
    assert.equal(ofLog.length, 2 + 2 * 2, 'one statement for an application, and one for unknown callers');
    assert.doesNotMatch(plan.join('; '), /SCAN request_log|B-TREE/);
  });
});

const logOf = (db: Database) => openStores(db, { sealer: createSealer(randomBytes(32)) }).requestLog;

/** Returns SQLite's plans for the statements of `run`, whose reads return `found`. */
async function planOf(
  db: Database,
  run: (db: Database) => Promise<unknown>,
  found: readonly object[] = [],
): Promise<string[]> {
  const steps: string[] = [];
  const explain = async (sql: string, values: Parameters<Database['all']>[1]) => {
    const rows = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
    steps.push(...rows.map(({ detail }) => detail));
    return found;
  };
  const change = async (...statement: Parameters<typeof explain>) => (await explain(...statement)).length;
  const explaining: Database = Object.assign(Object.create(db), { all: explain, change });
  await run(explaining);
  return steps;
}
