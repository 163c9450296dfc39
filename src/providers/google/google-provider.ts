/** Google Calendar, by the published API (v3) alone. */
import type {
  AccountSession,
  CalendarAccount,
  ProviderCredentials,
  RedirectProvider,
} from '../../calendars/calendar-provider.ts';
import { accountEgress } from '../../lib/egress/account-egress.ts';
import type { Log } from '../../lib/log.ts';
import { texts } from '../json-value.ts';
import { type GoogleApiDeps, googleApi } from './api.ts';
import { calendarWriting } from './calendar-writing.ts';
import { listCalendars } from './calendars.ts';
import { changesSince } from './changes.ts';
import { eventWriting } from './event-writing.ts';
import { type GoogleSignInDeps, googleSignIn } from './sign-in.ts';
import { googleWatching } from './watching.ts';

/**
 * The issuer is where users sign in, `https://accounts.google.com`; `apiUrl` is where the Calendar API begins,
 * `https://www.googleapis.com/calendar/v3`.
 */
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
  // Kept by us in this form; texts() takes nothing on trust.
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
