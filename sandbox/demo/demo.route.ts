/** The demo's addresses: an application that connects its user's calendars, as the README says applications should. */
import { randomBytes, timingSafeEqual } from 'node:crypto';

import cookies from '@fastify/cookie';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify';
import { sendPage } from '../../src/http/page.ts';
import { connectedPage } from './connected.page.ts';
import { type DeliveriesDeps, deliveriesRoutes } from './deliveries.route.ts';
import { pagePolicy } from './demo-layout.page.ts';
import { refuseOtherSites, resultOf, sessionFor, sessionOf, takeNotice } from './demo-requests.ts';
import { type DemoSession, type DemoSessions, demoSessions, type Notice } from './demo-session.ts';
import { type DemoPerson, homePage } from './home.page.ts';
import {
  authorizeUrl,
  eventsUrl,
  exchangeCode,
  KalendsRefusal,
  listCalendars,
  listEvents,
  refreshTokens,
  revokeTokens,
} from './kalends-client.ts';
import { webhookRoute } from './webhook.route.ts';

export type DemoDeps = DeliveriesDeps & {
  /** Returns the people who can sign in, with their current passwords. */
  people(): readonly DemoPerson[];
  readonly controlUrl: string | undefined;
  /** The sessions by name; changed in place. */
  readonly sessions: Map<string, DemoSession>;
  /** Called before each response: the state that it reports must be stored by then. */
  readonly beforeAnswer: (() => void) | undefined;
};

const WEEKS_MS = 4 * 7 * 86_400_000;

export function demoRoutes(deps: DemoDeps): FastifyPluginAsync {
  const sessions = demoSessions(deps.sessions);
  return async (app) => {
    app.addHook('onSend', async () => deps.beforeAnswer?.());
    await app.register(cookies);
    pages(app, deps, sessions);
    flow(app, deps, sessions);
    tokenButtons(app, deps, sessions);
    deliveriesRoutes(app, deps, sessions);
    await app.register(webhookRoute(deps));
  };
}

function pages(app: FastifyInstance, deps: DemoDeps, sessions: DemoSessions): void {
  const { application, people, controlUrl, now } = deps;
  const policy = pagePolicy(application.kalendsUrl);

  app.get('/', async (request, reply) => {
    const session = sessionOf(request, sessions);
    const notice = session && takeNotice(session);
    const isConnected = session?.tokens !== undefined;
    const document = homePage({ people: people(), controlUrl, notice, isConnected });
    return sendPage(reply, { document, policy });
  });

  app.get('/connected', async (request, reply) => {
    const session = sessionOf(request, sessions);
    if (session?.tokens === undefined) return reply.redirect('/', 303);
    const { userId, tokens } = session;
    const window = { start: now(), end: now() + WEEKS_MS };
    const calendars = await resultOf(listCalendars(application, tokens.accessToken));
    const events = await resultOf(listEvents(application, tokens.accessToken, window));
    const links = { eventsUrl: eventsUrl(application.kalendsUrl, window), controlUrl, now: now() };
    const view = { userId, tokens, notice: takeNotice(session), calendars, events, ...links };
    return sendPage(reply, { document: connectedPage(view), policy });
  });
}

/** Registers the redirect to Kalends, and the callback with a code. */
function flow(app: FastifyInstance, { application, now }: DemoDeps, sessions: DemoSessions): void {
  app.get('/connect', async (request, reply) => {
    const session = sessionFor(request, reply, sessions);
    session.state = randomBytes(16).toString('base64url');
    const { userId, state } = session;
    return reply.redirect(authorizeUrl(application, { userId, state, scope: 'read-write' }), 303);
  });

  app.get<{ Querystring: Readonly<Record<string, unknown>> }>('/callback', async (request, reply) => {
    const session = sessionOf(request, sessions);
    if (session === undefined) return reply.redirect('/', 303);
    const accepted = acceptedCode(request.query, session);
    if ('trouble' in accepted) return backHome(reply, session, { kind: 'trouble', text: accepted.trouble });
    session.state = undefined;
    return orNotice(session, reply, async () => {
      session.tokens = await exchangeCode(application, accepted.code, now());
      session.notice = {
        kind: 'done',
        text: 'Connected. The code was exchanged for the tokens on this page.',
      };
      return reply.redirect('/connected', 303);
    });
  });
}

function tokenButtons(app: FastifyInstance, { application, now }: DemoDeps, sessions: DemoSessions): void {
  app.post('/refresh', { onRequest: refuseOtherSites }, async (request, reply) => {
    const session = sessionOf(request, sessions);
    if (session?.tokens === undefined) return reply.redirect('/', 303);
    const { refreshToken } = session.tokens;
    return orNotice(session, reply, async () => {
      session.tokens = await refreshTokens(application, refreshToken, now());
      session.notice = { kind: 'done', text: 'The tokens are new. The old refresh token is invalid.' };
      return reply.redirect('/connected', 303);
    });
  });

  app.post('/revoke', { onRequest: refuseOtherSites }, async (request, reply) => {
    const session = sessionOf(request, sessions);
    if (session?.tokens === undefined) return reply.redirect('/', 303);
    const { accessToken, refreshToken } = session.tokens;
    return orNotice(session, reply, async () => {
      await revokeTokens(application, refreshToken);
      const after = await resultOf(listCalendars(application, accessToken));
      session.tokens = undefined;
      const answer = 'problem' in after ? after.problem.status : 200;
      const text = `Revoked. With the old access token, a request for calendars now returns ${answer}.`;
      return backHome(reply, session, { kind: 'done', text });
    });
  });
}

/**
 * Returns the code of the callback's query, checked as every application must: its own state, and its own user's code.
 */
function acceptedCode(
  query: Readonly<Record<string, unknown>>,
  { state, userId }: DemoSession,
): { readonly code: string } | { readonly trouble: string } {
  if (state === undefined || !sameText(query.state, state))
    return { trouble: 'This response does not belong to a flow of this browser. Please start again.' };
  if (query.error === 'access_denied')
    return { trouble: 'You came back without allowing access. Press the button to try again.' };
  if (query.error !== undefined) return { trouble: `The flow ended with ${String(query.error)}.` };
  if (query.code !== userId)
    return { trouble: 'The code belongs to another user than the one who is signed in here.' };
  return { code: userId };
}

function sameText(value: unknown, expected: string): boolean {
  if (typeof value !== 'string') return false;
  const [one, other] = [Buffer.from(value), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function backHome(reply: FastifyReply, session: DemoSession, notice: Notice): FastifyReply {
  session.notice = notice;
  return reply.redirect('/', 303);
}

/** Does the work, or displays the error of Kalends on the page. */
async function orNotice(session: DemoSession, reply: FastifyReply, work: () => Promise<FastifyReply>) {
  try {
    return await work();
  } catch (failure) {
    if (!(failure instanceof KalendsRefusal)) throw failure;
    session.notice = { kind: 'trouble', text: `${failure.message} (${failure.status} ${failure.code})` };
    return reply.redirect(session.tokens === undefined ? '/' : '/connected', 303);
  }
}
