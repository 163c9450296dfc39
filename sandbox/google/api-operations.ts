/** The Calendar API under /calendar/v3: the method of a request, and whether its token may call it. */

import { TooManyOccurrences } from '../core/occurrences.ts';
import { jsonAnswer } from '../core/page-answer.ts';
import { matchRoute } from '../core/path-pattern.ts';
import { bearerToken } from '../core/request-credentials.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { Operation, SandboxAnswer, SandboxRequest } from '../core/sandbox-server.ts';
import type { ShownMessage } from '../core/sent-messages.page.ts';
import { type ApiContext, type ApiHandler, calendarOf, notFound } from './api-context.ts';
import {
  deleteCalendar,
  getCalendar,
  getEntry,
  insertCalendar,
  listCalendars,
  patchCalendar,
  patchEntry,
} from './calendar-operations.ts';
import type { Channels } from './channels.ts';
import type { MeetMaker } from './conferences.ts';
import { getEvent, insert, listEvents, listInstances, patch, remove, update } from './event-operations.ts';
import { queryFreeBusy } from './free-busy.ts';
import { type CalendarMethod, METHOD_SCOPES } from './google-scopes.ts';
import type { GoogleStore } from './google-store.ts';
import type { AccessGrant, GoogleTokens } from './google-tokens.ts';
import type { GoogleHabits } from './habits.ts';
import { jsonBody } from './query.ts';

const BASE = '/calendar/v3';

type Method = {
  readonly route: string;
  readonly name: CalendarMethod;
  run: ApiHandler;
};

const method = (route: string, name: CalendarMethod, run: ApiHandler): Method => ({
  route: route.replace(' ', ` ${BASE}`),
  name,
  run,
});

const METHODS: readonly Method[] = [
  method('GET /users/me/calendarList', 'calendarList.list', listCalendars),
  method('POST /users/me/calendarList/watch', 'calendarList.watch', watchList),
  method('GET /users/me/calendarList/:calendarId', 'calendarList.get', getEntry),
  method('PATCH /users/me/calendarList/:calendarId', 'calendarList.patch', patchEntry),
  method('POST /calendars', 'calendars.insert', insertCalendar),
  method('GET /calendars/:calendarId', 'calendars.get', getCalendar),
  method('PATCH /calendars/:calendarId', 'calendars.patch', patchCalendar),
  method('DELETE /calendars/:calendarId', 'calendars.delete', deleteCalendar),
  method('GET /calendars/:calendarId/events', 'events.list', listEvents),
  method('POST /calendars/:calendarId/events', 'events.insert', insert),
  method('POST /calendars/:calendarId/events/watch', 'events.watch', watchEvents),
  method('GET /calendars/:calendarId/events/:eventId', 'events.get', getEvent),
  method('PUT /calendars/:calendarId/events/:eventId', 'events.update', update),
  method('PATCH /calendars/:calendarId/events/:eventId', 'events.patch', patch),
  method('DELETE /calendars/:calendarId/events/:eventId', 'events.delete', remove),
  method('GET /calendars/:calendarId/events/:eventId/instances', 'events.instances', listInstances),
  method('POST /freeBusy', 'freebusy.query', queryFreeBusy),
  method('POST /channels/stop', 'channels.stop', stopChannel),
];

export type ApiDeps = {
  readonly store: GoogleStore;
  readonly tokens: GoogleTokens;
  readonly channels: Channels;
  readonly meets: MeetMaker;
  readonly now: () => number;
  /** Returns the origin of this Google. */
  readonly origin: () => string;
  /** The maximum of events in a page of events.list. */
  readonly eventsPerPage: number;
  readonly habits: GoogleHabits;
  /** The messages that were emailed so far; changed in place. */
  readonly sent: ShownMessage[];
};

/** Returns `undefined` for a path outside the API. */
export function apiOperation(request: SandboxRequest, deps: ApiDeps): Operation | undefined {
  const { url, headers, body } = request;
  if (!url.pathname.startsWith(`${BASE}/`)) return undefined;
  const grant = deps.tokens.accessOf(bearerToken(request) ?? '');
  const user = grant?.user;
  const matched = matchRoute(METHODS, request);
  if (matched === undefined) {
    const run = () => {
      throw notFound();
    };
    return { name: 'unknown', user, run };
  }
  const { endpoint, parts: params } = matched;
  return {
    name: endpoint.name,
    user,
    run(effects) {
      const { person, scopes } = permitted(grant, endpoint.name, deps.store);
      const { store, channels, meets, eventsPerPage, habits, sent } = deps;
      const requestContext = { person, scopes, params, query: url.searchParams, headers, body, effects };
      const context = { store, channels, meets, eventsPerPage, habits, sent, ...requestContext };
      return bounded(() => endpoint.run({ ...context, now: deps.now(), origin: deps.origin() }));
    },
  };
}

/** A listing that would expand more than any calendar has is the client's mistake. */
async function bounded(run: () => ReturnType<ApiHandler>): Promise<SandboxAnswer> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof TooManyOccurrences)) throw error;
    throw new SandboxRefusal(400, 'badRequest', 'The query names more instances than this sandbox expands.');
  }
}

function permitted(grant: AccessGrant | undefined, name: CalendarMethod, store: GoogleStore) {
  const person = grant && store.people.get(grant.user);
  if (grant === undefined || person === undefined) {
    const message =
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.';
    throw new SandboxRefusal(401, 'authError', message);
  }
  const accepted: readonly string[] = METHOD_SCOPES[name];
  if (!grant.scopes.some((scope) => accepted.includes(scope))) {
    const header = {
      'www-authenticate': 'Bearer realm="https://accounts.google.com/", error="insufficient_scope"',
    };
    const message = 'Request had insufficient authentication scopes.';
    throw new SandboxRefusal(403, 'insufficientPermissions', message).withHeaders(header);
  }
  return { person, scopes: grant.scopes };
}

function watchEvents(context: ApiContext): SandboxAnswer {
  const { calendar } = calendarOf(context);
  const resourceUri = `${context.origin}${BASE}/calendars/${encodeURIComponent(calendar.id)}/events?alt=json`;
  return watch(context, calendar.id, resourceUri);
}

function watchList(context: ApiContext): SandboxAnswer {
  const resourceUri = `${context.origin}${BASE}/users/me/calendarList?alt=json`;
  return watch(context, `list ${context.person.email}`, resourceUri);
}

function watch({ channels, person, body }: ApiContext, watched: string, resourceUri: string): SandboxAnswer {
  return jsonAnswer(200, channels.watch({ body: jsonBody(body), watched, user: person.email, resourceUri }));
}

function stopChannel({ channels, person, body }: ApiContext): SandboxAnswer {
  channels.stop(jsonBody(body), person.email);
  return { status: 204 };
}
