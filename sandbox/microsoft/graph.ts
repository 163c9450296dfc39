/** Graph v1.0: which request is which operation, and who may do it. */
import { matchRoute } from '../core/path-pattern.ts';
import { bearerToken } from '../core/request-credentials.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { Operation, SandboxAnswer, SandboxRequest } from '../core/sandbox-server.ts';
import { answerAttachment, answerAttachments, answerNewAttachment } from './attachment-operations.ts';
import { answerCalendar, answerCalendars, answerMailboxSettings, answerMe } from './calendar-operations.ts';
import { answerCalendarDelete, answerCalendarUpdate, answerNewCalendar } from './calendar-writes.ts';
import { answerDelta } from './delta-operations.ts';
import {
  answerCalendarView,
  answerEvent,
  answerEvents,
  answerExceptions,
  answerInstances,
} from './event-operations.ts';
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
type Unguarded = Omit<Endpoint, 'may'>;

/** These decide on their permissions themselves. */
const anybody = () => true;

const endpoint = (route: string, name: string, answer: Answer): Unguarded => ({ route, name, answer });

const guarded = (may: Endpoint['may'], endpoints: readonly Unguarded[]): Endpoint[] =>
  endpoints.map((one) => ({ ...one, route: one.route.replace(' ', ' /v1.0'), may }));

/** At the default calendar, at a named one, and, for events, at the mailbox. */
const atCalendars = (endpoints: readonly Unguarded[]): Unguarded[] =>
  ['/me', '/me/calendar', '/me/calendars/:calendarId'].flatMap((base) =>
    endpoints.map((one) => ({ ...one, route: one.route.replace(' ', ` ${base}`) })),
  );

const ENDPOINTS: readonly Endpoint[] = [
  ...guarded(anybody, [
    endpoint('GET /me', 'me', answerMe),
    endpoint('GET /me/mailboxSettings', 'mailboxSettings', answerMailboxSettings),
    endpoint('POST /subscriptions', 'subscriptions.create', answerSubscribe),
    endpoint('GET /subscriptions', 'subscriptions.list', answerSubscriptions),
    endpoint('GET /subscriptions/:subscriptionId', 'subscriptions.get', answerSubscription),
    endpoint('PATCH /subscriptions/:subscriptionId', 'subscriptions.update', answerRenewal),
    endpoint('DELETE /subscriptions/:subscriptionId', 'subscriptions.delete', answerUnsubscribe),
    endpoint(
      'POST /subscriptions/:subscriptionId/reauthorize',
      'subscriptions.reauthorize',
      answerReauthorize,
    ),
  ]),
  ...guarded(mayReadBasic, [
    endpoint('GET /me/calendars', 'calendars.list', answerCalendars),
    endpoint('GET /me/calendar', 'calendars.get', answerCalendar),
    endpoint('GET /me/calendars/:calendarId', 'calendars.get', answerCalendar),
    endpoint('POST /me/calendar/getSchedule', 'getSchedule', answerSchedule),
    ...atCalendars([
      endpoint('GET /calendarView/delta', 'calendarView.delta', answerDelta),
      endpoint('GET /calendarView', 'calendarView.list', answerCalendarView),
      endpoint('GET /events', 'events.list', answerEvents),
      endpoint('GET /events/:eventId', 'events.get', answerEvent),
      endpoint('GET /events/:eventId/instances', 'events.instances', answerInstances),
      endpoint('GET /events/:eventId/exceptionOccurrences', 'events.exceptions', answerExceptions),
      endpoint('GET /events/:eventId/attachments', 'attachments.list', answerAttachments),
      endpoint('GET /events/:eventId/attachments/:attachmentId', 'attachments.get', answerAttachment),
    ]),
  ]),
  ...guarded(mayWrite, [
    endpoint('POST /me/calendars', 'calendars.create', answerNewCalendar),
    endpoint('PATCH /me/calendars/:calendarId', 'calendars.update', answerCalendarUpdate),
    endpoint('DELETE /me/calendars/:calendarId', 'calendars.delete', answerCalendarDelete),
    ...atCalendars([
      endpoint('POST /events', 'events.create', answerCreate),
      endpoint('PATCH /events/:eventId', 'events.update', answerUpdate),
      endpoint('DELETE /events/:eventId', 'events.delete', answerDelete),
      endpoint('POST /events/:eventId/attachments', 'attachments.create', answerNewAttachment),
      endpoint('POST /events/:eventId/accept', 'events.accept', answerResponse('accepted')),
      endpoint(
        'POST /events/:eventId/tentativelyAccept',
        'events.tentativelyAccept',
        answerResponse('tentativelyAccepted'),
      ),
      endpoint('POST /events/:eventId/decline', 'events.decline', answerResponse('declined')),
    ]),
  ]),
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
