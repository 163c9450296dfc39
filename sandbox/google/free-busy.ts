/** freebusy.query: when the people of calendars are busy, and nothing more. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { Instance, TimeWindow } from '../../src/lib/recurrence/series.ts';
import { busySpans } from '../core/busy-spans.ts';
import type { JsonObject } from '../core/json-object.ts';
import { jsonAnswer } from '../core/page-answer.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { type ApiContext, calendarNamed } from './api-context.ts';
import { instancesOf } from './event-series.ts';
import { rfc3339, textOfInstant, zoneNamed } from './event-times.ts';
import type { GoogleCalendar, StoredEvent } from './google-store.ts';
import { jsonBody } from './query.ts';

/** No source confirms it. */
const MOST_CALENDARS = 50;
/** About three months. No source confirms it. */
const LONGEST_WINDOW = 93 * 86_400_000;

export function queryFreeBusy(context: ApiContext): SandboxAnswer {
  const body = jsonBody(context.body);
  const window = windowOf(body);
  const zone = typeof body.timeZone === 'string' ? zoneNamed(body.timeZone, 'response') : 'UTC';
  const ids = itemsOf(body);
  const calendars = Object.fromEntries(ids.map((id) => [id, busyOf(context, id, { window, zone })]));
  const answer: calendar_v3.Schema$FreeBusyResponse = {
    kind: 'calendar#freeBusy',
    timeMin: textOfInstant(window.start, zone),
    timeMax: textOfInstant(window.end, zone),
    calendars,
  };
  return jsonAnswer(200, answer);
}

function windowOf({ timeMin, timeMax }: JsonObject): TimeWindow {
  const [start, end] = [timeMin, timeMax].map((text) =>
    typeof text === 'string' ? rfc3339(text) : undefined,
  );
  if (start === undefined || end === undefined) throw new SandboxRefusal(400, 'badRequest', 'Bad Request');
  if (end <= start) {
    throw new SandboxRefusal(400, 'timeRangeEmpty', 'The specified time range is empty.');
  }
  if (end - start > LONGEST_WINDOW) {
    throw new SandboxRefusal(400, 'timeRangeTooLong', 'The requested time range is too long.');
  }
  return { start, end };
}

function itemsOf({ items }: JsonObject): string[] {
  const ids = (Array.isArray(items) ? items : []).map((item: unknown) =>
    typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined,
  );
  if (!ids.every((id) => typeof id === 'string')) throw new SandboxRefusal(400, 'invalid', 'Invalid items.');
  if (ids.length > MOST_CALENDARS) {
    throw new SandboxRefusal(400, 'tooManyCalendarsRequested', 'Too many calendars were requested.');
  }
  return ids;
}

function busyOf(
  { store, person }: ApiContext,
  id: string,
  { window, zone }: { readonly window: TimeWindow; readonly zone: string },
): calendar_v3.Schema$FreeBusyCalendar {
  try {
    const { calendar } = calendarNamed(store, person, id);
    const busy = busySpans(busyInstances(calendar, window), window)
      .filter(({ start, end }) => end > start)
      .map(({ start, end }) => ({ start: textOfInstant(start, zone), end: textOfInstant(end, zone) }));
    return { busy };
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    return { errors: [{ domain: 'global', reason: error.reason }], busy: [] };
  }
}

function busyInstances(calendar: GoogleCalendar, window: TimeWindow): Instance<StoredEvent>[] {
  return [...calendar.events.values()]
    .filter(({ instanceOf, status }) => instanceOf === undefined && status !== 'cancelled')
    .flatMap((event) => instancesOf(calendar, event, window))
    .filter(({ payload }) => payload.details.transparency !== 'transparent');
}
