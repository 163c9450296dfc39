import assert from 'node:assert/strict';
import { it } from 'node:test';

import { accountsByHealth } from '../../src/store/accounts/accounts-by-health.ts';
import { accountsByHealthContract } from '../contract/accounts-by-health.contract.ts';
import { noting } from '../dashboard/noting-database.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(accountsByHealthContract);

onEachDatabase((database, open) => {
  it(`reads the accounts of all reasons in one statement for each application, on ${database}`, async () => {
    const runs: string[] = [];
    const noted = Object.assign(new Map(), { set: (sql: string) => runs.push(sql) });
    const store = accountsByHealth(noting(await open(), noted));

    for (const [clientIds, expected] of [
      [undefined, 1],
      [['acme', 'other'], 2],
    ] as const) {
      await store.listUnhealthy({ clientIds, state: 'degraded' }, { limit: 5 });
      assert.equal(runs.splice(0).length, expected);
      await store.countUnhealthy({ clientIds }, 5);
      assert.equal(runs.splice(0).length, expected);
    }
  });
});
