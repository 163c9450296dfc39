/** Disconnects accounts, after a question, and removes those linked here, at once (docs/security.md T4). */
import type { FastifyInstance } from 'fastify';

import { seeOther } from '../http/page.ts';
import { scalar } from '../http/received-query.ts';
import { type AccountView, loadUserAccounts, manageableAccount } from './accounts/account-views.ts';
import { removeAccounts } from './accounts/remove-account.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import { selectionPath } from './flow/paths.ts';
import { disconnectPage } from './pages/disconnect.page.ts';
import { disconnectAllPage } from './pages/disconnect-all.page.ts';
import { loadAppearance, openPage, readForm, showPage } from './visit.ts';

/** GET and POST /connect/disconnect and /connect/disconnect-all, POST /connect/remove. */
export function disconnectRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/disconnect', async (http, reply) => {
    const page = await openPage(http, deps);
    const { visit, request } = page;
    const account = await manageableAccount(page, scalar(visit.query, 'account'), deps);
    if (account === undefined) return seeOther(reply, selectionPath(request));
    const appearance = await loadAppearance(http, request, deps);
    return showPage(reply, disconnectPage({ request, account }, appearance), { request });
  });

  app.post('/connect/disconnect', async (http, reply) => {
    const form = await readForm(http, deps);
    const account = await manageableAccount(form, form.field('account'), deps);
    if (account !== undefined) await removeAccounts(form, [account], deps);
    return seeOther(reply, selectionPath(form.request, 'disconnected'));
  });

  app.post('/connect/remove', async (http, reply) => {
    const form = await readForm(http, deps);
    const account = await manageableAccount(form, form.field('account'), deps);
    if (account?.isUnfinished) await removeAccounts(form, [account], deps);
    return seeOther(reply, selectionPath(form.request, 'removed'));
  });

  app.get('/connect/disconnect-all', async (http, reply) => {
    const page = await openPage(http, deps);
    const { request } = page;
    const { accounts: covered, others } = await loadUserAccounts(page, deps);
    const accounts = [...covered, ...others];
    if (!accounts.some(isManageable)) return seeOther(reply, selectionPath(request));
    const appearance = await loadAppearance(http, request, deps);
    return showPage(reply, disconnectAllPage({ request, accounts }, appearance), { request });
  });

  app.post('/connect/disconnect-all', async (http, reply) => {
    const form = await readForm(http, deps);
    const { accounts, others } = await loadUserAccounts(form, deps);
    await removeAccounts(form, [...accounts, ...others].filter(isManageable), deps);
    return seeOther(reply, selectionPath(form.request, 'disconnected_all'));
  });
}

const isManageable = (account: AccountView): boolean => account.isManageable;
