/** Sign-in, sign-out, one-time links, fresh sign-in, and the color theme. */
import { parseTheme } from '../branding/branding.ts';
import { problemOfMethod } from '../http/allowed-methods.ts';
import { setCookie } from '../http/cookies.ts';
import { seeOther, sendPage } from '../http/page.ts';
import { acceptLink, openLink } from '../people/invitations.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import type { Person } from '../people/person.ts';
import type { Invitation } from '../people/person-store.ts';
import { beginSession, findSignedIn, type Place } from '../people/sessions.ts';
import { createBrowserMark, type SignInWay, signIn } from '../people/sign-in.ts';
import { mustBeOn, otherWays, type Ways, waysOfLink, waysOfPerson } from '../people/single-sign-on.ts';
import { findRelyingParty } from '../people/web-authn.ts';
import { setDashboardCookie } from './dashboard-cookies.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import { refusalSentence, refusalStatus } from './dashboard-errors.ts';
import {
  type DashboardRoute,
  goTo,
  type OpenRoute,
  type OpenVisit,
  ownDashboardPath,
  readCaller,
  readRequestPath,
} from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { confirmPage, joinPage, type SignInParts, signInPage } from './pages/sign-in.page.ts';
import { get, openGet, openPost, post } from './routes.ts';
import { traced } from './sign-in-traces.ts';

const THEME_SECONDS = 365 * 24 * 3600;

export function signInRoutes(deps: OpenDashboard): (DashboardRoute | OpenRoute)[] {
  return [...signingIn(deps), ...joining(deps), ...proving(deps), themes(deps), nowhere];
}

/** Returns the sign-in methods to show: passkeys only if the dashboard's origin supports them. */
export const shownWays = ({ usesPasswords, usesPasskeys }: Ways, { dashboardUrl }: OpenDashboard): Ways => ({
  usesPasswords,
  usesPasskeys: usesPasskeys && findRelyingParty(dashboardUrl) !== undefined,
});

export const signInShower =
  (deps: OpenDashboard) =>
  async ({ reply, cookies }: OpenVisit, parts: Partial<SignInParts>, status = 200) => {
    const host = new URL(deps.dashboardUrl).host;
    const ways = shownWays(await otherWays(deps), deps);
    const issuer = deps.singleSignOn?.provider.issuer;
    const facts = { theme: cookies.theme, host, next: '/dashboard', ...ways, issuer };
    const hasPeople = await deps.people.hasPeople();
    return sendPage(reply, signInPage({ ...facts, hasPeople, ...parts }), status);
  };

function signingIn(deps: OpenDashboard): (DashboardRoute | OpenRoute)[] {
  const show = signInShower(deps);
  return [
    openGet('/dashboard/sign-in', async (visit) => {
      const next = ownDashboardPath(visit.query('next'));
      if ((await findSignedIn(visit.cookies.session, deps)) !== undefined) return goTo(visit.reply, next);
      return show(visit, { next });
    }),
    openPost('/dashboard/sign-in', async (visit) => {
      const { cookies, field } = visit;
      const next = ownDashboardPath(field('next'));
      const login = field('login');
      await mustBeOn('usesPasswords', otherWays(deps));
      try {
        const attempt = { login, password: field('password'), mark: cookies.mark, ...readCaller(visit) };
        const person = await traced(signIn(attempt, deps), { way: 'password', visit }, deps);
        return await comeIn(visit, { ...person, next, way: 'password' }, deps);
      } catch (reason) {
        if (!(reason instanceof PeopleRefusal)) throw reason;
        const problem = describeSignInProblem(reason, 'sign_in.wrong');
        if (problem === undefined) throw reason;
        if (reason.retryAfter !== undefined) visit.reply.header('retry-after', reason.retryAfter);
        return show(visit, { next, login, problem }, refusalStatus(reason));
      }
    }),
    post('/dashboard/sign-out', 'own.manage', async ({ reply, person, session }) => {
      await deps.people.endSession(person.personId, session.sessionId);
      setDashboardCookie(reply, ['session', ''], deps);
      return goTo(reply, '/dashboard/sign-in');
    }),
  ];
}

/** Returns the sentence for a refusal that the form itself shows; undefined for others. */
function describeSignInProblem(
  refusal: PeopleRefusal,
  wrong: 'sign_in.wrong' | 'confirm.wrong',
): string | undefined {
  const { kind } = refusal;
  if (kind === 'wrong_login') return messages.text(wrong);
  return kind === 'too_many' || kind === 'too_many_for_login' ? refusalSentence(refusal) : undefined;
}

type Entering = Pick<Person, 'personId' | 'name'> & { readonly way: SignInWay };

export async function comeIn(
  visit: OpenVisit,
  { next, ...person }: Entering & { readonly next: string },
  deps: OpenDashboard,
) {
  await openSession(visit, person, deps);
  return goTo(visit.reply, next);
}

