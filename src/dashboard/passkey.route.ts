/** The passkey ceremonies: add, sign in, confirm the identity, and join by a one-time link. */
import type { FastifyReply } from 'fastify';

import { privately, sendPage } from '../http/page.ts';
import { acceptLinkWithPasskey, openLink, readRegistration } from '../people/invitations.ts';
import {
  addPasskey,
  askForNewPasskey,
  askForPasskey,
  type PasskeyRequest,
  readNewPasskey,
  removePasskey,
  signInWithPasskey,
} from '../people/passkeys.ts';
import { PeopleRefusal, type PeopleRefusalKind } from '../people/people-refusal.ts';
import { mustBeOn, otherWays, waysOfLink, waysOfPerson } from '../people/single-sign-on.ts';
import { showAccount } from './account.route.ts';
import { setDashboardCookie } from './dashboard-cookies.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import { refusalSentence, refusalStatus } from './dashboard-errors.ts';
import { type DashboardRoute, goTo, type OpenRoute, type OpenVisit, ownDashboardPath } from './guard.ts';
import { confirmPage, joinPage } from './pages/sign-in.page.ts';
import { freshPost, openPost, post } from './routes.ts';
import { comeIn, confirmingWays, joiningWays, signInShower } from './sign-in.route.ts';
import { traced } from './sign-in-traces.ts';

const ACCOUNT = '/dashboard/account';

export const passkeyRoutes = (deps: OpenDashboard): (DashboardRoute | OpenRoute)[] => [
  ...owning(deps),
  ...signingIn(deps),
  ...proving(deps),
  ...joining(deps),
];

/** Sends the options for the browser's script, with the challenge in a cookie of this browser. */
function request(
  reply: FastifyReply,
  { options, cookie }: PasskeyRequest,
  deps: OpenDashboard,
): FastifyReply {
  setDashboardCookie(reply, ['passkey', cookie], deps);
  return privately(reply).send(options);
}

const readPasskeyResponse = ({ http, field, cookies }: OpenVisit) => ({
  text: field('credential'),
  cookie: cookies.passkey,
  ...{ address: http.ip, mark: cookies.mark },
});

/** Refusals that the page with the form shows. */
const SHOWN: readonly PeopleRefusalKind[] = [
  'too_many',
  'wrong_passkey',
  'no_passkeys',
  'challenge_ended',
  'passkey_taken',
  'last_way',
];

/** Returns the sentence and the status of a refusal that the page shows. Throws everything else. */
function shownRefusal(reason: unknown, { reply }: Pick<OpenVisit, 'reply'>) {
  if (!(reason instanceof PeopleRefusal) || !SHOWN.includes(reason.kind)) throw reason;
  if (reason.retryAfter !== undefined) reply.header('retry-after', reason.retryAfter);
  return { problem: refusalSentence(reason), status: refusalStatus(reason) };
}

function owning(deps: OpenDashboard): DashboardRoute[] {
  const purpose = 'add';
  const path = `${ACCOUNT}/passkeys`;
  return [
    freshPost(`${path}/options`, 'own.manage', async ({ reply, person }) =>
      request(reply, await askForNewPasskey(person, purpose, deps), deps),
    ),
    freshPost(path, 'own.manage', async (visit) => {
      await mustBeOn('usesPasskeys', otherWays(deps));
      try {
        const answer = { ...readPasskeyResponse(visit), name: visit.field('passkey'), purpose };
        await addPasskey(visit.person, answer, visit.deps);
      } catch (reason) {
        const { problem, status } = shownRefusal(reason, visit);
        return showAccount(visit, { passkeyProblem: problem }, status);
      }
      return goTo(visit.reply, `${ACCOUNT}?done=passkey`);
    }),
    freshPost(`${path}/:passkeyId/remove`, 'own.manage', async (visit) => {
      try {
        await removePasskey(visit.person, visit.parameter('passkeyId'), visit.deps);
      } catch (reason) {
        const { problem, status } = shownRefusal(reason, visit);
        return showAccount(visit, { passkeyProblem: problem }, status);
      }
      return goTo(visit.reply, `${ACCOUNT}?done=passkey_removed`);
    }),
  ];
}

