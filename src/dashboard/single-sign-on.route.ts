/** Single sign-on: the browser goes to the operator's issuer and returns, to sign in, join, confirm or connect. */
import type { FastifyReply } from 'fastify';

import { sendPage } from '../http/page.ts';
import type { ProvenIdentity } from '../people/identity-provider.ts';
import { acceptLinkWithIdentity, openLink } from '../people/invitations.ts';
import {
  type PendingReturn,
  type ReturnedPending,
  readPending,
  type SignInPurpose,
  sealPending,
  spendPending,
} from '../people/pending-sign-in.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import type { Person } from '../people/person.ts';
import { countedForNobody } from '../people/sign-in.ts';
import {
  connectIdentity,
  describedBy,
  disconnectIdentity,
  mustNotFollowClaims,
  personOfIdentity,
  provenFreshly,
  requireSingleSignOn,
  toIdentity,
} from '../people/single-sign-on.ts';
import { setDashboardCookie } from './dashboard-cookies.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import { refusalStatus, refusalText } from './dashboard-errors.ts';
import { type DashboardRoute, goTo, type OpenRoute, type OpenVisit, ownDashboardPath } from './guard.ts';
import { joinPage } from './pages/sign-in.page.ts';
import { betweenPage } from './pages/single-sign-on.page.ts';
import { freshPost, openGet, openPost, post } from './routes.ts';
import { joiningWays, openSession, signInShower } from './sign-in.route.ts';
import { traced, traceFailure } from './sign-in-traces.ts';

const ACCOUNT = '/dashboard/account';
const CALLBACK = '/dashboard/sign-in/callback';
const MOST_PATH_CHARACTERS = 500;
const MOST_FIELD_CHARACTERS = 200;

export const singleSignOnRoutes = (deps: OpenDashboard): (DashboardRoute | OpenRoute)[] => [
  ...leaving(deps),
  ...owning(deps),
  callback(deps),
];

/** Returns the address that the issuer sends browsers back to. */
const buildRedirectUri = ({ dashboardUrl }: OpenDashboard): string => `${dashboardUrl}${CALLBACK}`;

const isFreshFor = ({ for: use }: SignInPurpose): boolean => use === 'confirm';

/** Sends the browser to the issuer, with a cookie that identifies its return. */
async function leave(
  { http, reply, cookies }: Pick<OpenVisit, 'http' | 'reply' | 'cookies'>,
  { purpose, next }: Pick<PendingReturn, 'purpose' | 'next'>,
  deps: OpenDashboard,
): Promise<FastifyReply> {
  const { provider } = requireSingleSignOn(deps);
  const request = { redirectUri: buildRedirectUri(deps), isFresh: isFreshFor(purpose) };
  const { url, pending } = await provider.begin(request);
  const path = next.length > MOST_PATH_CHARACTERS ? '/dashboard' : next;
  const countedFor = countedForNobody({ address: http.ip, mark: cookies.mark }, deps);
  const sealed = sealPending({ ...pending, purpose, next: path, countedFor }, deps);
  setDashboardCookie(reply, ['singleSignOn', sealed], deps);
  return sendPage(reply, betweenPage({ to: url, issuer: provider.issuer, theme: cookies.theme }));
}

function leaving(deps: OpenDashboard): (DashboardRoute | OpenRoute)[] {
  return [
    openPost('/dashboard/sign-in/single-sign-on', async (visit) => {
      const next = ownDashboardPath(visit.field('next'));
      try {
        return await leave(visit, { purpose: { for: 'sign_in' }, next }, deps);
      } catch (reason) {
        return showAtDoor(visit, { reason, next }, deps);
      }
    }),
    openPost('/dashboard/join/:token/single-sign-on', async (visit) => {
      const token = visit.parameter('token');
      await openLink(token, deps);
      const typed = (name: string) => visit.field(name).trim().slice(0, MOST_FIELD_CHARACTERS);
      const purpose = { for: 'join', token, name: typed('name'), login: typed('login') } as const;
      return leave(visit, { purpose, next: '/dashboard' }, deps);
    }),
    post('/dashboard/confirm/single-sign-on', 'own.manage', async (visit) => {
      const { personId } = visit.person;
      const purpose = { for: 'confirm', personId, sessionId: visit.session.sessionId } as const;
      return leave(visit, { purpose, next: ownDashboardPath(visit.field('next')) }, deps);
    }),
  ];
}

