/** A page of endpoints is chosen before their streams are counted: an endpoint can have thousands that wait. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Values } from '../../src/store/drivers/database.ts';
import { endpointStore } from '../../src/store/webhooks/webhook-endpoint-store.ts';
import { sealer } from '../contract/calendar-rows.ts';
import { onSqlite } from '../harness/databases.ts';

onSqlite((open) => {
  it('the streams of endpoints beyond the page are not counted', async () => {
    const db = await open();
    const plans: string[] = [];
    const explaining = Object.assign(Object.create(db), {
      async all(sql: string, values: Values) {
        const rows = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
        plans.push(rows.map(({ detail }) => detail).join('\n'));
        return db.all(sql, values);
      },
    });

    await endpointStore(explaining, sealer).listEndpoints(undefined, { after: undefined, limit: 1 });

    assert.equal(plans.length, 1);
    assert.match(plans[0] ?? '', /^(CO-ROUTINE|MATERIALIZE) e$[\s\S]*^SCAN e$[\s\S]*webhook_stream/m);
  });
});
