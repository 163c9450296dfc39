/** Reads a calendar again if its zone changed: its floating times have moved. No etag means a changed resource. */
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { ianaZone } from '../../lib/recurrence/zone.ts';
import { storable } from '../../lib/storable-text.ts';
import type { Database } from '../drivers/database.ts';

/** Returns `UTC` for an unknown zone, which would otherwise fail every read of the calendar. */
export const chooseCalendarZone = ({ timeZone }: ProviderCalendar): string => ianaZone(timeZone) ?? 'UTC';

/** Calendars with at most this many resources are changed in the transaction that replaces the list. */
const FEW = 500;
const RESOURCES_PER_PART = 500;

/** Deletes, in parts, the etags of large calendars whose zone will change. A needless deletion costs one request. */
export async function forgetVersions(
  db: Database,
  accountKey: string,
  calendars: readonly ProviderCalendar[],
): Promise<void> {
  const zones = new Map(calendars.map((calendar) => [storable(calendar.href), chooseCalendarZone(calendar)]));
  const large = await db.all<{ readonly key: string; readonly href: string; readonly timeZone: string }>(
    `SELECT calendar_key AS key, href, time_zone FROM calendar
      WHERE account_key = :accountKey AND event_count > ${FEW}`,
    { accountKey },
  );
  for (const { key, href, timeZone } of large) {
    if (!zones.has(href) || zones.get(href) === timeZone) continue;
    for (let after: string | undefined = ''; after !== undefined; ) after = await forgetPart(db, key, after);
  }
}

/** Returns where the next part begins, or `undefined` at the end. */
async function forgetPart(db: Database, key: string, after: string): Promise<string | undefined> {
  const part = await db.all<{ href: string }>(
    `SELECT DISTINCT href FROM event WHERE calendar_key = :key AND href > :after
      ORDER BY href LIMIT ${RESOURCES_PER_PART}`,
    { key, after },
  );
  const hrefs = part.map(({ href }) => href);
  await db.change(
    `UPDATE event SET etag = NULL
      WHERE calendar_key = :key AND href ${db.dialect.oneOf('hrefs')} AND etag IS NOT NULL`,
    { key, hrefs },
  );
  return hrefs.length < RESOURCES_PER_PART ? undefined : hrefs.at(-1);
}
