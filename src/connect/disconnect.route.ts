/** Disconnecting accounts on the pages: one at once, all after a question. Only those this browser linked (threat T4). */
import type { FastifyInstance } from 'fastify';

import type { Account } from '../calendars/account-store.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { accountsOf, ownAccount } from './flow/connect-session.ts';
import { selectionPath } from './flow/paths.ts';
import { disconnectAllPage } from './pages/disconnect-all.page.ts';
import { appearanceOf, openPage, readForm, seeOther, showPage } from './visit.ts';

/** POST /connect/disconnect, GET and POST /connect/disconnect-all. */
export function disconnectRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.post('/connect/disconnect', async (http, reply) => {
    const { visit, request, field } = await readForm(http, deps);
    const account = await ownAccount(request, visit.cookies.device, field('account'), deps);
    if (account !== undefined) await disconnect(account, deps);
    return seeOther(reply, selectionPath(request, 'disconnected'));
  });

  app.get('/connect/disconnect-all', async (http, reply) => {
    const { visit, request } = await openPage(http, deps);
    const { views } = await accountsOf(request, visit.cookies.device, deps);
    if (!views.some(({ own }) => own)) return seeOther(reply, selectionPath(request));
    const look = await appearanceOf(http, request, deps);
    return showPage(reply, disconnectAllPage({ request, accounts: views }, look), { request });
  });

  app.post('/connect/disconnect-all', async (http, reply) => {
    const { visit, request } = await readForm(http, deps);
    const { linked, views } = await accountsOf(request, visit.cookies.device, deps);
    const own = new Set(views.filter((view) => view.own).map(({ accountKey }) => accountKey));
    for (const account of linked.filter(({ accountKey }) => own.has(accountKey))) {
      await disconnect(account, deps);
    }
    return seeOther(reply, selectionPath(request, 'disconnected_all'));
  });
}

async function disconnect({ clientId, userId, provider, accountId }: Account, deps: ConnectDeps) {
  await deps.accounts.disconnect(clientId, userId, provider, accountId, deps.now());
  deps.log.info({ clientId, provider }, 'An account was disconnected by its user');
}