function signingIn(deps: OpenDashboard): OpenRoute[] {
  const path = '/dashboard/sign-in/passkey';
  const purpose = 'sign in';
  return [
    openPost(`${path}/options`, async ({ reply }) =>
      request(reply, await askForPasskey(undefined, purpose, deps), deps),
    ),
    openPost(path, async (visit) => {
      const next = ownDashboardPath(visit.field('next'));
      await mustBeOn('usesPasskeys', otherWays(deps));
      try {
        // The member is unknown until the response is verified, but a counter that went back is audited before.
        const by = { actor: { kind: 'system' }, address: visit.http.ip, now: deps.now } as const;
        const signIn = signInWithPasskey(readPasskeyResponse(visit), { purpose }, { ...deps, by });
        const person = await traced(signIn, { way: 'passkey', visit }, deps);
        return await comeIn(visit, { ...person, next, way: 'passkey' }, deps);
      } catch (reason) {
        const { problem, status } = shownRefusal(reason, visit);
        return signInShower(deps)(visit, { next, problem }, status);
      }
    }),
  ];
}

function proving(deps: OpenDashboard): DashboardRoute[] {
  const path = '/dashboard/confirm/passkey';
  const purpose = 'confirm';
  return [
    post(`${path}/options`, 'own.manage', async ({ reply, person }) =>
      request(reply, await askForPasskey(person, purpose, deps), deps),
    ),
    post(path, 'own.manage', async (visit) => {
      const { reply, person, session, viewer } = visit;
      const next = ownDashboardPath(visit.field('next'));
      await mustBeOn('usesPasskeys', waysOfPerson(person, deps));
      try {
        const proof = signInWithPasskey(readPasskeyResponse(visit), { purpose, proving: person }, visit.deps);
        await traced(proof, { way: 'passkey', visit }, deps);
      } catch (reason) {
        const { problem, status } = shownRefusal(reason, visit);
        const ways = await confirmingWays(person, deps);
        return sendPage(reply, confirmPage({ next, problem, ...ways }, viewer), status);
      }
      await deps.people.proveSession(session.sessionId, deps.now());
      return goTo(reply, next);
    }),
  ];
}

function joining(deps: OpenDashboard): OpenRoute[] {
  const path = '/dashboard/join/:token/passkey';
  const toPurpose = (token: string) => `join ${token}`;
  return [
    openPost(`${path}/options`, async ({ reply, parameter, field }) => {
      const token = parameter('token');
      const typed = { name: field('name'), login: field('login') };
      const { problems, login, ...who } = await readRegistration(token, typed, deps);
      const [problem] = Object.values(problems);
      if (login === undefined || problem !== undefined)
        return privately(reply).code(400).send({ error: 'wrong_fields', message: problem });
      return request(reply, await askForNewPasskey({ ...who, login }, toPurpose(token), deps), deps);
    }),
    openPost(path, async (visit) => {
      const { http, reply, cookies, parameter, field } = visit;
      const token = parameter('token');
      const invitation = await traced(openLink(token, deps), { way: 'link', visit }, deps);
      const typed = { name: field('name'), login: field('login') };
      await mustBeOn('usesPasskeys', waysOfLink(invitation, deps));
      const ways = await joiningWays(invitation, deps);
      const show = (parts: object, status: number) => {
        const facts = { theme: cookies.theme, path: `/dashboard/join/${token}`, invitation, typed };
        return sendPage(reply, joinPage({ ...facts, ...ways, ...parts }), status);
      };
      try {
        const reading = readNewPasskey({ ...readPasskeyResponse(visit), name: '' }, toPurpose(token), deps);
        const created = await traced(reading, { way: 'link', visit }, deps);
        const registration = { ...typed, ...created, address: http.ip };
        const outcome = await acceptLinkWithPasskey(token, registration, deps);
        return 'personId' in outcome
          ? comeIn(visit, { ...outcome, next: '/dashboard', way: 'link' }, deps)
          : show(outcome, 400);
      } catch (reason) {
        const { problem, status } = shownRefusal(reason, visit);
        return show({ problem }, status);
      }
    }),
  ];
}
