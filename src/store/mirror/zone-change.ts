/**
 * A calendar whose zone changes is read anew: floating times are indexed by the instants the old zone gave them. Without
 * an etag every resource counts as changed, whatever way the adapter compares.
 */
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { ianaZone } from '../../lib/recurrence/zone.ts';
import { storable } from '../../lib/storable-text.ts';
import type { Database } from '../drivers/database.ts';

/** A zone nobody knows would fail every read of the calendar. */
export const zoneOf = ({ timeZone }: ProviderCalendar): string => ianaZone(timeZone) ?? 'UTC';

/** Calendars of no more resources are done in the transaction that replaces the list. */
const FEW = 500;
const RESOURCES_PER_PART = 500;

type Row = { readonly key: string; readonly href: string; readonly timeZone: string };

/**
 * Forgets the etags of large calendars whose zone will change, part by part, so that nobody waits for one long statement.
 * An etag that is forgotten for nothing costs a look at the provider.
 */
export async function forgetVersions(
  db: Database,
  accountKey: string,
  calendars: readonly ProviderCalendar[],
): Promise<void> {
  const zones = new Map(calendars.map((calendar) => [storable(calendar.href), zoneOf(calendar)]));
  const large = await db.all<Row>(
    `SELECT calendar_key AS key, href, time_zone FROM calendar
      WHERE account_key = :accountKey AND event_count > ${FEW}`,
    { accountKey },
  );
  for (const { key, href, timeZone } of large) {
    if (!zones.has(href) || zones.get(href) === timeZone) continue;
    for (let after: string | undefined = ''; after !== undefined; ) after = await forgetPart(db, key, after);
  }
}

/** Answers where the next part begins, `undefined` at the end. */
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
