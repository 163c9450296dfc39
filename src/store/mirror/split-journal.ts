/** SplitJournal in SQL; held to test/contract/split-journal.contract.ts on both databases. */
import type { OpenSplit, SplitJournal } from '../../writing/split-journal.ts';
import type { Database } from '../drivers/database.ts';
import { scheduleJob } from '../jobs/job-rows.ts';

export function splitJournal(db: Database, jobScheduled = () => {}): SplitJournal {
  return {
    async openSplit(split, now, resumeAt) {
      await db.transaction(async (tx) => {
        await tx.change(
          `INSERT INTO split_journal (split_id, calendar_key, step, plan, created_at)
           VALUES (:splitId, :calendarKey, :step, :plan, :now)`,
          { ...split, now },
        );
        await scheduleJob(tx, { kind: 'finish-splits', key: split.calendarKey }, resumeAt);
      });
      jobScheduled();
    },

    async noteStep(splitId, step, plan) {
      await db.change('UPDATE split_journal SET step = :step, plan = :plan WHERE split_id = :splitId', {
        splitId,
        step,
        plan,
      });
    },

    async closeSplit(splitId) {
      await db.change('DELETE FROM split_journal WHERE split_id = :splitId', { splitId });
    },

    openSplits: async (calendarKey) =>
      db.all<OpenSplit>(
        `SELECT split_id, calendar_key, step, plan FROM split_journal
          WHERE calendar_key = :calendarKey ORDER BY created_at, split_id`,
        { calendarKey },
      ),
  };
}