/** Opens a new session in every case and ends the one that the browser's cookie names. */
export async function openSession(
  { http, reply, cookies }: OpenVisit,
  { personId, name, provedAt, way }: Entering & Pick<Place, 'provedAt'>,
  deps: OpenDashboard,
): Promise<void> {
  const before = await findSignedIn(cookies.session, deps);
  if (before !== undefined) await deps.people.endSession(before.person.personId, before.session.sessionId);
  const place = { address: http.ip, browser: http.headers['user-agent'] ?? '', provedAt };
  const actor = { kind: 'person', id: personId, name } as const;
  const by = { actor, address: http.ip, now: deps.now };
  const secret = await beginSession(personId, place, { ...deps, by });
  deps.signInEnded?.(way, 'ok');
  setDashboardCookie(reply, ['session', secret], deps);
  setDashboardCookie(reply, ['mark', createBrowserMark(personId, deps.knownBrowserKey)], deps);
}

/** Opening a link does not use it up: mail scanners open links too. */
function joining(deps: OpenDashboard): OpenRoute[] {
  const path = '/dashboard/join/:token';
  return [
    openGet(path, async ({ http, reply, cookies, parameter }) => {
      const invitation = await openLink(parameter('token'), deps);
      const ways = await joiningWays(invitation, deps);
      return sendPage(
        reply,
        joinPage({ theme: cookies.theme, path: readRequestPath(http), invitation, ...ways }),
      );
    }),
    openPost(path, async (visit) => {
      const { http, reply, cookies, parameter, field } = visit;
      const typed = { name: field('name'), login: field('login') };
      const token = parameter('token');
      const invitation = await traced(openLink(token, deps), { way: 'link', visit }, deps);
      await mustBeOn('usesPasswords', waysOfLink(invitation, deps));
      const registration = { ...typed, password: field('password'), ...readCaller(visit) };
      const outcome = await traced(acceptLink(token, registration, deps), { way: 'link', visit }, deps);
      if ('personId' in outcome) return comeIn(visit, { ...outcome, next: '/dashboard', way: 'link' }, deps);
      const parts = {
        theme: cookies.theme,
        path: readRequestPath(http),
        invitation,
        typed,
        ...(await joiningWays(invitation, deps)),
        ...outcome,
      };
      return sendPage(reply, joinPage(parts), 400);
    }),
  ];
}

/** Returns the sign-in methods that the page of a one-time link offers. */
export const joiningWays = async (invitation: Invitation, deps: OpenDashboard) => ({
  ...shownWays(await waysOfLink(invitation, deps), deps),
  issuer: deps.singleSignOn?.provider.issuer,
});

/** Returns the methods with which the member can sign in again, as the page shows them. */
export async function confirmingWays(person: Person, deps: OpenDashboard) {
  const { usesPasswords, usesPasskeys, usesSingleSignOn } = await waysOfPerson(person, deps);
  const canBe = usesPasskeys && findRelyingParty(deps.dashboardUrl) !== undefined;
  const hasPasskeys = canBe && (await deps.people.listPasskeys(person.personId)).length > 0;
  return { usesPasswords: usesPasswords && person.hasPassword, usesPasskeys: hasPasskeys, usesSingleSignOn };
}

function proving(deps: OpenDashboard): DashboardRoute[] {
  const path = '/dashboard/confirm';
  return [
    get(path, 'own.manage', async ({ reply, query, viewer }) => {
      const ways = await confirmingWays(viewer.person, deps);
      return sendPage(reply, confirmPage({ next: ownDashboardPath(query('next')), ...ways }, viewer));
    }),
    post(path, 'own.manage', async (visit) => {
      const { reply, field, person, session, viewer } = visit;
      const next = ownDashboardPath(field('next'));
      const { sessionId } = session;
      await mustBeOn('usesPasswords', waysOfPerson(person, deps));
      const proof = { login: person.login, password: field('password'), sessionId, ...readCaller(visit) };
      try {
        await traced(signIn(proof, deps), { way: 'password', visit }, deps);
      } catch (reason) {
        if (!(reason instanceof PeopleRefusal)) throw reason;
        const problem = describeSignInProblem(reason, 'confirm.wrong');
        if (reason.retryAfter !== undefined) reply.header('retry-after', reason.retryAfter);
        const page = confirmPage({ next, problem, ...(await confirmingWays(person, deps)) }, viewer);
        return sendPage(reply, page, refusalStatus(reason));
      }
      await deps.people.proveSession(sessionId, deps.now());
      return goTo(reply, next);
    }),
  ];
}

/** Stores the theme in the same cookie as the Connect pages. */
const themes = (deps: OpenDashboard): OpenRoute =>
  openPost('/dashboard/theme', async ({ reply, field }) => {
    const theme = parseTheme(field('theme'));
    if (theme !== undefined) {
      const cookie = { name: 'kalends_theme', value: theme, maxAge: THEME_SECONDS, isForScripts: true };
      setCookie(reply, cookie, { publicUrl: deps.dashboardUrl });
    }
    return seeOther(reply, ownDashboardPath(field('back')));
  });

/** Responds 404 or 405 for unknown paths. */
const nowhere: OpenRoute = openGet('/dashboard/*', async ({ http }) => {
  throw problemOfMethod(http) ?? new PeopleRefusal('not_there');
});
