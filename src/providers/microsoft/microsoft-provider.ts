/** Microsoft accounts of persons and organizations, with calendars in Exchange Online, through Microsoft Graph. */
import type {
  AccountSession,
  CalendarAccount,
  ProviderCredentials,
  RedirectProvider,
} from '../../calendars/calendar-provider.ts';
import type { EventWriting } from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { accountEgress } from '../../lib/egress/account-egress.ts';
import type { Log } from '../../lib/log.ts';
import { texts } from '../json-value.ts';
import { type Graph, type GraphDeps, microsoftGraph } from './api.ts';
import { calendarWriting } from './calendar-writing.ts';
import { calendarUrl, listCalendars, ownerOfCalendar } from './calendars.ts';
import { changesSince } from './changes.ts';
import { copyLater } from './copy-later.ts';
import { createEvent, findCreated } from './create-event.ts';
import { deleteEvent } from './delete-event.ts';
import { inviteLater } from './invite-later.ts';
import { isInCalendar } from './membership.ts';
import { readEvent, type Source } from './read-events.ts';
import { respondToEvent } from './respond-to-event.ts';
import { covers } from './scopes.ts';
import { type MicrosoftSignInDeps, microsoftSignIn } from './sign-in.ts';
import { updateEvent } from './update-event.ts';
import { microsoftWatching } from './watching.ts';

/**
 * `issuer` is like `https://login.microsoftonline.com/common/v2.0`, `apiUrl` like `https://graph.microsoft.com/v1.0`.
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
  // Stored by us as a list of texts; `texts()` validates it.
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
        throw await toCalendarError(failure, graph, now());
      }
    },
  };
}

/**
 * Returns `not_found` for a calendar that is no longer shared. Graph seems to send ErrorAccessDenied for that and for a
 * missing permission, which no source confirms. With the permission, calendars can be listed.
 */
async function toCalendarError(failure: unknown, graph: Graph, now: number): Promise<unknown> {
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

/** The properties that all calendars of an account share. */
export type WritingAccount = Omit<Source, 'url' | 'owner'>;

export function eventWriting(account: WritingAccount): EventWriting {
  const toSource = (calendarHref: string): Source => {
    const url = calendarUrl(account.graph, calendarHref);
    return { ...account, url, owner: ownerOfCalendar(account.graph, url) };
  };
  return {
    create: (calendarHref, draft, key) => createEvent(toSource(calendarHref), draft, key),
    copyLater: (calendarHref, target, later) => copyLater(toSource(calendarHref), target, later),
    inviteLater: (calendarHref, href, invitations) => inviteLater(toSource(calendarHref), href, invitations),
    findCreated: (calendarHref, key) => findCreated(toSource(calendarHref), key),
    update: (calendarHref, target, change) => updateEvent(toSource(calendarHref), target, change),
    delete: (calendarHref, target) => deleteEvent(toSource(calendarHref), target),
    respond: (calendarHref, target, rsvp) => respondToEvent(toSource(calendarHref), target, rsvp),
    async read(calendarHref, href) {
      const source = toSource(calendarHref);
      const resources = await readEvent(source, href, false);
      return resources === 'gone' || !(await isInCalendar(source, href)) ? undefined : resources;
    },
  };
}
