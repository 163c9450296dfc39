/** StoredEvents in SQL; held to test/contract/stored-events.contract.ts on both databases. */
import type { CalendarEvent } from '../calendars/event.ts';
import { type EventMembers, INSTANCE_MEMBERS, type Timing } from '../calendars/mirrored-event.ts';
import {
  type RenderedMembers,
  type RenderedObject,
  readMembers,
  renderObject,
  withoutMembers,
} from '../lib/rendered-json.ts';
import type { StoredEvent, StoredEvents } from '../writing/stored-events.ts';
import type { Database } from './drivers/database.ts';

type Row = {
  href: string;
  recurrenceId: string;
  eventId: string;
  seriesId: string | null;
  startsAt: number;
  endsAt: number;
  etag: string | null;
  uid: string;
  content: RenderedMembers<EventMembers>;
  timing: string | null;
  original: RenderedObject | null;
  originalDigest: string | null;
};

const COLUMNS = `href, recurrence_id AS "recurrenceId", event_id AS "eventId", series_id AS "seriesId",
  starts_at AS "startsAt", ends_at AS "endsAt", etag, uid, content, timing, original,
  original_digest AS "originalDigest"`;
const OF_ID = `
  SELECT ${COLUMNS} FROM event WHERE calendar_key = :key AND event_id = :id
  UNION ALL
  SELECT ${COLUMNS} FROM event WHERE calendar_key = :key AND series_id = :id AND event_id <> :id`;

export function storedEvents(db: Database): StoredEvents {
  const rowsOf = (key: string, id: string) => db.all<Row>(OF_ID, { key, id });
  return {
    async findEvents(calendarKey, eventId) {
      const rows = await rowsOf(calendarKey, eventId);
      const other = rows.find(({ seriesId }) => seriesId !== null && seriesId !== eventId)?.seriesId;
      const series = other === undefined || other === null ? [] : await rowsOf(calendarKey, other);
      return storedOf(series.length > 0 ? series : rows);
    },
  };
}

function storedOf(rows: readonly Row[]): StoredEvent[] {
  // A left-out exception names its series as well.
  const events = rows.filter(({ timing }) => timing !== null);
  const ordered = events.toSorted((a, b) => (a.recurrenceId < b.recurrenceId ? -1 : 1));
  const master = ordered.find(({ recurrenceId }) => recurrenceId === '');
  const isSeries = ordered.some(({ seriesId }) => seriesId !== null);
  const hasMaster = isSeries && ordered[0]?.recurrenceId === '';
  return ordered.flatMap((row) => {
    const event = eventOf(row);
    if (event === undefined) return [];
    const { href, eventId, startsAt, endsAt, content } = row;
    const hasOwn = row.original !== null || row.originalDigest !== null;
    const { original, originalDigest } = hasOwn ? row : (master ?? row);
    return {
      event,
      href,
      etag: row.etag ?? undefined,
      eventId,
      seriesId: row.seriesId ?? undefined,
      startsAt,
      endsAt,
      content: hasMaster ? withoutMembers(content, INSTANCE_MEMBERS) : content,
      original: original ?? renderObject(),
      ...(originalDigest === null ? {} : { originalDigest }),
    };
  });
}

/** The event that render-event.ts rendered; `undefined` for a resource that holds none. */
function eventOf({ uid, content, timing }: Row): CalendarEvent | undefined {
  if (timing === null) return undefined;
  const { cancelled, ...times }: Timing = JSON.parse(timing);
  const members = readMembers(withoutMembers(content, INSTANCE_MEMBERS));
  const { allDay, timeZone, lastModified, conferenceData, ...details } = members;
  const { provider: _provider, url: _url, original, ...withoutOriginal } = conferenceData ?? {};
  // An object if present; events that were stored before have only its members.
  const conference = (original ?? withoutOriginal) as Readonly<Record<string, unknown>>;
  return {
    ...{ uid, ...details, ...times, ...(lastModified && { lastModified: Date.parse(lastModified) }) },
    ...(Object.keys(conference).length > 0 && { conferenceData: conference }),
  };
}
