import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Values } from '../../src/store/drivers/database.ts';
import { unhealthyEndpoints } from '../../src/store/webhooks/unhealthy-endpoints.ts';
import { unhealthyEndpointsContract } from '../contract/unhealthy-endpoints.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(unhealthyEndpointsContract);

const MANY = 5_000;
const FILL = [
  `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
   VALUES ('acme', 'Acme', 'https://acme.example/cb', 1, 1)`,
  `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at, failures, failing_since)
   WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY - 1})
   SELECT 'we_' || i, 'acme', 'https://hook.example', 'https://hook.example', 0, 1,
          CASE WHEN i % 500 = 0 THEN 3 ELSE 0 END, CASE WHEN i % 500 = 0 THEN i END FROM n`,
];

onEachDatabase((database, open) => {
  it(`unhealthy endpoints are read from a partial index among many endpoints, on ${database}`, async () => {
    const db = await open();
    for (const sql of FILL) await db.write(sql);
    // Does at once what autovacuum does in its own time.
    if (db.dialect.engine === 'postgres') await db.all('VACUUM ANALYZE webhook_endpoint');
    const explain = db.dialect.engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const plans: string[] = [];
    const explaining = Object.assign(Object.create(db), {
      all: async (sql: string, values: Values) => {
        plans.push(JSON.stringify(await db.all(`${explain} ${sql}`, values)));
        return db.all(sql, values);
      },
    });
    const store = unhealthyEndpoints(explaining);

    assert.equal((await store.listUnhealthy({ now: MANY })).length, MANY / 500);
    assert.equal((await store.listUnhealthy({ now: MANY, clientIds: ['acme'] })).length, MANY / 500);

    assert.equal(plans.length, 2);
    for (const [index, name] of [
      'webhook_endpoint_unhealthy',
      'webhook_endpoint_unhealthy_of_client',
    ].entries())
      assert.match(plans[index] ?? '', new RegExp(`\\b${name}\\b`));
    for (const plan of plans)
      assert.doesNotMatch(plan, /Seq Scan on webhook_endpoint|"parent":0,[^}]*TEMP B-TREE/);
  });
});
