/** GET /reconnect/{token} and its last page, GET /connect/reconnected. */
import type { FastifyInstance } from 'fastify';

import { setCookie } from '../http/cookies.ts';
import { privately, seeOther, sendPage } from '../http/page.ts';
import { maskedName } from './accounts/account-views.ts';
import { openReconnectLink } from './accounts/reconnect-link.ts';
import { findLinkedAccount } from './accounts/save-account.ts';
import { transactionCookies } from './flow/connect-cookies.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { ANY_STANDING } from './flow/connect-flow.ts';
import { selectionPath, signInPath } from './flow/paths.ts';
import { chooseLanguage } from './messages/messages.ts';
import { appearanceFor } from './pages/appearance.ts';
import { reconnectedPage, usedLinkPage } from './pages/reconnected.page.ts';
import { loadAppearance, openPage, readBrowser, showPage } from './visit.ts';

export function reconnectRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.get<{ Params: { token: string } }>('/reconnect/:token', async (http, reply) => {
    const acceptLanguage = http.headers['accept-language'];
    const { address, cookies } = readBrowser(http, deps);
    const opened = await openReconnectLink({ token: http.params.token, address, acceptLanguage }, deps);
    if ('usedAt' in opened) {
      const look = {
        clientId: opened.usedAt,
        language: chooseLanguage({ acceptLanguage }),
        theme: undefined,
      };
      return sendPage(reply, usedLinkPage(await appearanceFor(look, cookies.theme, deps)));
    }
    const { request, secret } = opened;
    for (const cookie of transactionCookies(request, secret, cookies.transactions, deps))
      setCookie(reply, cookie, deps);
    const [provider = 'caldav'] = request.providers;
    return privately(reply).code(302).header('location', signInPath(provider, request)).send();
  });

  app.get('/connect/reconnected', async (http, reply) => {
    const { request } = await openPage(http, deps, ANY_STANDING);
    const [provider] = request.providers;
    if (request.reconnects === undefined || request.isPushed || provider === undefined)
      return seeOther(reply, selectionPath(request));
    if (request.status === 'open') return seeOther(reply, signInPath(provider, request));
    const { display, provesOwner } = await findLinkedAccount(request, deps);
    const appearance = await loadAppearance(http, request, deps);
    const name = provesOwner ? display : maskedName(display);
    return showPage(reply, reconnectedPage(name, appearance), { request });
  });
}
