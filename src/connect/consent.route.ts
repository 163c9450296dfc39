/** The consent page, its two answers, which the selection page also has, and the wait for another approval. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { seeOther } from '../http/page.ts';
import { loadUserAccounts } from './accounts/account-views.ts';
import { type Answer, approve, deny } from './flow/answer-request.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import { loadResponse } from './flow/authorization-response.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { finishedError } from './flow/connect-flow.ts';
import { pagePath, responseUrl, selectionPath, type UserAnswer } from './flow/paths.ts';
import { consentPage, waitingPage } from './pages/consent.page.ts';
import { popupResultPage } from './pages/popup-result.page.ts';
import { loadAppearance, openPage, readForm, showPage } from './visit.ts';

/** GET /connect/consent and /connect/waiting, POST /connect/approve and /connect/cancel. */
export function consentRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/consent', async (http, reply) => {
    const page = await openPage(http, deps);
    const { request } = page;
    const { accounts, ending } = await loadUserAccounts(page, deps);
    // With one account, or nothing to consent to, the selection page is the last one.
    if (ending !== 'continue') return seeOther(reply, selectionPath(request));
    const appearance = await loadAppearance(http, request, deps);
    return showPage(reply, consentPage({ request, accounts }, appearance), { request });
  });

  app.post('/connect/approve', async (http, reply) => {
    const form = await readForm(http, deps, ['current', 'finished']);
    const { request } = form;
    const answer = await approve(form, deps);
    if (answer === 'open') return seeOther(reply, selectionPath(request));
    if (answer === 'waits') return seeOther(reply, pagePath('waiting', request));
    // If the user disconnected the last account, Done is a denial. Otherwise the request was denied before.
    if (answer === 'denied' && !request.hasDisconnected) throw finishedError(request);
    return sendAnswer({ http, reply, request, answer }, deps);
  });

  app.get('/connect/waiting', async (http, reply) => {
    const page = await openPage(http, deps, ['current', 'finished']);
    const { request } = page;
    // Only a form, or a sign-in that needs no consent, can allow the request and lead here.
    if (request.status === 'open' && request.allowedAt === undefined)
      return seeOther(reply, selectionPath(request));
    const answer: Answer = await approve(page, deps);
    if (answer === 'open') return seeOther(reply, selectionPath(request));
    if (answer !== 'waits') return sendAnswer({ http, reply, request, answer }, deps);
    const appearance = await loadAppearance(http, request, deps);
    return showPage(reply, waitingPage(request, appearance), { request });
  });

  app.post('/connect/cancel', async (http, reply) => {
    const form = await readForm(http, deps, ['current', 'finished']);
    const { request } = form;
    const answer = await deny(form, deps);
    if (answer === 'approved') throw finishedError(request);
    return sendAnswer({ http, reply, request, answer: 'denied' }, deps);
  });
}

type Exchange = { readonly http: FastifyRequest; readonly reply: FastifyReply };
type Answered = Exchange & { readonly request: AuthorizationRequest; readonly answer: UserAnswer };

/** Sends the answer, repeatedly if requested: as a redirect, or in a popup to the page that opened it. */
async function sendAnswer({ http, reply, request, answer }: Answered, deps: ConnectDeps) {
  const parameters = await loadResponse(request, answer, deps);
  if (request.display === 'page') return seeOther(reply, responseUrl(request, parameters));
  const appearance = await loadAppearance(http, request, deps);
  return showPage(reply, popupResultPage({ request, answer, parameters }, appearance), { request });
}
