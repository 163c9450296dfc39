/** KnownEvents in SQL; held to test/contract/known-events.contract.ts on both databases. */
import type { CalendarEvent } from '../calendars/event.ts';
import type { KnownEvent, KnownEvents } from '../writing/known-events.ts';
import type { Database } from './drivers/database.ts';
import type { Timing } from './event-place.ts';
import { seriesContent } from './event-row.ts';

type Row = {
  href: string;
  recurrenceId: string;
  eventId: string;
  seriesId: string | null;
  startsAt: number;
  endsAt: number;
  etag: string | null;
  uid: string;
  content: string;
  timing: string | null;
  original: string | null;
};

const COLUMNS = `href, recurrence_id AS "recurrenceId", event_id AS "eventId", series_id AS "seriesId",
  starts_at AS "startsAt", ends_at AS "endsAt", etag, uid, content, timing, original`;
const OF_ID = `
  SELECT ${COLUMNS} FROM event WHERE calendar_key = :key AND event_id = :id
  UNION ALL
  SELECT ${COLUMNS} FROM event WHERE calendar_key = :key AND series_id = :id AND event_id <> :id`;

export function knownEvents(db: Database): KnownEvents {
  const rowsOf = (key: string, id: string) => db.all<Row>(OF_ID, { key, id });
  return {
    async findEvents(calendarKey, eventId) {
      const rows = await rowsOf(calendarKey, eventId);
      const other = rows.find(({ seriesId }) => seriesId !== null && seriesId !== eventId)?.seriesId;
      const series = other === undefined || other === null ? [] : await rowsOf(calendarKey, other);
      return knownOf(series.length > 0 ? series : rows);
    },
  };
}

function knownOf(rows: readonly Row[]): KnownEvent[] {
  const ordered = rows.toSorted((a, b) => (a.recurrenceId < b.recurrenceId ? -1 : 1));
  const ofMaster = ordered.find(({ recurrenceId }) => recurrenceId === '')?.original;
  const isSeries = ordered.some(({ seriesId }) => seriesId !== null);
  const hasMaster = isSeries && ordered[0]?.recurrenceId === '';
  return ordered.flatMap((row) => {
    const event = eventOf(row);
    if (event === undefined) return [];
    const { href, eventId, startsAt, endsAt, content } = row;
    return {
      event,
      href,
      etag: row.etag ?? undefined,
      eventId,
      seriesId: row.seriesId ?? undefined,
      startsAt,
      endsAt,
      content: hasMaster ? seriesContent(content) : content,
      original: row.original ?? ofMaster ?? '{}',
    };
  });
}

/** The event a row was written from, by event-row.ts; `undefined` for a resource that holds none. */
function eventOf({ uid, content, timing }: Row): CalendarEvent | undefined {
  if (timing === null) return undefined;
  const { start, end, recurrence, recurrenceId, thisAndFuture }: Timing = JSON.parse(timing);
  // Members of wire 2.5, as detailsOf wrote them.
  const told: Told = JSON.parse(`{${content}}`);
  const { title, description, color, location, attendees, custom, conference, conferenceData } = told;
  const { availability, privacy, status, lastModified, link } = told;
  return {
    uid,
    title,
    start,
    end,
    status,
    availability,
    privacy,
    attendees,
    ...present({ recurrence, recurrenceId, thisAndFuture }),
    ...present({ description, color, location, custom, conference, conferenceData, link }),
    ...(lastModified === undefined ? {} : { lastModified: Date.parse(lastModified) }),
  };
}

type Told = Omit<CalendarEvent, 'lastModified'> & { readonly lastModified?: string };

/** Those members that are there. */
function present<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  // The entries are T's own, without those that are undefined.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
