/** AccountCalendars in SQL; held to test/contract/account-calendars.contract.ts on both databases. */
import type { AccountCalendars, SyncedCalendar } from '../../user-data/account-calendars.ts';
import type { Database } from '../drivers/database.ts';

// A calendar without its own job is synced by the job of its account.
const LIST = `
  SELECT c.calendar_key, c.position, c.title, c.is_primary, c.left_out AS is_left_out,
         c.event_count, c.synced_at, COALESCE(c.sync_error, c.too_complex, c.unreadable) AS failure,
         COALESCE((SELECT j.run_at FROM job AS j WHERE j.kind = 'sync-calendar' AND j.key = c.calendar_key),
                  (SELECT j.run_at FROM job AS j WHERE j.kind = 'sync-account' AND j.key = c.account_key)) AS next_at,
         (SELECT MAX(w.expires_at) FROM provider_watch AS w
           WHERE w.calendar_key = c.calendar_key AND w.state = 'live' AND w.expires_at > :now) AS pushed_until
    FROM calendar AS c
   WHERE c.account_key = :accountKey AND (c.position, c.calendar_key) > (:position, :calendarKey)
   ORDER BY c.position, c.calendar_key LIMIT :limit`;

type Flag = 'isPrimary' | 'isLeftOut';
type Row = Omit<SyncedCalendar, Flag> & { [Name in Flag]: number };

export const accountCalendars = (db: Database): AccountCalendars => ({
  async listCalendars(accountKey, { after, limit, now }) {
    const { position, calendarKey } = after ?? { position: -1, calendarKey: '' };
    const rows = await db.all<Row>(LIST, { accountKey, position, calendarKey, limit, now });
    return rows.map((row) => ({ ...row, isPrimary: row.isPrimary === 1, isLeftOut: row.isLeftOut === 1 }));
  },
});
