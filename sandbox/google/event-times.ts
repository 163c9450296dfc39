/** Times as the Calendar API writes them, and as events mean them. */
import type { calendar_v3 } from '@googleapis/calendar';

import { formatLocal, parseLocal } from '../../src/lib/recurrence/civil.ts';
import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { ianaZone, instantOfLocal, localOfInstant, offsetAt } from '../../src/lib/recurrence/zone.ts';
import type { DraftTime } from '../core/provider-sandbox.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';

type GoogleTime = calendar_v3.Schema$EventDateTime;

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/i;

/** Epoch milliseconds; the offset is mandatory. `undefined` when the text is no such time. */
export function rfc3339(text: string): number | undefined {
  const [, local = '', offset] = RFC3339.exec(text) ?? [];
  const time = parseLocal(local.toUpperCase());
  return time === undefined || offset === undefined ? undefined : time - offsetMs(offset);
}

function offsetMs(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0;
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** A zone's name in the right letters; refused when there is none such. */
export function zoneNamed(name: string, where: string): string {
  const zone = ianaZone(name);
  if (zone === undefined) {
    throw new SandboxRefusal(400, 'invalid', `Invalid time zone definition for ${where} time.`);
  }
  return zone;
}

/** A `start` or `end` of a request. A time without a zone of its own is in the calendar's. */
export function readTime(
  time: GoogleTime | undefined,
  where: 'start' | 'end',
  calendarZone: string,
): EventTime {
  const { date, dateTime, timeZone } = time ?? {};
  if (date && dateTime) {
    throw new SandboxRefusal(400, 'invalid', `Invalid ${where} time: either date or dateTime.`);
  }
  if (date) {
    if (!/^\d{4}-\d\d-\d\d$/.test(date) || parseLocal(date) === undefined) {
      throw new SandboxRefusal(400, 'invalid', `Invalid value for: Invalid ${where} date`);
    }
    return { type: 'date', date };
  }
  if (!dateTime) throw new SandboxRefusal(400, 'required', `Missing ${where} time.`);
  const zone = timeZone ? zoneNamed(timeZone, where) : calendarZone;
  const [, text = '', offset] = RFC3339.exec(dateTime) ?? [];
  const wallClock = parseLocal(text.toUpperCase());
  if (wallClock === undefined || (offset === undefined && !timeZone)) {
    throw new SandboxRefusal(
      400,
      'invalid',
      `Invalid value for: ${where} dateTime needs an offset or a zone`,
    );
  }
  const local = offset === undefined ? wallClock : localOfInstant(zone, wallClock - offsetMs(offset));
  return { type: 'zoned', local: formatLocal(local), zone };
}

/**
 * An event's time in an answer: the wall clock of the zone asked for (the calendar's by default) with its offset,
 * and beside it the zone the event is in.
 */
export function writeTime(time: EventTime, shownIn: string): GoogleTime {
  if (time.type === 'date') return { date: time.date };
  const timeZone = time.type === 'zoned' && typeof time.zone === 'string' ? time.zone : shownIn;
  return { dateTime: textOfInstant(toInstant(time, shownIn), shownIn), timeZone };
}

/** RFC 3339 in the zone's offset. */
export function textOfInstant(instant: number, zone: string): string {
  const offset = offsetAt(zone, instant);
  const local = formatLocal(instant + offset);
  if (offset === 0) return `${local}Z`;
  const minutes = Math.abs(Math.round(offset / 60_000));
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** A person's time; fails as Error for a date or zone that is none. */
export function timeOfDraft(time: DraftTime): EventTime {
  const text = 'date' in time ? time.date : time.dateTime;
  if (parseLocal(text) === undefined) throw new Error(`Not a date or time: ${text}`);
  if ('date' in time) return { type: 'date', date: time.date };
  const zone = ianaZone(time.timeZone);
  if (zone === undefined) throw new Error(`Not a zone: ${time.timeZone}`);
  // A time the clock skips is moved, as Google's own app would show it.
  const local = localOfInstant(zone, instantOfLocal(zone, parseLocal(time.dateTime) ?? 0));
  return { type: 'zoned', local: formatLocal(local), zone };
}
