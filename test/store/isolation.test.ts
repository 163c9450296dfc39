/** The isolation levels under which contracts run. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation((name, open) => {
  if (!name.startsWith('PostgreSQL')) return;
  describe(name, () => {
    it('a transaction has the isolation level in the name of its database', async () => {
      const db = await open();

      const read = "SELECT current_setting('transaction_isolation') AS level";
      const rows = [await db.get(read), await db.transaction((tx) => tx.get(read))];

      const [, level = 'read committed'] = name.split(', ');
      assert.deepEqual(rows, [{ level }, { level }]);
    });
  });
});
