/** Checks session, permission and form token before each dashboard route. Only `mount` adds routes. */
import { finished } from 'node:stream';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { By } from '../audit/audit-entry.ts';
import { type Page, seeOther, sendPage } from '../http/page.ts';
import {
  formField,
  formValues,
  isFromOtherSite,
  isFromRequestPage,
  readFormOrigin,
} from '../http/page-form.ts';
import { receivedQuery, scalar } from '../http/received-query.ts';
import type { HashingCaller } from '../people/password.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { mustBeAllowed, type Permission } from '../people/permission.ts';
import { deriveFormToken, findSignedIn, isFresh, type SignedIn } from '../people/sessions.ts';
import { type DashboardCookies, readDashboardCookies } from './dashboard-cookies.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import { type DashboardPage, dashboardPage, type Viewer } from './pages/layout.page.ts';

export type DashboardRoute = {
  readonly method: 'GET' | 'POST';
  /** A `:clientId` in it is the application for which the permission is checked. */
  readonly path: string;
  readonly needs: Permission;
  /** Whether it needs a sign-in less than five minutes old. */
  readonly isFresh?: true;
  /** The maximum size of a form with a file, in bytes. Permission is checked before the body is read. */
  readonly mostBytes?: number;
  readonly handle: (visit: DashboardVisit) => Promise<FastifyReply>;
};

/** A page or form that needs no session. */
export type OpenRoute = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly needs: 'nobody';
  readonly handle: (visit: OpenVisit) => Promise<FastifyReply>;
};

export type OpenVisit = {
  readonly http: FastifyRequest;
  readonly reply: FastifyReply;
  readonly cookies: DashboardCookies;
  readonly parameter: (name: string) => string;
  /** Returns a query parameter, or the empty text if it is absent. */
  readonly query: (name: string) => string;
  /** Returns a form field, or the empty text if it is absent. */
  readonly field: (name: string) => string;
  readonly fields: (name: string) => readonly string[];
};

export type DashboardVisit = OpenVisit &
  SignedIn & {
    readonly viewer: Viewer;
    /** The member is the caller of audited changes. */
    readonly deps: OpenDashboard & By;
    readonly show: (page: DashboardPage, status?: number) => FastifyReply;
  };

export function mount(app: FastifyInstance, route: DashboardRoute | OpenRoute, deps: OpenDashboard): void {
  app.route({
    method: route.method,
    url: route.path,
    ...('mostBytes' in route && {
      bodyLimit: route.mostBytes,
      onRequest: (http: FastifyRequest, reply: FastifyReply) =>
        checkBeforeBody(openVisit(http, reply, deps), route, deps),
    }),
    handler: async (http, reply) => {
      const visit = openVisit(http, reply, deps);
      if (route.needs === 'nobody') return route.handle(checkFormOrigin(visit, deps));
      return route.handle(await admitMember(visit, route, deps));
    },
  });
}

function openVisit(http: FastifyRequest, reply: FastifyReply, deps: OpenDashboard): OpenVisit {
  const query = receivedQuery(http.url);
  const parameters = http.params as Readonly<Record<string, string>>; // as the router gives them
  return {
    http,
    reply,
    cookies: readDashboardCookies(http.cookies, deps),
    parameter: (name) => parameters[name] ?? '',
    query: (name) => scalar(query, name) ?? '',
    field: (name) => formField(http.body, name) ?? '',
    fields: (name) => formValues(http.body, name),
  };
}

/** Returns the caller's address, and a signal that aborts when the connection closes or already has. */
export function readCaller({
  http,
  reply,
}: Pick<OpenVisit, 'http' | 'reply'>): Pick<HashingCaller, 'address' | 'signal'> {
  const closed = new AbortController();
  finished(reply.raw, () => closed.abort());
  return { address: http.ip, signal: closed.signal };
}

/** Checks only the form's origin: without a session there is no form token. */
function checkFormOrigin(visit: OpenVisit, { dashboardUrl }: OpenDashboard): OpenVisit {
  if (visit.http.method === 'POST' && isFromOtherSite(readFormOrigin(visit.http), dashboardUrl))
    throw new PeopleRefusal('foreign_form');
  return visit;
}

async function checkBeforeBody(visit: OpenVisit, route: DashboardRoute, deps: OpenDashboard): Promise<void> {
  checkPermission(await requireSignedIn(visit, deps), { visit, route }, deps);
}

async function requireSignedIn({ cookies }: OpenVisit, deps: OpenDashboard): Promise<SignedIn> {
  const signedIn = await findSignedIn(cookies.session, deps);
  if (signedIn === undefined) throw new PeopleRefusal('not_signed_in');
  return signedIn;
}

function checkPermission(
  signedIn: SignedIn,
  { visit, route }: { readonly visit: OpenVisit; readonly route: DashboardRoute },
  { now }: OpenDashboard,
): void {
  const clientId = route.path.includes(':clientId') ? visit.parameter('clientId') : undefined;
  mustBeAllowed(signedIn.person, route.needs, clientId);
  if (route.isFresh === true && !isFresh(signedIn, now())) throw new PeopleRefusal('not_fresh');
}

async function admitMember(
  visit: OpenVisit,
  route: DashboardRoute,
  deps: OpenDashboard,
): Promise<DashboardVisit> {
  const { http, reply, cookies } = visit;
  const signedIn = await requireSignedIn(visit, deps);
  const { person, secret } = signedIn;
  const path = readRequestPath(http);
  if (
    route.method === 'POST' &&
    !isFromRequestPage(readFormOrigin(http), deriveFormToken(secret, path), deps.dashboardUrl)
  )
    throw new PeopleRefusal('foreign_form');
  checkPermission(signedIn, { visit, route }, deps);
  const formToken = (to: string) => deriveFormToken(secret, to);
  const viewer: Viewer = { person, path, theme: cookies.theme, now: deps.now(), formToken };
  const show = (page: DashboardPage, status?: number) => sendPage(reply, dashboardPage(page, viewer), status);
  const actor = { kind: 'person', id: person.personId, name: person.name } as const;
  const by = { actor, address: http.ip, now: deps.now };
  return { ...visit, ...signedIn, viewer, deps: { ...deps, by }, show };
}

/** Returns the path without its query, as form tokens contain it. */
export const readRequestPath = ({ url }: Pick<FastifyRequest, 'url'>): string => url.split('?')[0] ?? '/';

/** Sends a page outside the dashboard's layout. */
export const showDoor = (reply: FastifyReply, page: Page, status = 200): FastifyReply =>
  sendPage(reply, page, status);

export const goTo = (reply: FastifyReply, path: string): FastifyReply => seeOther(reply, path);

/** Returns `text` if it is a path of the dashboard, otherwise `/dashboard`: no open redirect. */
export function ownDashboardPath(text: string): string {
  return /^\/dashboard(?:[/?][\x21-\x7e]*)?$/.test(text) && !text.includes('//') && !text.includes('\\')
    ? text
    : '/dashboard';
}
