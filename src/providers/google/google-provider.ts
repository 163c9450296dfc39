/** Google Calendar through its published API (v3). */

import type { calendar_v3 } from '@googleapis/calendar';
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import type {
  AccountSession,
  CalendarAccount,
  ProviderCredentials,
  RedirectProvider,
} from '../../calendars/calendar-provider.ts';
import type { CalendarWatching, CreatedWatch, WatchHook } from '../../calendars/calendar-watching.ts';
import { accountEgress } from '../../lib/egress/account-egress.ts';
import type { Log } from '../../lib/log.ts';
import { objects, text, texts, withoutUndefined } from '../json-value.ts';
import { type ApiRead, type GoogleApi, type GoogleApiDeps, googleApi } from './api.ts';
import { unreadable } from './api-refusal.ts';
import { calendarWriting } from './calendar-writing.ts';
import { changesSince } from './changes.ts';
import { eventWriting } from './event-writing.ts';
import { type GoogleSignInDeps, googleSignIn } from './sign-in.ts';

/** `issuer` is `https://accounts.google.com`; `apiUrl` is `https://www.googleapis.com/calendar/v3`. */
export type GoogleDeps = GoogleSignInDeps & GoogleApiDeps & { readonly log: Log };

export function googleProvider(deps: GoogleDeps): RedirectProvider {
  return {
    kind: 'google',
    signIn: googleSignIn(deps),
    open: (credentials, session) => openAccount(credentials, session, deps),
  };
}

function openAccount(
  { scopes }: ProviderCredentials,
  session: AccountSession,
  deps: GoogleDeps,
): CalendarAccount {
  const egress = accountEgress(deps.egress, session.user, session.accountKey);
  const api = googleApi(session, { ...deps, egress });
  // Stored by us as a list of texts; `texts()` validates it.
  const granted = texts(scopes);
  return {
    writing: eventWriting(api, deps.log),
    calendarWriting: calendarWriting(api, granted),
    watching: googleWatching(api),
    listCalendars: () => listCalendars(api),
    changesSince: (calendarHref, token) =>
      changesSince({ calendarHref, token, scopes: granted }, api, deps.log),
  };
}

/** Google's maximum. */
const SECONDS = 7 * 86_400;

export function googleWatching(api: GoogleApi): CalendarWatching {
  const ask = async (request: ApiRead, { watchId, token, url }: WatchHook): Promise<CreatedWatch> => {
    const body = { id: watchId, type: 'web_hook', address: url, token, params: { ttl: String(SECONDS) } };
    const channel = await api.write<calendar_v3.Schema$Channel>({ ...request, method: 'POST', body });
    const remoteId = text(channel?.resourceId);
    const expiresAt = Number(text(channel?.expiration));
    if (remoteId === undefined || !Number.isSafeInteger(expiresAt)) throw unreadable();
    return { remoteId, expiresAt };
  };

  return {
    // Google accepts any address and reports nothing if it does not respond.
    provesReach: false,

    watch(href, hook) {
      const path = `/calendars/${encodeURIComponent(href)}/events/watch`;
      return ask({ operation: 'events.watch', path }, hook);
    },

    watchList: (hook) => ask({ operation: 'calendarList.watch', path: '/users/me/calendarList/watch' }, hook),

    async stop({ watchId, remoteId }) {
      const request = { operation: 'channels.stop', path: '/channels/stop', method: 'POST' } as const;
      await api.write({ ...request, body: { id: watchId, resourceId: remoteId } });
    },
  };
}

type Entry = calendar_v3.Schema$CalendarListEntry;

const REQUEST = {
  operation: 'calendarList.list',
  path: '/users/me/calendarList',
  // Google's maximum.
  parameters: { maxResults: '250' },
};

/** Returns the calendars on the user's list in Google's order, unticked ones included, hidden ones excluded. */
export async function listCalendars(api: GoogleApi): Promise<ProviderCalendar[]> {
  const calendars = new Map<string, ProviderCalendar>();
  for await (const { items } of api.list<calendar_v3.Schema$CalendarList>(REQUEST)) {
    for (const calendar of objects<Entry>(items).map(toCalendar))
      if (calendar !== undefined) calendars.set(calendar.href, calendar);
  }
  return [...calendars.values()];
}

/** Returns the calendar; undefined if it is hidden or has no id. `writerWithoutPrivateAccess` may write too. */
function toCalendar(entry: Entry): ProviderCalendar | undefined {
  const href = text(entry.id);
  if (href === undefined || entry.deleted === true || entry.hidden === true) return undefined;
  return {
    href,
    // The user's name for a calendar takes precedence over its owner's.
    title: text(entry.summaryOverride) ?? text(entry.summary) ?? href,
    ...withoutUndefined({
      description: text(entry.description),
      color: /^#[\da-f]{6}$/i.exec(text(entry.backgroundColor) ?? '')?.[0].toLowerCase(),
    }),
    timeZone: text(entry.timeZone) ?? 'UTC',
    access: /owner|writer/.test(text(entry.accessRole) ?? '') ? 'write' : 'read',
    ...(entry.primary === true ? { primary: true } : {}),
    original: { ...entry },
  };
}
