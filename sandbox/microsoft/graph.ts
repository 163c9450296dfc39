/** Graph v1.0: which request is which operation, and who may do it. */
import { matchRoute } from '../core/path-pattern.ts';
import { bearerToken } from '../core/request-credentials.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { Operation, SandboxAnswer, SandboxRequest } from '../core/sandbox-server.ts';
import { answerCalendar, answerCalendars, answerMailboxSettings, answerMe } from './calendar-operations.ts';
import { answerCalendarDelete, answerCalendarUpdate, answerNewCalendar } from './calendar-writes.ts';
import { answerDelta } from './delta-operations.ts';
import { answerCalendarView, answerEvent, answerEvents, answerInstances } from './event-operations.ts';
import { answerResponse } from './event-responses.ts';
import { answerCreate, answerDelete, answerUpdate } from './event-writes.ts';
import { accessDenied } from './graph-error.ts';
import { type GraphCall, type GraphDeps, graphCall } from './graph-request.ts';
import { calendarOf } from './mailbox-store.ts';
import type { MicrosoftTokens } from './microsoft-tokens.ts';
import { mayReadBasic, maySeeShared, mayWrite, type Permission } from './permission.ts';
import { answerSchedule } from './schedule-operation.ts';
import {
  answerReauthorize,
  answerRenewal,
  answerSubscribe,
  answerSubscription,
  answerSubscriptions,
  answerUnsubscribe,
} from './subscription-operations.ts';

type Answer = (call: GraphCall, deps: GraphDeps) => SandboxAnswer | Promise<SandboxAnswer>;
type Endpoint = {
  readonly route: string;
  readonly name: string;
  readonly may: (granted: readonly Permission[]) => boolean;
  readonly answer: Answer;
};
/** A route below its base, its name, who may call it, and what answers. */
type Row = readonly [route: string, name: string, may: Endpoint['may'], answer: Answer];

/** These decide on their permissions themselves. */
const anybody = () => true;

const ROWS: readonly Row[] = [
  ['GET /me', 'me', anybody, answerMe],
  ['GET /me/mailboxSettings', 'mailboxSettings', anybody, answerMailboxSettings],
  ['GET /me/calendars', 'calendars.list', mayReadBasic, answerCalendars],
  ['POST /me/calendars', 'calendars.create', mayWrite, answerNewCalendar],
  ['PATCH /me/calendars/:calendarId', 'calendars.update', mayWrite, answerCalendarUpdate],
  ['DELETE /me/calendars/:calendarId', 'calendars.delete', mayWrite, answerCalendarDelete],
  ['GET /me/calendar', 'calendars.get', mayReadBasic, answerCalendar],
  ['GET /me/calendars/:calendarId', 'calendars.get', mayReadBasic, answerCalendar],
  ['POST /me/calendar/getSchedule', 'getSchedule', mayReadBasic, answerSchedule],
  ['POST /subscriptions', 'subscriptions.create', anybody, answerSubscribe],
  ['GET /subscriptions', 'subscriptions.list', anybody, answerSubscriptions],
  ['GET /subscriptions/:subscriptionId', 'subscriptions.get', anybody, answerSubscription],
  ['PATCH /subscriptions/:subscriptionId', 'subscriptions.update', anybody, answerRenewal],
  ['DELETE /subscriptions/:subscriptionId', 'subscriptions.delete', anybody, answerUnsubscribe],
  [
    'POST /subscriptions/:subscriptionId/reauthorize',
    'subscriptions.reauthorize',
    anybody,
    answerReauthorize,
  ],
];

/** At the default calendar, at a named one, and, for events, at the mailbox. */
const CALENDAR_ROWS: readonly Row[] = [
  ['GET /calendarView/delta', 'calendarView.delta', mayReadBasic, answerDelta],
  ['GET /calendarView', 'calendarView.list', mayReadBasic, answerCalendarView],
  ['GET /events', 'events.list', mayReadBasic, answerEvents],
  ['POST /events', 'events.create', mayWrite, answerCreate],
  ['GET /events/:eventId', 'events.get', mayReadBasic, answerEvent],
  ['PATCH /events/:eventId', 'events.update', mayWrite, answerUpdate],
  ['DELETE /events/:eventId', 'events.delete', mayWrite, answerDelete],
  ['POST /events/:eventId/accept', 'events.accept', mayWrite, answerResponse('accepted')],
  [
    'POST /events/:eventId/tentativelyAccept',
    'events.tentativelyAccept',
    mayWrite,
    answerResponse('tentativelyAccepted'),
  ],
  ['POST /events/:eventId/decline', 'events.decline', mayWrite, answerResponse('declined')],
  ['GET /events/:eventId/instances', 'events.instances', mayReadBasic, answerInstances],
];

const endpointsAt =
  (base: string) =>
  ([route, name, may, answer]: Row): Endpoint => ({
    route: route.replace(' ', ` /v1.0${base}`),
    name,
    may,
    answer,
  });

const ENDPOINTS: readonly Endpoint[] = [
  ...ROWS.map(endpointsAt('')),
  ...['/me', '/me/calendar', '/me/calendars/:calendarId'].flatMap((base) =>
    CALENDAR_ROWS.map(endpointsAt(base)),
  ),
];

/** Graph's operation that a request is; an unknown path refuses. `undefined` outside of `/v1.0`. */
export function graphOperation(
  request: SandboxRequest,
  tokens: MicrosoftTokens,
  deps: GraphDeps,
): Operation | undefined {
  const { pathname } = request.url;
  if (!pathname.startsWith('/v1.0/')) return undefined;
  const token = bearerToken(request);
  const holder = tokens.access(token ?? '');
  const user = typeof holder === 'object' ? holder.account.email : undefined;
  const matched = matchRoute(ENDPOINTS, request);
  if (matched === undefined) {
    const run = () => {
      throw new SandboxRefusal(400, 'BadRequest', `Resource not found for the segment '${pathname}'.`);
    };
    return { name: 'unknown', user, run };
  }
  const { endpoint, parts } = matched;
  const run: Operation['run'] = (effects) => {
    if (token === undefined) throw unauthorized('Access token is empty.');
    // Looked up again: latency may have outlived it.
    const access = tokens.access(token);
    if (access === 'expired') throw unauthorized('Lifetime validation failed, the token is expired.');
    if (access === 'unknown') throw unauthorized('Invalid access token.');
    const call = graphCall({ request, access, parts, effects }, deps);
    if (!endpoint.may(access.permissions)) throw accessDenied();
    refuseShared(call);
    return endpoint.answer(call, deps);
  };
  return { name: endpoint.name, user, run };
}

/** Calendars of others need a `.Shared` permission. */
function refuseShared({ parts, account, permissions }: GraphCall): void {
  if (parts.calendarId === undefined || maySeeShared(permissions)) return;
  if (calendarOf(account, parts.calendarId).sharedBy !== undefined) throw accessDenied();
}

const unauthorized = (message: string): SandboxRefusal =>
  new SandboxRefusal(401, 'InvalidAuthenticationToken', message);

const MAILBOX_OPERATIONS = new Set(
  ENDPOINTS.map(({ name }) => name).filter((name) => !name.startsWith('subscriptions.') && name !== 'me'),
);

/** Whether Exchange counts the operation among the four that a mailbox serves at once. */
export const isMailboxOperation = (name: string): boolean => MAILBOX_OPERATIONS.has(name);
