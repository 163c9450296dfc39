import assert from 'node:assert/strict';
import { it } from 'node:test';

import { deleteOldEntries } from './old-entries.ts';

const DAY_MS = 86_400_000;
const NOW = 1_790_000_000_000;

it('deletes entries after the configured number of days, and never if it is 0', async () => {
  const deletedBefore: number[] = [];
  const audit = {
    async deleteOldEntries(before: number) {
      deletedBefore.push(before);
      return 3;
    },
  };
  const now = () => NOW;

  assert.equal(await deleteOldEntries({ audit, auditDays: 730, now }), 3);
  assert.equal(await deleteOldEntries({ audit, auditDays: 0, now }), 0);
  assert.deepEqual(deletedBefore, [NOW - 730 * DAY_MS]);
});
