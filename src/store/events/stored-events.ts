/** StoredEvents in SQL; held to test/contract/stored-events.contract.ts on both databases. */
import type { CalendarEvent } from '../../calendars/event.ts';
import { INSTANCE_MEMBERS, type Timing } from '../../calendars/mirrored-event.ts';
import { type RenderedObject, readMembers, renderObject, withoutMembers } from '../../lib/rendered-json.ts';
import type { StoredEvent, StoredEvents } from '../../writing/stored-events.ts';
import type { Database } from '../drivers/database.ts';

type Row = Omit<StoredEvent, 'event' | 'original'> & {
  recurrenceId: string;
  uid: string;
  timing: string | undefined;
  original: RenderedObject | undefined;
};

const COLUMNS = `href, recurrence_id, event_id, series_id, starts_at, ends_at, etag, uid, content, timing, original,
  original_digest`;
const OF_ID = `
  SELECT ${COLUMNS} FROM event WHERE calendar_key = :key AND event_id = :id
  UNION ALL
  SELECT ${COLUMNS} FROM event WHERE calendar_key = :key AND series_id = :id AND event_id <> :id`;

export function storedEvents(db: Database): StoredEvents {
  const listRows = (key: string, id: string) => db.all<Row>(OF_ID, { key, id });
  return {
    async findEvents(calendarKey, eventId) {
      const rows = await listRows(calendarKey, eventId);
      const other = rows.find(({ seriesId }) => seriesId !== undefined && seriesId !== eventId)?.seriesId;
      const series = other === undefined ? [] : await listRows(calendarKey, other);
      return toStoredEvents(series.length > 0 ? series : rows);
    },
  };
}

function toStoredEvents(rows: readonly Row[]): StoredEvent[] {
  // The row of a left-out exception names its series too, but has no timing.
  const events = rows.filter(({ timing }) => timing !== undefined);
  const ordered = events.toSorted((a, b) => (a.recurrenceId < b.recurrenceId ? -1 : 1));
  const master = ordered.find(({ recurrenceId }) => recurrenceId === '');
  const isSeries = ordered.some(({ seriesId }) => seriesId !== undefined);
  const hasMaster = isSeries && ordered[0]?.recurrenceId === '';
  return ordered.flatMap((row) => {
    const event = parseStoredEvent(row);
    if (event === undefined) return [];
    const { href, eventId, startsAt, endsAt, content } = row;
    const hasOwn = row.original !== undefined || row.originalDigest !== undefined;
    const { original, originalDigest } = hasOwn ? row : (master ?? row);
    return {
      event,
      href,
      etag: row.etag,
      eventId,
      seriesId: row.seriesId,
      startsAt,
      endsAt,
      content: hasMaster ? withoutMembers(content, INSTANCE_MEMBERS) : content,
      original: original ?? renderObject(),
      ...(originalDigest === undefined ? {} : { originalDigest }),
    };
  });
}

/** Returns the event that render-event.ts rendered, or `undefined` for a resource without an event. */
function parseStoredEvent({ uid, content, timing }: Row): CalendarEvent | undefined {
  if (timing === undefined) return undefined;
  const { cancelled, ...times }: Timing = JSON.parse(timing);
  const members = readMembers(withoutMembers(content, INSTANCE_MEMBERS));
  const { allDay, timeZone, lastModified, conferenceData, ...details } = members;
  const { provider: _provider, url: _url, original, ...withoutOriginal } = conferenceData ?? {};
  // An object if present. Events that were stored by earlier versions have only its members.
  const conference = (original ?? withoutOriginal) as Readonly<Record<string, unknown>>;
  return {
    ...{ uid, ...details, ...times, ...(lastModified && { lastModified: Date.parse(lastModified) }) },
    ...(Object.keys(conference).length > 0 && { conferenceData: conference }),
  };
}
