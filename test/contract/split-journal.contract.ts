/** Contract tests for SplitJournal. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { NOW } from './calendar-rows.ts';
import { take } from './job-terms.ts';
import { calendar, mirrorWith } from './mirror-rows.ts';

export function splitJournalContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const { splits, ...stores } = await mirrorWith(await open(), calendar('/home/'));
    return { ...stores, journal: splits };
  };

  describe(`SplitJournal on ${database}`, () => {
    it('a split is noted with the job that finishes it', async () => {
      const { journal, jobs, calendarKey } = await prepare();
      const split = { splitId: 's1', calendarKey, step: 'planned', plan: '{"a":1}' } as const;

      await journal.openSplit(split, NOW, NOW - 1);

      assert.deepEqual(await journal.openSplits(calendarKey), [split]);
      assert.deepEqual(await journal.openSplits('another'), []);
      const due = await take(jobs, { now: NOW - 1 });
      assert.ok(due.some(({ kind, key }) => kind === 'finish-splits' && key === calendarKey));
    });

    it('a split moves on, and is forgotten when it is done', async () => {
      const { journal, calendarKey } = await prepare();
      await journal.openSplit({ splitId: 'late', calendarKey, step: 'planned', plan: '2' }, NOW + 1, NOW);
      await journal.openSplit({ splitId: 'early', calendarKey, step: 'planned', plan: '1' }, NOW, NOW);

      await journal.noteStep('late', 'created', '2');
      await journal.noteStep('late', 'inviting', '3');

      const open = await journal.openSplits(calendarKey);
      assert.deepEqual(
        open.map(({ splitId, step, plan }) => [splitId, step, plan]),
        [
          ['early', 'planned', '1'],
          ['late', 'inviting', '3'],
        ],
      );
      await journal.closeSplit('early');
      await journal.closeSplit('late');
      assert.deepEqual(await journal.openSplits(calendarKey), []);
    });

    it('the splits of a calendar that is gone are forgotten', async () => {
      const { accounts, journal, accountKey, calendarKey } = await prepare();
      await journal.openSplit({ splitId: 's1', calendarKey, step: 'planned', plan: '1' }, NOW, NOW);

      await accounts.removeAccount(accountKey, NOW, undefined);

      assert.deepEqual(await journal.openSplits(calendarKey), []);
    });
  });
}
