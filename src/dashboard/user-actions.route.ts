/** The actions on one user. Each has a confirmation page, except a sync, which deletes nothing. */
import { Readable } from 'node:stream';
import type { ShownUser } from '../administration/user-details.ts';
import {
  deleteUserPermanently,
  disconnectAccount,
  linkToReconnect,
  readUser,
  readUserDocument,
  revokeUser,
  syncUser,
} from '../administration/users.ts';
import type { Html } from '../http/html.ts';
import { apiMessage } from '../http/refusal.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import {
  deleteContent,
  disconnectContent,
  exportContent,
  receiptContent,
  revokeContent,
} from './pages/user-actions.page.ts';
import { userLink } from './pages/user-links.ts';
import { shownName } from './pages/visible-name.ts';
import { freshGet, freshPost, get, post } from './routes.ts';
import { readRequestedUser, showUser, USER_ROUTE } from './user.route.ts';

export const userActionRoutes = (): DashboardRoute[] => [
  post(`${USER_ROUTE}/sync`, 'user.change', async (visit) => {
    const accountKey = visit.field('account') || undefined;
    const target = { ...readRequestedUser(visit, visit.field), accountKey };
    const count = await syncUser(visit.person, target, visit.deps);
    return backToUser(visit, { done: 'sync', count: String(count) });
  }),
  ask(get, 'revoke', (shown, { viewer, deps }) => revokeContent({ ...deps, shown }, viewer)),
  post(`${USER_ROUTE}/revoke`, 'user.change', async (visit) => {
    const count = await revokeUser(visit.person, readRequestedUser(visit, visit.field), visit.deps);
    return backToUser(visit, { done: 'revoke', count: String(count) });
  }),
  ask(get, 'disconnect', (shown, { viewer, query, deps }) => {
    const account = shown.accounts.find(({ accountKey }) => accountKey === query('account'));
    if (account === undefined) throw new PeopleRefusal('not_there');
    return disconnectContent({ ...deps, shown, account }, viewer);
  }),
  post(`${USER_ROUTE}/disconnect`, 'user.change', async (visit) => {
    const account = { ...readRequestedUser(visit, visit.field), accountKey: visit.field('account') };
    await disconnectAccount(visit.person, account, visit.deps);
    return backToUser(visit, { done: 'disconnect' });
  }),
  post(`${USER_ROUTE}/reconnect-link`, 'user.change', async (visit) => {
    const owner = readRequestedUser(visit, visit.field);
    const accountKey = visit.field('account');
    const link = await linkToReconnect(visit.person, { ...owner, accountKey }, visit.deps).catch(apiMessage);
    return showUser(visit, owner, { reconnect: { accountKey, link } });
  }),
  ask(freshGet, 'export', (shown, { viewer, deps }) => exportContent({ ...deps, shown }, viewer)),
  freshPost(`${USER_ROUTE}/export`, 'user.change', async (visit) => {
    const pieces = await readUserDocument(visit.person, readRequestedUser(visit, visit.field), visit.deps);
    return visit.reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .header('content-disposition', 'attachment; filename="user.json"')
      .send(Readable.from(pieces));
  }),
  ask(freshGet, 'delete', (shown, { viewer, deps }) => deleteContent({ ...deps, shown }, viewer)),
  freshPost(`${USER_ROUTE}/delete`, 'user.change', async (visit) => {
    const owner = readRequestedUser(visit, visit.field);
    const receipt = await deleteUserPermanently(visit.person, owner, visit.deps);
    const content = receiptContent(receipt, owner.clientId);
    return visit.show({ title: messages.text('receipt.title'), content });
  }),
];

const ask = (
  define: typeof get,
  name: 'revoke' | 'disconnect' | 'export' | 'delete',
  content: (shown: ShownUser, visit: DashboardVisit) => Html,
): DashboardRoute =>
  define(`${USER_ROUTE}/${name}`, 'user.change', async (visit) => {
    const owner = readRequestedUser(visit);
    const user = await readUser(visit.person, owner, visit.deps);
    return visit.show({ title: shownName(visit.person, owner.userId), content: content(user, visit) });
  });

function backToUser(visit: DashboardVisit, more: Readonly<Record<string, string>>) {
  const facts = { userReferenceKey: visit.deps.userReferenceKey, reader: visit.person, more };
  return goTo(visit.reply, userLink('user', readRequestedUser(visit, visit.field), facts));
}
