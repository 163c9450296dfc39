/** The answer on its way to the application: by a redirect, or from a popup to the page that opened it. */
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { AuthorizationRequest } from './flow/authorization-request-store.ts';
import { answerUrl, type UserAnswer } from './flow/callback-url.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { popupAnswer } from './flow/popup-answer.ts';
import { popupResultPage } from './pages/popup-result.page.ts';
import { appearanceOf, seeOther, showPage } from './visit.ts';

/** Sends it, as often as it is asked for: `answer` is what the request's user decided, once. */
export async function sendAnswer(
  http: FastifyRequest,
  reply: FastifyReply,
  { request, answer }: { readonly request: AuthorizationRequest; readonly answer: UserAnswer },
  deps: ConnectDeps,
): Promise<FastifyReply> {
  if (request.display === 'page') return seeOther(reply, answerUrl(request, answer));
  const page = popupResultPage(popupAnswer(request, answer), await appearanceOf(http, request, deps));
  return showPage(reply, page, { request });
}
