/** How the databases find the application of a host among many: by an index, since anybody can ask. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import { clientStore } from '../../src/store/applications/client-store.ts';
import type { Database, Values } from '../../src/store/drivers/database.ts';
import { onEachDatabase } from '../harness/databases.ts';

const FILL = `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
  INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
  SELECT 'projApp' || CAST(i AS TEXT), 'A', 'https://a.example/cb', 1, 1 FROM n RETURNING client_id`;

onEachDatabase((database, open) => {
  it(`on ${database}, an index finds the application of a host among 5,000`, async () => {
    const db = await open();
    await db.write(FILL);
    await db.transaction((tx) => tx.all('ANALYZE'));
    const plans: string[] = [];
    const explain = db.dialect.engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const explaining = {
      async get<Row>(sql: string, values?: Values) {
        const rows = await db.all<Record<string, unknown>>(`${explain} ${sql}`, values);
        plans.push(rows.map((row) => String(row['QUERY PLAN'] ?? row.detail)).join('\n'));
        return db.get<Row>(sql, values);
      },
    };
    const store = clientStore(Object.assign(Object.create(db) as Database, explaining));

    assert.equal(await store.findClientIdByLabel('projapp4711'), 'projApp4711');
    assert.match(plans.join('\n'), /application_by_label/);
  });
});
