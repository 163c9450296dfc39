/** Google Calendar, by the published API (v3) alone. */
import type {
  AccountSession,
  CalendarAccount,
  ProviderCredentials,
  RedirectProvider,
} from '../../calendars/calendar-provider.ts';
import type { Egress } from '../../lib/egress/egress.ts';
import type { Log } from '../../lib/log.ts';
import { texts } from '../json-value.ts';
import { googleApi } from './api.ts';
import { googleCalendarWriting } from './calendar-writing.ts';
import { listCalendars } from './calendars.ts';
import { changesSince } from './changes.ts';
import { googleWriting } from './event-writing.ts';
import { googleSignIn } from './sign-in.ts';

export type GoogleDeps = {
  readonly egress: Egress;
  /** Where users sign in: `https://accounts.google.com`, without a trailing slash. */
  readonly issuer: string;
  /** Where the Calendar API begins: `https://www.googleapis.com/calendar/v3`, without a trailing slash. */
  readonly apiUrl: string;
  /** Whether users who let events be written are asked for their calendars too; not unless it is said. */
  readonly asksForCalendars?: boolean;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

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
  const api = googleApi(session, deps);
  // Kept by us in this form; texts() takes nothing on trust.
  const granted = texts(scopes);
  return {
    writing: googleWriting(api),
    calendarWriting: googleCalendarWriting(api, granted),
    listCalendars: () => listCalendars(api),
    changesSince: (calendarHref, token) =>
      changesSince({ calendarHref, token, scopes: granted }, api, deps.log),
  };
}
