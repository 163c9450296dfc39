/** The consent page and its two answers; Cancel on the selection page gives the same one. */
import type { FastifyInstance } from 'fastify';

import { sendAnswer } from './answer.route.ts';
import { approve, deny } from './flow/answer-request.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { accountsOf, finishedError } from './flow/connect-session.ts';
import { selectionPath } from './flow/paths.ts';
import { consentPage } from './pages/consent.page.ts';
import { appearanceOf, openPage, readForm, seeOther, showPage } from './visit.ts';

/** GET /connect/consent, POST /connect/approve and /connect/cancel. */
export function consentRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/consent', async (http, reply) => {
    const { visit, request } = await openPage(http, deps);
    const { views: accounts } = await accountsOf(request, visit.cookies.device, deps);
    // Without an account there is nothing to allow.
    if (accounts.length === 0) return seeOther(reply, selectionPath(request));
    const look = await appearanceOf(http, request, deps);
    return showPage(reply, consentPage({ request, accounts }, look), { request });
  });

  app.post('/connect/approve', async (http, reply) => {
    const { request } = await readForm(http, deps, ['current', 'finished']);
    const answer = await approve(request, deps);
    if (answer === 'denied') throw finishedError(request);
    if (answer === 'open') return seeOther(reply, selectionPath(request));
    return sendAnswer(http, reply, { request, answer }, deps);
  });

  app.post('/connect/cancel', async (http, reply) => {
    const { request } = await readForm(http, deps, ['current', 'finished']);
    const answer = await deny(request, deps);
    if (answer === 'approved') throw finishedError(request);
    return sendAnswer(http, reply, { request, answer: 'denied' }, deps);
  });
}
