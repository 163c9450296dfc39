/** One linked account of a CalDAV server: its calendars and their changes. */
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import type { CalendarAccount, ProviderCredentials } from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import type { Egress } from '../../lib/egress/egress.ts';
import { isPinned } from '../../lib/egress/origins.ts';
import type { Log } from '../../lib/log.ts';
import { calendarWriting } from './calendar-writing.ts';
import { changesSince } from './changes.ts';
import { readCredentials } from './credentials.ts';
import { CALENDAR_PROPERTIES, calendarOf } from './dav/calendar-properties.ts';
import { type DavSession, propfind } from './dav/dav-client.ts';
import { homeSet } from './dav/discover.ts';
import { calendarUrl } from './dav/href.ts';
import { eventWriting } from './event-writing.ts';

export type CalDavDeps = { readonly egress: Egress; readonly log: Log; readonly now: () => number };

/** The account of these credentials. Fails as `unauthorized` when they cannot be read. */
export function openAccount(credentials: ProviderCredentials, deps: CalDavDeps): CalendarAccount {
  const { username, password, principal, homes, origins } = readCredentials(credentials);
  const session: DavSession = { egress: deps.egress, username, password, origins };

  return {
    writing: eventWriting({ session, principal: new URL(principal) }, deps),
    calendarWriting: calendarWriting({ session, homes: homes.map(toUrl) }, deps),
    async listCalendars() {
      const calendars = await listCalendars(session, homes.map(toUrl), deps.log).catch((failure: unknown) => {
        if (failure instanceof ProviderError && failure.kind === 'not_found') return undefined;
        throw failure;
      });
      if (calendars !== undefined) return calendars;
      // The homes moved: the principal says where to.
      return listCalendars(session, await homeSet(session, new URL(principal)), deps.log);
    },
    async *changesSince(calendarHref, token, stored) {
      yield* changesSince({ session, collection: calendarUrl(calendarHref), token, stored }, deps);
    },
  };
}

/** The calendars for events in these homes. */
export async function listCalendars(
  session: DavSession,
  homes: readonly URL[],
  log: Log,
): Promise<ProviderCalendar[]> {
  const calendars = new Map<string, ProviderCalendar>();
  for (const home of homes) {
    const request = { depth: '1', properties: CALENDAR_PROPERTIES } as const;
    const { responses, url: base } = await propfind(session, home, request);
    for (const response of responses) {
      const url = URL.parse(response.href, base);
      if (url === null || !isPinned(session.origins, url)) {
        log.warn({ host: home.host, foreign: url?.host }, 'Left out a calendar at a foreign address');
        continue;
      }
      const calendar = calendarOf(response, url);
      if (calendar !== undefined) calendars.set(calendar.href, calendar);
    }
  }
  return [...calendars.values()];
}

const toUrl = (text: string): URL => new URL(text);
