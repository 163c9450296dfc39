/** Microsoft: personal accounts and those of organisations, with calendars in Exchange Online, over Microsoft Graph. */
import type {
  AccountSession,
  CalendarAccount,
  ProviderCredentials,
  RedirectProvider,
} from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { accountEgress } from '../../lib/egress/account-egress.ts';
import type { Log } from '../../lib/log.ts';
import { texts } from '../json-value.ts';
import { type Graph, type GraphDeps, microsoftGraph } from './api.ts';
import { calendarWriting } from './calendar-writing.ts';
import { calendarUrl, listCalendars, ownerOfCalendar } from './calendars.ts';
import { changesSince } from './changes.ts';
import { eventWriting } from './event-writing.ts';
import { covers } from './scopes.ts';
import { type MicrosoftSignInDeps, microsoftSignIn } from './sign-in.ts';
import { microsoftWatching } from './watching.ts';

/**
 * The issuer is where users sign in, as `https://login.microsoftonline.com/common/v2.0`; `apiUrl` is where Graph begins,
 * `https://graph.microsoft.com/v1.0`.
 */
export type MicrosoftDeps = MicrosoftSignInDeps & GraphDeps & { readonly log: Log };

export function microsoftProvider(deps: MicrosoftDeps): RedirectProvider {
  return {
    kind: 'microsoft',
    signIn: microsoftSignIn(deps),
    open: (credentials, session) => openAccount(credentials, session, deps),
  };
}

function openAccount(
  { scopes }: ProviderCredentials,
  session: AccountSession,
  deps: MicrosoftDeps,
): CalendarAccount {
  const { apiUrl, log, now } = deps;
  const egress = accountEgress(deps.egress, session.user, session.accountKey);
  const graph = microsoftGraph(session, { egress, apiUrl });
  // Kept by us in this form; texts() takes nothing on trust.
  const basic = !covers(texts(scopes), 'read');
  return {
    writing: eventWriting({ graph, basic, log }),
    calendarWriting: calendarWriting(graph),
    watching: microsoftWatching(graph, now),
    listCalendars: () => listCalendars(graph, now()),
    async *changesSince(calendarHref, token, stored) {
      const url = calendarUrl(graph, calendarHref);
      const source = { graph, url, basic, log, owner: ownerOfCalendar(graph, url) };
      try {
        yield* changesSince({ source, token, stored }, { now });
      } catch (failure) {
        throw await refusalOfCalendar(failure, graph, now());
      }
    },
  };
}

/**
 * Graph seems to have one code, ErrorAccessDenied, for a permission that is missing and for a calendar that is no longer
 * shared, which no source confirms: who may list calendars has the permission.
 */
async function refusalOfCalendar(failure: unknown, graph: Graph, now: number): Promise<unknown> {
  const isRefusal = failure instanceof ProviderError && failure.reason === 'calendar_permission_missing';
  if (!isRefusal) return failure;
  try {
    await listCalendars(graph, now);
  } catch (reason) {
    return reason instanceof ProviderError ? failure : reason;
  }
  return new ProviderError('not_found', 'Microsoft does not grant access to this calendar', {
    cause: failure,
  });
}