function owning(deps: OpenDashboard): DashboardRoute[] {
  const path = `${ACCOUNT}/single-sign-on`;
  return [
    freshPost(path, 'own.manage', async (visit) => {
      mustNotFollowClaims(visit.person);
      const { personId } = visit.person;
      const purpose = { for: 'connect', personId, sessionId: visit.session.sessionId } as const;
      return leave(visit, { purpose, next: `${ACCOUNT}?done=connected` }, deps);
    }),
    freshPost(`${path}/remove`, 'own.manage', async ({ reply, person, deps }) => {
      await disconnectIdentity(person, deps);
      return goTo(reply, `${ACCOUNT}?done=disconnected`);
    }),
  ];
}

/**
 * The callback that the issuer's site opens. It accepts only the browser that left with this state, and only once. The
 * browser does not send Strict cookies with it.
 */
function callback(deps: OpenDashboard): OpenRoute {
  return openGet(CALLBACK, async (visit) => {
    const { http, reply, cookies } = visit;
    const { provider } = requireSingleSignOn(deps);
    const way = 'single_sign_on';
    const { pending, refund } = await traced(takePendingReturn(visit, deps), { way, visit }, deps);
    const { purpose, next } = pending;
    try {
      const returned = new URL(http.url, deps.dashboardUrl);
      const request = { redirectUri: buildRedirectUri(deps), isFresh: isFreshFor(purpose) };
      const proven = await provider.complete(returned, pending, request);
      await refund();
      const page = await finish(visit, { purpose, proven }, deps);
      if (page !== undefined) return page;
    } catch (reason) {
      if (purpose.for !== 'sign_in') {
        await logRefusal(reason, visit, deps);
        throw reason;
      }
      return showAtDoor(visit, { reason, next }, deps);
    }
    return sendPage(reply, betweenPage({ to: next, issuer: provider.issuer, theme: cookies.theme }));
  });
}

/**
 * Returns and consumes the pending sign-in. The attempt counts against a key that was sealed when the browser left, so
 * that it never counts against another person. Throws PeopleRefusal `sign_in_ended` or `too_many`.
 */
async function takePendingReturn(
  { reply, cookies, query }: OpenVisit,
  deps: OpenDashboard,
): Promise<{ readonly pending: ReturnedPending; readonly refund: () => Promise<void> }> {
  const pending = readPending({ cookie: cookies.singleSignOn, state: query('state') }, deps);
  if (pending === undefined) throw new PeopleRefusal('sign_in_ended');
  const { ofReturns } = deps.signInLimits;
  const retryAfter = await ofReturns(pending.countedFor);
  if (retryAfter !== undefined) throw new PeopleRefusal('too_many', { retryAfter });
  if (!(await spendPending(pending, deps))) throw new PeopleRefusal('sign_in_ended');
  setDashboardCookie(reply, ['singleSignOn', ''], deps);
  return { pending, refund: () => ofReturns.refund(pending.countedFor) };
}

type Finishing = { readonly purpose: SignInPurpose; readonly proven: ProvenIdentity };

