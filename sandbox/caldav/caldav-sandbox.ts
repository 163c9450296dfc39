/** A CalDAV server on loopback that behaves in one of two ways: as the RFCs have it, or as iCloud does. */
import { ProviderError } from '../../src/calendars/provider-error.ts';
import { parseXml, type XmlElement } from '../../src/providers/caldav/dav/xml.ts';
import type { FaultEffect } from '../core/faults.ts';
import type { ProviderSandbox, SandboxDeps } from '../core/provider-sandbox.ts';
import { basicCredentials } from '../core/request-credentials.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import {
  type Operation,
  type SandboxAnswer,
  type SandboxRequest,
  type SandboxServerOptions,
  startSandboxServer,
} from '../core/sandbox-server.ts';
import { type AccountState, calendarAccounts, toAccountState } from './accounts.ts';
import { answerByHand, type HandAnswer } from './answer-by-hand.ts';
import { errorAnswer as davErrorAnswer } from './dav-answer.ts';
import type { DavContext } from './dav-context.ts';
import { type Invitation, invitationText } from './invitation.ts';
import { caldavManualChanges, calendarOf, hrefOf } from './manual-changes.ts';
import { postToOutbox } from './outbox.ts';
import { propfind, proppatch } from './propfind.ts';
import { report } from './reports.ts';
import { type DavResource, resourceAt, type Tree, type Vacancy } from './resource-tree.ts';
import { type SentMessage, scheduling } from './scheduling.ts';
import {
  CALDAV_BEHAVIOUR,
  ICLOUD_BEHAVIOUR,
  type ServerBehaviour,
  withScheduling,
} from './server-behaviour.ts';
import { type Conditions, deleteResource, makeCalendar, putObject } from './writes.ts';

/** The whole state of the server, as structured data. */
export type CalDavState = {
  readonly accounts: readonly AccountState[];
  readonly sent: readonly SentMessage[];
};

export type CalDavSandboxOptions = SandboxDeps & {
  readonly kind: 'icloud' | 'caldav';
  /** Any free one when absent. */
  readonly port?: number;
  /** iCloud's second port, which serves homes. Any free one if absent. */
  readonly homePort?: number | undefined;
  /** The state of an earlier server with exact tags; empty if absent. */
  readonly state?: CalDavState | undefined;
  /** Most members in one part of a sync-collection answer; the rest follows after a 507. Default 1,000. */
  readonly syncPage?: number;
  /**
   * The server sends invitations and responses itself (RFC 6638): to its own people, and by email to others. Default
   * false.
   */
  readonly schedules?: boolean;
  /**
   * How a calendar's ctag, and the sync token listed with it, change: `exact` differs after every change, `seconds` is
   * the time of the last change in whole seconds, `stuck` never changes. Default `exact`.
   */
  readonly tags?: 'exact' | 'seconds' | 'stuck';
};

export interface CalDavSandbox extends ProviderSandbox {
  /** The origin of homes and calendars: for iCloud the person's partition, on a separate port. */
  readonly homeOrigin: string;
  /**
   * Returns the person's current password: the given one, or a generated one if none was given or access was revoked.
   */
  passwordOf(email: string): string;
  state(): CalDavState;
  /** Returns the address that a calendar of this name has, or would be created at. */
  calendarUrl(email: string, name: string): string;
  /** Adds a further address of the person, under which they can be invited. */
  addAlias(email: string, alias: string): void;
  /**
   * A person of another server invites the person, changes the event, or cancels it. Throws an Error if the server does
   * not schedule.
   */
  invite(email: string, invitation: Invitation): void;
  /** The person responds to an invitation in the server's own app. Throws an Error if there is none. */
  respond(email: string, calendarId: string, answer: HandAnswer): void;
  sent(): readonly (SentMessage & { readonly provider: 'icloud' | 'caldav' })[];
}

