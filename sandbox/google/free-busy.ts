/** freebusy.query: when the people of calendars are busy, and nothing more. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { TimeWindow } from '../../src/lib/recurrence/series.ts';
import { jsonAnswer } from '../core/page-answer.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { type ApiContext, calendarNamed } from './api-context.ts';
import { instancesOf } from './event-series.ts';
import { rfc3339, textOfInstant, zoneNamed } from './event-times.ts';
import type { GoogleCalendar } from './google-world.ts';
import { jsonBody } from './query.ts';

/** (k) */
const MOST_CALENDARS = 50;
/** About three months (k). */
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

function windowOf({ timeMin, timeMax }: Readonly<Record<string, unknown>>): TimeWindow {
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

function itemsOf({ items }: Readonly<Record<string, unknown>>): string[] {
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
  { world, person }: ApiContext,
  id: string,
  { window, zone }: { readonly window: TimeWindow; readonly zone: string },
): calendar_v3.Schema$FreeBusyCalendar {
  try {
    const { calendar } = calendarNamed(world, person, id);
    const busy = busySpans(calendar, window).map(({ start, end }) => ({
      start: textOfInstant(start, zone),
      end: textOfInstant(end, zone),
    }));
    return { busy };
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    return { errors: [{ domain: 'global', reason: error.reason }], busy: [] };
  }
}

/** Merged where they meet, cut to the window. */
function busySpans(calendar: GoogleCalendar, window: TimeWindow): TimeWindow[] {
  const instances = [...calendar.events.values()]
    .filter(({ instanceOf, status }) => instanceOf === undefined && status !== 'cancelled')
    .flatMap((event) => instancesOf(calendar, event, window))
    .filter(({ payload }) => payload.words.transparency !== 'transparent')
    .map(({ startsAt, endsAt }) => ({
      start: Math.max(startsAt, window.start),
      end: Math.min(endsAt, window.end),
    }))
    .filter(({ start, end }) => end > start)
    .sort((a, b) => a.start - b.start);
  const spans: TimeWindow[] = [];
  for (const span of instances) {
    const last = spans.at(-1);
    if (last === undefined || span.start > last.end) spans.push(span);
    else spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return spans;
}
