/** Graph v1.0: which request is which operation, and who may do it. */
import { matchPath } from '../core/path-pattern.ts';
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
import type { TokenVault } from './microsoft-tokens.ts';
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
  readonly method: string;
  readonly path: string;
  readonly name: string;
  readonly may: (granted: readonly Permission[]) => boolean;
  readonly answer: Answer;
};

/** These decide on their permissions themselves. */
const anybody = () => true;

/** An endpoint at the default calendar, at a named one, and, for events, at the mailbox. */
function underCalendars(
  method: string,
  path: string,
  name: string,
  may: Endpoint['may'],
  answer: Answer,
): readonly Endpoint[] {
  return ['/me', '/me/calendar', '/me/calendars/:calendarId'].map((base) => ({
    method,
    path: `/v1.0${base}${path}`,
    name,
    may,
    answer,
  }));
}

const at = (method: string, path: string, name: string, may: Endpoint['may'], answer: Answer): Endpoint => ({
  method,
  path: `/v1.0${path}`,
  name,
  may,
  answer,
});

const RESPONSES = [
  ['accept', 'accepted'],
  ['tentativelyAccept', 'tentativelyAccepted'],
  ['decline', 'declined'],
] as const;

const ENDPOINTS: readonly Endpoint[] = [
  at('GET', '/me', 'me', anybody, answerMe),
  at('GET', '/me/mailboxSettings', 'mailboxSettings', anybody, answerMailboxSettings),
  at('GET', '/me/calendars', 'calendars.list', mayReadBasic, answerCalendars),
  at('POST', '/me/calendars', 'calendars.create', mayWrite, answerNewCalendar),
  at('PATCH', '/me/calendars/:calendarId', 'calendars.update', mayWrite, answerCalendarUpdate),
  at('DELETE', '/me/calendars/:calendarId', 'calendars.delete', mayWrite, answerCalendarDelete),
  at('GET', '/me/calendar', 'calendars.get', mayReadBasic, answerCalendar),
  at('GET', '/me/calendars/:calendarId', 'calendars.get', mayReadBasic, answerCalendar),
  at('POST', '/me/calendar/getSchedule', 'getSchedule', mayReadBasic, answerSchedule),
  ...underCalendars('GET', '/calendarView/delta', 'calendarView.delta', mayReadBasic, answerDelta),
  ...underCalendars('GET', '/calendarView', 'calendarView.list', mayReadBasic, answerCalendarView),
  ...underCalendars('GET', '/events', 'events.list', mayReadBasic, answerEvents),
  ...underCalendars('POST', '/events', 'events.create', mayWrite, answerCreate),
  ...underCalendars('GET', '/events/:eventId', 'events.get', mayReadBasic, answerEvent),
  ...underCalendars('PATCH', '/events/:eventId', 'events.update', mayWrite, answerUpdate),
  ...underCalendars('DELETE', '/events/:eventId', 'events.delete', mayWrite, answerDelete),
  ...RESPONSES.flatMap(([action, response]) =>
    underCalendars(
      'POST',
      `/events/:eventId/${action}`,
      `events.${action}`,
      mayWrite,
      answerResponse(response),
    ),
  ),
  ...underCalendars('GET', '/events/:eventId/instances', 'events.instances', mayReadBasic, answerInstances),
  at('POST', '/subscriptions', 'subscriptions.create', anybody, answerSubscribe),
  at('GET', '/subscriptions', 'subscriptions.list', anybody, answerSubscriptions),
  at('GET', '/subscriptions/:subscriptionId', 'subscriptions.get', anybody, answerSubscription),
  at('PATCH', '/subscriptions/:subscriptionId', 'subscriptions.update', anybody, answerRenewal),
  at('DELETE', '/subscriptions/:subscriptionId', 'subscriptions.delete', anybody, answerUnsubscribe),
  at(
    'POST',
    '/subscriptions/:subscriptionId/reauthorize',
    'subscriptions.reauthorize',
    anybody,
    answerReauthorize,
  ),
];

/** Graph's operation that a request is; an unknown path refuses. `undefined` outside of `/v1.0`. */
export function graphOperation(
  request: SandboxRequest,
  vault: TokenVault,
  deps: GraphDeps,
): Operation | undefined {
  if (!request.url.pathname.startsWith('/v1.0/')) return undefined;
  const token = bearerOf(request);
  const access = token === undefined ? undefined : vault.access(token);
  const user = typeof access === 'object' ? access.account.email : undefined;
  for (const endpoint of ENDPOINTS) {
    const parts =
      endpoint.method === request.method ? matchPath(endpoint.path, request.url.pathname) : undefined;
    if (parts === undefined) continue;
    const run: Operation['run'] = (effects) => {
      if (token === undefined) throw unauthorized('Access token is empty.');
      // Asked again: latency may have outlived it.
      const living = vault.access(token);
      if (living === 'expired') throw unauthorized('Lifetime validation failed, the token is expired.');
      if (living === 'unknown') throw unauthorized('Invalid access token.');
      const call = graphCall(request, living, parts, effects, deps);
      if (!endpoint.may(living.permissions)) throw accessDenied();
      refuseShared(call);
      return endpoint.answer(call, deps);
    };
    return { name: endpoint.name, user, run };
  }
  const run = () => {
    throw new SandboxRefusal(
      400,
      'BadRequest',
      `Resource not found for the segment '${request.url.pathname}'.`,
    );
  };
  return { name: 'unknown', user, run };
}

/** Calendars of others need a `.Shared` permission. */
function refuseShared({ parts, account, permissions }: GraphCall): void {
  if (parts.calendarId === undefined || maySeeShared(permissions)) return;
  if (calendarOf(account, parts.calendarId).sharedBy !== undefined) throw accessDenied();
}

const bearerOf = ({ headers }: SandboxRequest): string | undefined =>
  /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];

const unauthorized = (message: string): SandboxRefusal =>
  new SandboxRefusal(401, 'InvalidAuthenticationToken', message);

const MAILBOX_OPERATIONS = new Set(
  ENDPOINTS.map(({ name }) => name).filter((name) => !name.startsWith('subscriptions.') && name !== 'me'),
);

/** Whether Exchange counts the operation among the four that a mailbox serves at once. */
export const isMailboxOperation = (name: string): boolean => MAILBOX_OPERATIONS.has(name);