/** Starts an empty server: people and their calendars are added later. Rejects if the port is taken. */
export async function caldavSandbox(options: CalDavSandboxOptions): Promise<CalDavSandbox> {
  const { kind, clock, faults, beforeAnswer, port, homePort, state } = options;
  const { syncPage = 1000, schedules = false, tags } = options;
  const plain = kind === 'icloud' ? ICLOUD_BEHAVIOUR : CALDAV_BEHAVIOUR;
  const behaviour = schedules ? withScheduling(plain) : plain;
  const newTag = tags === 'stuck' ? () => 'stuck' : () => String(Math.floor(clock.now() / 1000));
  const accounts = calendarAccounts(kind, {
    newTag: (tags ?? 'exact') === 'exact' ? undefined : newTag,
    accounts: state?.accounts,
  });
  const sent = [...(state?.sent ?? [])];
  const sending = schedules ? scheduling({ accounts, behaviour, now: clock.now, sent }) : undefined;
  let homeOrigin = '';
  const route = (request: SandboxRequest): Operation => {
    return {
      name: request.method,
      user: basicCredentials(request)?.name,
      run: (effects) =>
        answer(request, {
          behaviour,
          accounts,
          scheduling: sending,
          homeOrigin,
          syncPage,
          effects,
          now: clock.now(),
        }),
    };
  };
  const errorAnswer: SandboxServerOptions['errorAnswer'] = (error) => {
    const refused = davErrorAnswer(error);
    if (error.status !== 401) return refused;
    return { ...refused, headers: { ...refused.headers, 'www-authenticate': behaviour.challenge } };
  };
  const shared = { kind, faults, route, errorAnswer, beforeAnswer };
  const front = await startSandboxServer({ ...shared, port });
  const partition =
    kind === 'icloud'
      ? await startSandboxServer({ ...shared, port: homePort }).catch(closing(front))
      : undefined;
  homeOrigin = partition?.origin ?? front.origin;
  const deps = { behaviour, accounts, scheduling: sending, now: clock.now, homeOrigin };

  return {
    kind,
    origin: front.origin,
    homeOrigin,
    manual: caldavManualChanges(deps),
    passwordOf: (email) => accounts.of(email).password,
    calendarUrl: (email, name) => hrefOf(accounts.of(email), { name }, deps),
    addAlias: (email, alias) => void accounts.of(email).aliases.push(alias),
    invite(email, invitation) {
      if (sending === undefined) throw new Error('This server does not schedule');
      sending.receive(accounts.of(email), invitationText(invitation, clock.now()));
    },
    respond(email, calendarId, answer) {
      if (sending === undefined) throw new Error('This server does not schedule');
      const place = { account: accounts.of(email), calendar: calendarOf(email, calendarId, deps) };
      answerByHand(place, answer, sending);
    },
    sent: () => (sending?.sent() ?? []).map((message) => ({ ...message, provider: kind })),
    state: () => ({ accounts: accounts.all().map(toAccountState), sent }),
    requests: (operation) => front.requests(operation) + (partition?.requests(operation) ?? 0),
    async close() {
      await Promise.all([front.close(), partition?.close()]);
    },
  };
}

const closing = (server: { close(): Promise<void> }) => async (failure: unknown) => {
  await server.close();
  throw failure;
};

type AnswerDeps = Tree &
  Pick<DavContext, 'scheduling' | 'homeOrigin' | 'syncPage' | 'now'> & { effects: readonly FaultEffect[] };

function answer(request: SandboxRequest, deps: AnswerDeps): SandboxAnswer {
  const { method, url } = request;
  const { behaviour, accounts } = deps;
  if (method === 'OPTIONS') return options(behaviour);
  if (url.pathname === '/.well-known/caldav')
    return { status: 301, headers: { location: behaviour.rootPath } };
  const account = accounts.signedIn(request);
  if (account === undefined)
    throw new SandboxRefusal(401, 'unauthorized', 'A user name and a password are needed');
  const resource = resourceAt(url.pathname, deps);
  const owner = resource !== undefined && 'account' in resource ? resource.account : account;
  if (owner !== account) throw new SandboxRefusal(403, 'd:need-privileges', 'That is another person’s');
  const context: DavContext = { ...deps, account, principalPath: behaviour.pathOfPrincipal(account) };
  return perform(request, resource, context);
}

