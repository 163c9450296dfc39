/** The consent page and its two answers; Cancel on the selection page gives the same one. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { seeOther } from '../http/page.ts';
import { accountsOf } from './accounts/account-views.ts';
import { approve, deny } from './flow/answer-request.ts';
import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import { answerUrl, type UserAnswer } from './flow/callback-url.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { finishedError } from './flow/connect-flow.ts';
import { selectionPath } from './flow/paths.ts';
import { popupAnswer } from './flow/popup-answer.ts';
import { consentPage } from './pages/consent.page.ts';
import { popupResultPage } from './pages/popup-result.page.ts';
import { appearanceOf, openPage, readForm, showPage } from './visit.ts';

/** GET /connect/consent, POST /connect/approve and /connect/cancel. */
export function consentRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/consent', async (http, reply) => {
    const page = await openPage(http, deps);
    const { request } = page;
    const { views: accounts } = await accountsOf(page, deps);
    // Without an account there is nothing to allow.
    if (accounts.length === 0) return seeOther(reply, selectionPath(request));
    const appearance = await appearanceOf(http, request, deps);
    return showPage(reply, consentPage({ request, accounts }, appearance), { request });
  });

  /** Sends the answer, as often as it is asked for, by a redirect or from a popup to the page that opened it. */
  const send = async (http: FastifyRequest, reply: FastifyReply, { request, answer }: Answered) => {
    if (request.display === 'page') return seeOther(reply, answerUrl(request, answer));
    const appearance = await appearanceOf(http, request, deps);
    return showPage(reply, popupResultPage(popupAnswer(request, answer), appearance), { request });
  };

  app.post('/connect/approve', async (http, reply) => {
    const { request } = await readForm(http, deps, ['current', 'finished']);
    const answer = await approve(request, deps);
    if (answer === 'denied') throw finishedError(request);
    if (answer === 'open') return seeOther(reply, selectionPath(request));
    return send(http, reply, { request, answer });
  });

  app.post('/connect/cancel', async (http, reply) => {
    const { request } = await readForm(http, deps, ['current', 'finished']);
    const answer = await deny(request, deps);
    if (answer === 'approved') throw finishedError(request);
    return send(http, reply, { request, answer: 'denied' });
  });
}

/** A request and what its user decided, once. */
type Answered = { readonly request: AuthorizationRequest; readonly answer: UserAnswer };
