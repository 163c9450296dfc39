/** The consent page and its two answers; Cancel on the selection page gives the same one. */
import type { FastifyInstance } from 'fastify';

import { approve, deny } from './answer-request.ts';
import { approvalUrl, denialUrl } from './callback-url.ts';
import type { ConnectDeps } from './connect-deps.ts';
import { accountsOf, finishedError } from './connect-session.ts';
import { consentPage } from './consent.page.ts';
import { selectionPath } from './paths.ts';
import { appearanceOf, openPage, readForm, seeOther, showPage } from './visit.route.ts';

export function consentRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/consent', async (http, reply) => {
    const { visit, request } = await openPage(http, deps);
    const { views: accounts } = await accountsOf(request, visit.cookies.device, deps);
    // Without an account there is nothing to allow.
    if (accounts.length === 0) return seeOther(reply, selectionPath(request));
    const displayName = (await deps.clients.findClient(request.clientId))?.displayName;
    return showPage(
      reply,
      200,
      consentPage({ request, displayName, accounts }, appearanceOf(request)),
      request,
    );
  });

  app.post('/connect/approve', async (http, reply) => {
    const { request } = await readForm(http, deps, ['current', 'finished']);
    const answer = await approve(request, deps);
    if (answer === 'denied') throw finishedError(request);
    return seeOther(reply, answer === 'approved' ? approvalUrl(request) : selectionPath(request));
  });

  app.post('/connect/cancel', async (http, reply) => {
    const { request } = await readForm(http, deps, ['current', 'finished']);
    const answer = await deny(request, deps);
    if (answer === 'approved') throw finishedError(request);
    return seeOther(reply, denialUrl(request));
  });
}