function perform(
  request: SandboxRequest,
  resource: DavResource | Vacancy | undefined,
  context: DavContext,
): SandboxAnswer {
  const { method } = request;
  const conditions = conditionsOf(request);
  switch (method) {
    case 'PROPFIND': {
      const depth = headerOf(request, 'depth') ?? 'infinity';
      const body = request.body.trim() === '' ? undefined : xmlOf(request);
      return propfind(present(resource), { depth, body }, context);
    }
    case 'REPORT':
      return report(
        present(resource),
        { depth: headerOf(request, 'depth') ?? '0', body: xmlOf(request) },
        context,
      );
    case 'PROPPATCH':
      return proppatch(present(resource), xmlOf(request), context);
    case 'GET':
    case 'HEAD':
      return getObject(present(resource), context.behaviour);
    case 'POST':
      return postToOutbox(present(resource), request.body, context);
    case 'PUT':
      return putObject(resource, { ...conditions, icalendar: request.body }, context);
    case 'DELETE':
      return deleteResource(resource, { ...conditions, isSilent: isSilent(request) }, context);
    case 'MKCALENDAR':
      return makeCalendar(resource, request.body.trim() === '' ? undefined : xmlOf(request));
    case 'MKCOL':
      if (context.behaviour.allowsMkcol) return makeCalendar(resource, xmlOf(request));
      throw notAllowed(context.behaviour);
    default:
      throw notAllowed(context.behaviour);
  }
}

function getObject(resource: DavResource, behaviour: ServerBehaviour): SandboxAnswer {
  if (resource.type !== 'object') throw notAllowed(behaviour);
  const { etag, scheduleTag, icalendar } = resource.object;
  const tags = behaviour.schedules ? { etag, 'schedule-tag': scheduleTag } : { etag };
  const headers = { ...tags, 'content-type': 'text/calendar; charset=utf-8' };
  return { status: 200, headers, body: icalendar };
}

const conditionsOf = (request: SandboxRequest): Conditions => ({
  ifMatch: headerOf(request, 'if-match'),
  ifNoneMatch: headerOf(request, 'if-none-match'),
  ifScheduleTagMatch: headerOf(request, 'if-schedule-tag-match'),
});

/** RFC 6638 §8.1. */
const isSilent = (request: SandboxRequest): boolean =>
  headerOf(request, 'schedule-reply')?.trim().toUpperCase() === 'F';

function present(resource: DavResource | Vacancy | undefined): DavResource {
  if (resource === undefined || resource.type === 'no calendar' || resource.type === 'no object')
    throw new SandboxRefusal(404, 'not found', 'Nothing is there');
  return resource;
}

const METHODS = ['OPTIONS', 'GET', 'HEAD', 'PUT', 'DELETE', 'PROPFIND', 'PROPPATCH', 'REPORT', 'MKCALENDAR'];

const allowed = ({ allowsMkcol, schedules }: ServerBehaviour): string =>
  [...METHODS, ...(allowsMkcol ? ['MKCOL'] : []), ...(schedules ? ['POST'] : [])].join(', ');

const options = (behaviour: ServerBehaviour): SandboxAnswer => ({
  status: 200,
  headers: {
    allow: allowed(behaviour),
    dav: [
      '1, 3, calendar-access',
      ...(behaviour.allowsMkcol ? ['extended-mkcol'] : []),
      ...(behaviour.schedules ? ['calendar-auto-schedule'] : []),
    ].join(', '),
  },
});

const notAllowed = (behaviour: ServerBehaviour): SandboxRefusal =>
  new SandboxRefusal(405, 'method not allowed', 'This cannot be done here').withHeaders({
    allow: allowed(behaviour),
  });

function headerOf({ headers }: SandboxRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function xmlOf({ body }: SandboxRequest): XmlElement {
  try {
    return parseXml(body);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new SandboxRefusal(400, 'bad request', 'The body is not well-formed XML');
  }
}
