/**
 * Disconnecting accounts on the pages: one at once, all after a question. Only those this browser linked
 * (docs/security.md T4).
 */
import type { FastifyInstance } from 'fastify';

import type { Account } from '../calendars/account-store.ts';
import { seeOther } from '../http/page.ts';
import { accountLinkedHere, accountsOf } from './accounts/account-views.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { selectionPath } from './flow/paths.ts';
import { disconnectAllPage } from './pages/disconnect-all.page.ts';
import { appearanceOf, openPage, readForm, showPage } from './visit.ts';

/** POST /connect/disconnect, GET and POST /connect/disconnect-all. */
export function disconnectRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.post('/connect/disconnect', async (http, reply) => {
    const form = await readForm(http, deps);
    const account = await accountLinkedHere(form, form.field('account'), deps);
    if (account !== undefined) await disconnect(account, deps);
    return seeOther(reply, selectionPath(form.request, 'disconnected'));
  });

  app.get('/connect/disconnect-all', async (http, reply) => {
    const page = await openPage(http, deps);
    const { request } = page;
    const { views: accounts } = await accountsOf(page, deps);
    if (!accounts.some(({ isLinkedHere }) => isLinkedHere)) return seeOther(reply, selectionPath(request));
    const appearance = await appearanceOf(http, request, deps);
    return showPage(reply, disconnectAllPage({ request, accounts }, appearance), { request });
  });

  app.post('/connect/disconnect-all', async (http, reply) => {
    const form = await readForm(http, deps);
    const { linked, views } = await accountsOf(form, deps);
    for (const [index, account] of linked.entries()) {
      if (views[index]?.isLinkedHere) await disconnect(account, deps);
    }
    return seeOther(reply, selectionPath(form.request, 'disconnected_all'));
  });
}

async function disconnect(account: Account, deps: ConnectDeps) {
  await deps.accounts.disconnect(account, deps.now());
  const { clientId, provider } = account;
  deps.log.info({ clientId, provider }, 'An account was disconnected by its user');
}