/** Finishes the purpose of the sign-in. Returns a page if a value that was typed before is invalid. */
async function finish(
  visit: OpenVisit,
  { purpose, proven }: Finishing,
  deps: OpenDashboard,
): Promise<FastifyReply | undefined> {
  const address = visit.http.ip;
  const system = { actor: { kind: 'system' }, address, now: deps.now } as const;
  switch (purpose.for) {
    case 'sign_in': {
      const person = await personOfIdentity(proven, { ...deps, by: system });
      // Signing in at the issuer yesterday does not count as a fresh proof of identity today.
      const provedAt = Math.min(proven.authenticatedAt ?? 0, deps.now());
      await openSession(visit, { ...person, provedAt, way: 'single_sign_on' }, deps);
      return undefined;
    }
    case 'join':
      return join(visit, { purpose, proven }, deps);
    case 'confirm': {
      await personOfIdentity(proven, { ...deps, by: system }, purpose.personId);
      await deps.people.proveSession(purpose.sessionId, provenFreshly(proven, deps.now()));
      return undefined;
    }
    case 'connect': {
      const person = await livingSession(purpose, deps);
      const actor = { kind: 'person', id: person.personId, name: person.name } as const;
      const by = { actor, address, now: deps.now };
      await connectIdentity(person, proven, { ...deps, by });
      return undefined;
    }
  }
}

async function join(
  visit: OpenVisit,
  {
    purpose: { token, ...typed },
    proven,
  }: Finishing & { readonly purpose: Extract<SignInPurpose, { readonly for: 'join' }> },
  deps: OpenDashboard,
): Promise<FastifyReply | undefined> {
  const { http, reply, cookies } = visit;
  const invitation = await openLink(token, deps);
  const described = describedBy(proven, deps);
  const filled = { name: typed.name || described.name, login: typed.login || described.login };
  const registration = { ...filled, identity: toIdentity(proven, deps), address: http.ip };
  const outcome = await acceptLinkWithIdentity(token, registration, deps);
  if ('problems' in outcome) {
    const facts = { theme: cookies.theme, path: `/dashboard/join/${token}`, invitation, typed: filled };
    const ways = await joiningWays(invitation, deps);
    return sendPage(reply, joinPage({ ...facts, ...ways, ...outcome }), 400);
  }
  const provedAt = Math.min(proven.authenticatedAt ?? 0, deps.now());
  await openSession(visit, { ...outcome, provedAt, way: 'link' }, deps);
  return undefined;
}

/** Returns the member who started the flow and is still signed in. Throws PeopleRefusal `not_signed_in`. */
async function livingSession(
  { personId, sessionId }: { readonly personId: string; readonly sessionId: string },
  { people }: OpenDashboard,
): Promise<Person> {
  const [person, sessions] = await Promise.all([people.findPerson(personId), people.listSessions(personId)]);
  if (person === undefined || !sessions.some((session) => session.sessionId === sessionId))
    throw new PeopleRefusal('not_signed_in');
  return person;
}

async function showAtDoor(
  visit: OpenVisit,
  { reason, next }: { readonly reason: unknown; readonly next: string },
  deps: OpenDashboard,
): Promise<FastifyReply> {
  await logRefusal(reason, visit, deps);
  if (!(reason instanceof PeopleRefusal)) throw reason;
  const problem = refusalText(reason);
  if (problem === undefined) throw reason;
  return signInShower(deps)(visit, { next, problem }, refusalStatus(reason));
}

/** Logs the reason for the operator, who can fix it. */
async function logRefusal(reason: unknown, visit: OpenVisit, deps: OpenDashboard): Promise<void> {
  await traceFailure(reason, { way: 'single_sign_on', visit }, deps);
  if (!(reason instanceof PeopleRefusal) || reason.cause === undefined) return;
  const { cause, kind } = reason;
  const reasonText = cause instanceof Error ? cause.message : String(cause);
  const error = cause instanceof Error && 'error' in cause ? String(cause.error) : undefined;
  deps.log.warn(
    {
      event: 'single_sign_on_failed',
      kind,
      reason: reasonText.slice(0, 300),
      error: error?.slice(0, 100),
      requestId: visit.http.id,
    },
    'A single sign-on failed',
  );
}
