/** Reads the list of calendars of a home. */
import type { ProviderCalendar } from '../../../calendars/calendar.ts';
import { ProviderError } from '../../../calendars/provider-error.ts';
import { isPinned } from '../../../lib/egress/origins.ts';
import { mainCalendarIn, ownerIn, parseCalendar, readVersionTag } from './calendar-properties.ts';
import { type DavBody, decodeBody } from './dav-body.ts';
import type { DavTask } from './dav-reading.ts';
import { plainPath } from './href.ts';
import { type DavResponse, multistatusParts } from './multistatus.ts';
import { bounded } from './properties-task.ts';
import { isFailure } from './status.ts';

export type CalendarsInput = {
  readonly body: DavBody;
  readonly base: string;
  /** Calendars at other origins than these are left out. */
  readonly origins: readonly string[];
  readonly principal: string;
  readonly most: number;
};

export type ListedCalendar = {
  readonly calendar: ProviderCalendar;
  /** Whether the server names an owner who is not the account's user. */
  readonly isOthers: boolean;
  /** The tag of its events (`CalendarVersion`); `undefined` if the server has none. */
  readonly tag: string | undefined;
};

export type CalendarsPart = {
  readonly calendars: readonly ListedCalendar[];
  readonly foreign: readonly string[];
  /** The address of the main calendar, if the part contains an inbox that names it. */
  readonly main?: string | undefined;
};

/** Limits the calendars of a part, by number or milliseconds: parsing the zone of each takes time. */
const CALENDARS_OF_PART = 10;
const PART_MS = 20;

/**
 * Yields the calendars for events in a home, in its order. Fails as `multistatusParts` does, and as `unavailable` if the
 * server failed to return one of its resources: that may be a calendar, which must not count as deleted.
 */
export const CALENDARS: DavTask<CalendarsInput, CalendarsPart> = {
  name: 'caldav-calendars',
  *run({ body, base, origins, principal, most }) {
    const user = plainPath(new URL(principal));
    let calendars: ListedCalendar[] = [];
    let count = 0;
    let startedAt = performance.now();
    for (const responses of multistatusParts(decodeBody(body), bounded)) {
      const foreign = new Set<string>();
      let main: string | undefined;
      for (const response of responses) {
        const url = URL.parse(response.href, base);
        if (url === null || !isPinned(origins, url)) {
          foreign.add(url?.host ?? '');
          continue;
        }
        requireReturned(response);
        main ??= resolveMain(response, base);
        const calendar = parseCalendar(response, url);
        if (calendar === undefined) continue;
        calendars.push({ calendar, isOthers: isOthers(response, base, user), tag: readVersionTag(response) });
        count += 1;
        if (count === most) break;
        const isShort = performance.now() - startedAt < PART_MS;
        if (calendars.length < CALENDARS_OF_PART && isShort) continue;
        yield { calendars, foreign: [] };
        [calendars, startedAt] = [[], performance.now()];
      }
      // A few are enough for the message.
      yield { calendars, foreign: [...foreign].slice(0, 3), ...(main === undefined ? {} : { main }) };
      calendars = [];
      if (count === most) return;
    }
  },
};

function requireReturned({ status, typeStatus }: DavResponse): void {
  const failed = [status, typeStatus].find(isFailure);
  if (failed === undefined) return;
  throw new ProviderError('unavailable', `The server lists a calendar with status ${failed}`);
}

/** `user` is the path of a principal: a server may list calendars at another host than it signs in at. */
function isOthers(response: DavResponse, base: string, user: string): boolean {
  const ownerHref = ownerIn(response);
  const owner = ownerHref === undefined ? null : URL.parse(ownerHref, base);
  return owner !== null && plainPath(owner) !== user;
}

function resolveMain(response: DavResponse, base: string): string | undefined {
  const mainHref = mainCalendarIn(response);
  return mainHref === undefined ? undefined : URL.parse(mainHref, base)?.href;
}
