/** CalendarChoiceStore in SQL; held to test/contract/calendar-choice-store.contract.ts on both databases. */
import type { CalendarChoiceStore, OfferedCalendar } from '../../calendars/calendar-choice-store.ts';
import { storable } from '../../lib/storable-text.ts';
import { calendarRemovalRecorder } from '../changes/change-journal.ts';
import type { Database, Dialect, Statements } from '../drivers/database.ts';
import { scheduleJob } from '../jobs/job-rows.ts';
import { emptyLargeCalendars } from './calendar-removal.ts';

type Row = Omit<OfferedCalendar, 'isChosen'> & { href: string; leftOut: number };

const CALENDARS = `
  SELECT calendar_key, href, title, color, left_out FROM calendar
   WHERE account_key = :accountKey ORDER BY position, href`;

const unchosen = ({ oneOf }: Dialect): string =>
  `SELECT calendar_key FROM calendar WHERE account_key = :accountKey AND NOT (calendar_key ${oneOf('chosen')})`;

export function calendarChoiceStore(db: Database, jobScheduled = () => {}): CalendarChoiceStore {
  return {
    async chosenCalendars(accountKey) {
      const account = await db.get<{ onlyChosen: number }>(
        'SELECT only_chosen FROM account WHERE account_key = :accountKey AND listed_at IS NOT NULL',
        { accountKey },
      );
      if (account === undefined) return undefined;
      const rows = await db.all<Row>(CALENDARS, { accountKey });
      const calendars = rows.map(({ href: _, leftOut, ...row }) => ({ ...row, isChosen: leftOut === 0 }));
      return { onlyThese: account.onlyChosen === 1, calendars };
    },

    async chooseCalendars(accountKey, { chosen, onlyThese }, now) {
      const keys = new Set(chosen);
      const isChosen = ({ calendarKey }: Row) => keys.has(calendarKey);
      const values = { accountKey, chosen: [...keys] };
      await emptyLargeCalendars(db, { chosen: unchosen(db.dialect), values }, now);
      await db.transaction((tx) => choose(tx, accountKey, { isChosen, onlyThese, now }));
      jobScheduled();
    },

    async includeCalendar(accountKey, href, now) {
      const included = storable(href);
      const isChosen = (row: Row) => row.leftOut === 0 || row.href === included;
      await db.transaction((tx) => choose(tx, accountKey, { isChosen, onlyThese: undefined, now }));
      jobScheduled();
    },
  };
}

/** A choice to copy between accounts that are the same at the provider. `now` is in epoch milliseconds. */
export type TakenChoice = { readonly from: string; readonly to: string; readonly now: number };

/** Copies to an account's twin which calendars are left out, if any. The caller has locked the twin's user. */
export async function takeChoice(tx: Statements, { from, to, now }: TakenChoice): Promise<void> {
  const account = await tx.get<{ onlyChosen: number }>(
    'SELECT only_chosen FROM account WHERE account_key = :from',
    { from },
  );
  const rows = await tx.all<Row>(CALENDARS, { accountKey: from });
  const onlyThese = account?.onlyChosen === 1;
  if (!onlyThese && rows.every(({ leftOut }) => leftOut === 0)) return;
  const choice = new Map(rows.map(({ href, leftOut }) => [href, leftOut === 0]));
  const isChosen = ({ href, leftOut }: Row) => leftOut === 0 && (choice.get(href) ?? !onlyThese);
  await choose(tx, to, { isChosen, onlyThese: onlyThese || undefined, now });
}

type Choosing = {
  readonly isChosen: (calendar: Row) => boolean;
  /** `undefined` leaves it as it is. */
  readonly onlyThese: boolean | undefined;
  readonly now: number;
};

async function choose(
  tx: Statements,
  accountKey: string,
  { isChosen, onlyThese, now }: Choosing,
): Promise<void> {
  const recordRemoval = await calendarRemovalRecorder(tx, accountKey, now);
  // Locks the account's row, like a replacement of its list.
  await tx.change(
    `UPDATE account SET only_chosen = COALESCE(CAST(:onlyChosen AS BIGINT), only_chosen)
      WHERE account_key = :accountKey`,
    { accountKey, onlyChosen: onlyThese === undefined ? null : Number(onlyThese) },
  );
  for (const row of await tx.all<Row>(CALENDARS, { accountKey })) {
    const { calendarKey: key } = row;
    if (isChosen(row) === (row.leftOut === 0)) continue;
    if (isChosen(row)) {
      await tx.change('UPDATE calendar SET left_out = 0 WHERE calendar_key = :key', { key });
      await scheduleJob(tx, { kind: 'sync-calendar', key }, now);
      continue;
    }
    await tx.change("DELETE FROM job WHERE kind = 'sync-calendar' AND key = :key", { key });
    // Without its lease and its token, a running sync cannot write into it, and the next sync lists it in full.
    await tx.change(
      `UPDATE calendar SET left_out = 1, lease_holder = NULL, sync_token = NULL, synced_at = NULL, sync_error = NULL,
              failed_at = NULL, too_complex = NULL, unreadable = NULL, event_count = 0, bytes = 0, unfinished_syncs = 0,
              revision = revision + 1
        WHERE calendar_key = :key`,
      { key },
    );
    await recordRemoval(key);
    await tx.change('DELETE FROM event WHERE calendar_key = :key', { key });
  }
}
