/** A connected account of a CalDAV server: its calendars and their changes. */
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import type { CalendarAccount, ProviderCredentials } from '../../calendars/calendar-provider.ts';
import { mainCalendar } from '../../calendars/main-calendar.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import type { Log } from '../../lib/log.ts';
import { calendarWriting } from './calendar-writing.ts';
import { changesSince } from './changes.ts';
import { readCredentials } from './credentials.ts';
import { CALENDARS, type ListedCalendar } from './dav/calendar-listing.ts';
import { CALENDAR_PROPERTIES, VERSION_PROPERTIES } from './dav/calendar-properties.ts';
import { toDavBody } from './dav/dav-body.ts';
import { type DavSession, sendPropfind, toDavError } from './dav/dav-client.ts';
import { collectParts } from './dav/dav-reading.ts';
import { davSession, type SessionDeps } from './dav/dav-session.ts';
import { homeSet } from './dav/discover.ts';
import { calendarUrl, comparablePath, withoutSlash } from './dav/href.ts';
import { listMailAddresses, userAddresses } from './dav/user-addresses.ts';
import { eventWriting } from './event-writing.ts';

export type CalDavLimits = {
  /** Limits the addresses at which a user's calendars are listed. */
  readonly calendarHomes: number;
  readonly calendarsPerAccount: number;
  /** Limits the requests for one form, such as a sign-in; each redirect is one. */
  readonly requestsPerForm: number;
};

export type CalDavDeps = SessionDeps & {
  readonly log: Log;
  readonly now: () => number;
  /** Defaults to the limits of docs/configuration.md. */
  readonly limits?: CalDavLimits;
};

const DEFAULT_LIMITS: CalDavLimits = { calendarHomes: 10, calendarsPerAccount: 500, requestsPerForm: 30 };

export const readLimits = ({ limits = DEFAULT_LIMITS }: Pick<CalDavDeps, 'limits'>): CalDavLimits => limits;

/** Opens the account of these credentials. Fails as `unauthorized` if they cannot be read. */
export function openAccount(credentials: ProviderCredentials, deps: CalDavDeps): CalendarAccount {
  const { principal, homes: storedHomes, ...login } = readCredentials(credentials);
  const session = davSession(login, deps);
  const { calendarHomes } = readLimits(deps);
  const homes = storedHomes.slice(0, calendarHomes).map(toUrl);
  const user = { principal: new URL(principal), homes };

  return {
    writing: eventWriting({ session, principal: user.principal }, deps),
    calendarWriting: calendarWriting({ session, homes }, deps),
    async listCalendars() {
      const calendars = await listCalendars(session, user, deps).catch((failure: unknown) => {
        if (failure instanceof ProviderError && failure.kind === 'not_found') return undefined;
        throw failure;
      });
      if (calendars !== undefined) return calendars;
      // The homes moved: the principal names the new ones.
      const moved = await homeSet(session, user.principal, calendarHomes);
      return listCalendars(session, { ...user, homes: moved }, deps);
    },
    async userAddresses() {
      return listMailAddresses(await userAddresses(session, user.principal));
    },
    async *changesSince(calendarHref, token, stored) {
      yield* changesSince({ session, collection: calendarUrl(calendarHref), token, stored }, deps);
    },
  };
}

/** The addresses of a user's calendars; the first of the homes is the user's own. */
export type ListedUser = { readonly principal: URL; readonly homes: readonly URL[] };

/** Lists the calendars in these homes, up to one more than an account may have, with the main one marked. */
export async function listCalendars(
  session: DavSession,
  { principal, homes }: ListedUser,
  deps: Pick<CalDavDeps, 'log' | 'limits' | 'now'>,
): Promise<ProviderCalendar[]> {
  const most = readLimits(deps).calendarsPerAccount + 1;
  const calendars = new Map<string, ProviderCalendar>();
  const ownCalendars: ProviderCalendar[] = [];
  let inviting: string | undefined;
  for (const [place, home] of homes.entries()) {
    const answer = await sendPropfind(session, home, { depth: '1', properties: LISTED_PROPERTIES });
    const readAt = deps.now();
    if (answer.status !== 207) throw toDavError(answer);
    const user = { principal: principal.href, origins: session.origins };
    const input = { ...user, body: toDavBody(answer), base: answer.url.href, most: most - calendars.size };
    for (const part of await collectParts(session.reading, CALENDARS, input)) {
      for (const listed of part.calendars) calendars.set(listed.calendar.href, withVersion(listed, readAt));
      if (place === 0) {
        ownCalendars.push(
          ...part.calendars.filter(({ isOthers }) => !isOthers).map(({ calendar }) => calendar),
        );
        inviting ??= part.main;
      }
      for (const host of part.foreign)
        deps.log.warn(
          { event: 'calendars_foreign', host: home.host, foreign: host },
          'Calendars at a foreign address were left out',
        );
    }
    if (calendars.size >= most) break;
  }
  return withMain([...calendars.values()], ownCalendars, inviting);
}

const LISTED_PROPERTIES: readonly string[] = [...CALENDAR_PROPERTIES, ...VERSION_PROPERTIES];

const withVersion = ({ calendar, tag }: ListedCalendar, readAt: number): ProviderCalendar =>
  tag === undefined ? calendar : { ...calendar, version: { tag, readAt } };

/** Marks the main calendar: the one at `inviting`, where the inbox puts invitations, else one of the user's `own`. */
function withMain(
  calendars: readonly ProviderCalendar[],
  own: readonly ProviderCalendar[],
  inviting: string | undefined,
): ProviderCalendar[] {
  const defaultCalendar = inviting && calendars.find(({ href }) => isSame(href, inviting));
  const main = defaultCalendar || mainCalendar(own, { marksPrimary: false });
  return calendars.map((calendar) =>
    calendar.href === main?.href ? { ...calendar, primary: true } : calendar,
  );
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  return (
    a.host === b.host && withoutSlash(comparablePath(a.pathname)) === withoutSlash(comparablePath(b.pathname))
  );
}

const toUrl = (text: string): URL => new URL(text);
