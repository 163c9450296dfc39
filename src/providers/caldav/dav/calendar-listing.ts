/** Reading the list of calendars of a home. */
import type { ProviderCalendar } from '../../../calendars/calendar.ts';
import { isPinned } from '../../../lib/egress/origins.ts';
import { calendarOf } from './calendar-properties.ts';
import { type DavBody, textOfBody } from './dav-body.ts';
import type { DavTask } from './dav-reading.ts';
import { multistatusParts } from './multistatus.ts';
import { bounded } from './properties-task.ts';

export type CalendarsInput = {
  readonly body: DavBody;
  /** The address that answered. */
  readonly base: string;
  /** Calendars at other origins than these are left out. */
  readonly origins: readonly string[];
  /** No more calendars are read. */
  readonly most: number;
};

export type CalendarsPart = {
  readonly calendars: readonly ProviderCalendar[];
  /** Hosts of calendars at foreign addresses. */
  readonly foreign: readonly string[];
};

/** Each has the zone it describes to be read, which takes its time: so many calendars, or milliseconds, are a part. */
const CALENDARS_OF_PART = 10;
const PART_MS = 20;

/** The calendars for events that a home lists, in its order. Fails as `multistatusParts` does. */
export const CALENDARS: DavTask<CalendarsInput, CalendarsPart> = {
  name: 'caldav-calendars',
  *run({ body, base, origins, most }) {
    let calendars: ProviderCalendar[] = [];
    let count = 0;
    let startedAt = performance.now();
    for (const responses of multistatusParts(textOfBody(body), bounded)) {
      const foreign = new Set<string>();
      for (const response of responses) {
        const url = URL.parse(response.href, base);
        if (url === null || !isPinned(origins, url)) {
          foreign.add(url?.host ?? '');
          continue;
        }
        const calendar = calendarOf(response, url);
        if (calendar === undefined) continue;
        calendars.push(calendar);
        count += 1;
        if (count === most) break;
        const isShort = performance.now() - startedAt < PART_MS;
        if (calendars.length < CALENDARS_OF_PART && isShort) continue;
        yield { calendars, foreign: [] };
        [calendars, startedAt] = [[], performance.now()];
      }
      // A few are enough to say so.
      yield { calendars, foreign: [...foreign].slice(0, 3) };
      calendars = [];
      if (count === most) return;
    }
  },
};
