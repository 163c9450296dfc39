/** One linked account of a CalDAV server: its calendars and their changes. */
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import type { CalendarAccount, ProviderCredentials } from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import type { Log } from '../../lib/log.ts';
import { calendarWriting } from './calendar-writing.ts';
import { changesSince } from './changes.ts';
import { readCredentials } from './credentials.ts';
import { CALENDARS } from './dav/calendar-listing.ts';
import { CALENDAR_PROPERTIES } from './dav/calendar-properties.ts';
import { bodyOf } from './dav/dav-body.ts';
import { type DavSession, refusalOf, sendPropfind } from './dav/dav-client.ts';
import { partsOf } from './dav/dav-reading.ts';
import { davSession, type SessionDeps } from './dav/dav-session.ts';
import { homeSet } from './dav/discover.ts';
import { calendarUrl } from './dav/href.ts';
import { eventWriting } from './event-writing.ts';

/** How much of a server's account is used. */
export type CalDavLimits = {
  /** Addresses at which the calendars of a user are listed. */
  readonly calendarHomes: number;
  readonly calendarsPerAccount: number;
  /** Requests sent for one form, such as a sign-in; each redirect is one. */
  readonly requestsPerForm: number;
};

export type CalDavDeps = SessionDeps & {
  readonly log: Log;
  readonly now: () => number;
  /** By default those of docs/configuration.md. */
  readonly limits?: CalDavLimits;
};

const DEFAULT_LIMITS: CalDavLimits = { calendarHomes: 10, calendarsPerAccount: 500, requestsPerForm: 30 };

/** The limits of these deps. */
export const limitsOf = ({ limits = DEFAULT_LIMITS }: Pick<CalDavDeps, 'limits'>): CalDavLimits => limits;

/** The account of these credentials. Fails as `unauthorized` when they cannot be read. */
export function openAccount(credentials: ProviderCredentials, deps: CalDavDeps): CalendarAccount {
  const { principal, homes: known, ...login } = readCredentials(credentials);
  const session = davSession(login, deps);
  const { calendarHomes } = limitsOf(deps);
  const homes = known.slice(0, calendarHomes).map(toUrl);

  return {
    writing: eventWriting({ session, principal: new URL(principal) }, deps),
    calendarWriting: calendarWriting({ session, homes }, deps),
    async listCalendars() {
      const calendars = await listCalendars(session, homes, deps).catch((failure: unknown) => {
        if (failure instanceof ProviderError && failure.kind === 'not_found') return undefined;
        throw failure;
      });
      if (calendars !== undefined) return calendars;
      // The homes moved: the principal says where to.
      return listCalendars(session, await homeSet(session, new URL(principal), calendarHomes), deps);
    },
    async *changesSince(calendarHref, token, stored) {
      yield* changesSince({ session, collection: calendarUrl(calendarHref), token, stored }, deps);
    },
  };
}

/**
 * The calendars for events in these homes, as many as an account may have and one more. Fails with ProviderError.
 */
export async function listCalendars(
  session: DavSession,
  homes: readonly URL[],
  deps: Pick<CalDavDeps, 'log' | 'limits'>,
): Promise<ProviderCalendar[]> {
  const most = limitsOf(deps).calendarsPerAccount + 1;
  const calendars = new Map<string, ProviderCalendar>();
  for (const home of homes) {
    const answer = await sendPropfind(session, home, { depth: '1', properties: CALENDAR_PROPERTIES });
    if (answer.status !== 207) throw refusalOf(answer);
    const base = answer.url.href;
    const input = { body: bodyOf(answer), base, origins: session.origins, most: most - calendars.size };
    for (const part of await partsOf(session.reading, CALENDARS, input)) {
      for (const calendar of part.calendars) calendars.set(calendar.href, calendar);
      for (const host of part.foreign)
        deps.log.warn({ host: home.host, foreign: host }, 'Left out calendars at a foreign address');
    }
    if (calendars.size >= most) break;
  }
  return [...calendars.values()];
}

const toUrl = (text: string): URL => new URL(text);
