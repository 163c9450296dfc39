/** The actions on one user. Each has a confirmation page, except a sync, which deletes nothing. */
import { Readable } from 'node:stream';
import type { ShownUser } from '../administration/shown-user.ts';
import {
  deleteUserPermanently,
  disconnectAccount,
  readUser,
  readUserDocument,
  revokeUser,
  syncUser,
} from '../administration/users.ts';
import type { Html } from '../http/html.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { shownName } from './pages/shown-name.ts';
import {
  deleteContent,
  disconnectContent,
  exportContent,
  receiptContent,
  revokeContent,
} from './pages/user-actions.page.ts';
import { userLink } from './pages/user-links.ts';
import { readRequestedUser, USER_ROUTE } from './user.route.ts';

export const userActionRoutes = (): DashboardRoute[] => [
  {
    method: 'POST',
    path: `${USER_ROUTE}/sync`,
    needs: 'user.change',
    async handle(visit) {
      const accountKey = visit.field('account') || undefined;
      const count = await syncUser(
        visit.person,
        { ...readRequestedUser(visit, visit.field), accountKey },
        visit.deps,
      );
      return backToUser(visit, { done: 'sync', count: String(count) });
    },
  },
  { ...ask('revoke', (shown, { viewer, deps }) => revokeContent({ ...deps, shown }, viewer)) },
  {
    method: 'POST',
    path: `${USER_ROUTE}/revoke`,
    needs: 'user.change',
    async handle(visit) {
      const count = await revokeUser(visit.person, readRequestedUser(visit, visit.field), visit.deps);
      return backToUser(visit, { done: 'revoke', count: String(count) });
    },
  },
  {
    ...ask('disconnect', (shown, { viewer, query, deps }) => {
      const account = shown.accounts.find(({ accountKey }) => accountKey === query('account'));
      if (account === undefined) throw new PeopleRefusal('not_there');
      return disconnectContent({ ...deps, shown, account }, viewer);
    }),
  },
  {
    method: 'POST',
    path: `${USER_ROUTE}/disconnect`,
    needs: 'user.change',
    async handle(visit) {
      const account = { ...readRequestedUser(visit, visit.field), accountKey: visit.field('account') };
      await disconnectAccount(visit.person, account, visit.deps);
      return backToUser(visit, { done: 'disconnect' });
    },
  },
  { ...ask('export', (shown, { viewer, deps }) => exportContent({ ...deps, shown }, viewer)), isFresh: true },
  {
    method: 'POST',
    path: `${USER_ROUTE}/export`,
    needs: 'user.change',
    isFresh: true,
    async handle(visit) {
      const pieces = await readUserDocument(visit.person, readRequestedUser(visit, visit.field), visit.deps);
      return visit.reply
        .header('content-type', 'application/json; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('x-content-type-options', 'nosniff')
        .header('content-disposition', 'attachment; filename="user.json"')
        .send(Readable.from(pieces));
    },
  },
  { ...ask('delete', (shown, { viewer, deps }) => deleteContent({ ...deps, shown }, viewer)), isFresh: true },
  {
    method: 'POST',
    path: `${USER_ROUTE}/delete`,
    needs: 'user.change',
    isFresh: true,
    async handle(visit) {
      const owner = readRequestedUser(visit, visit.field);
      const receipt = await deleteUserPermanently(visit.person, owner, visit.deps);
      const content = receiptContent(receipt, owner.clientId);
      return visit.show({ title: messages.text('receipt.title'), content });
    },
  },
];

const ask = (
  name: 'revoke' | 'disconnect' | 'export' | 'delete',
  content: (shown: ShownUser, visit: DashboardVisit) => Html,
): DashboardRoute => ({
  method: 'GET',
  path: `${USER_ROUTE}/${name}`,
  needs: 'user.change',
  async handle(visit) {
    const owner = readRequestedUser(visit);
    const user = await readUser(visit.person, owner, visit.deps);
    return visit.show({ title: shownName(visit.person, owner.userId), content: content(user, visit) });
  },
});

function backToUser(visit: DashboardVisit, more: Readonly<Record<string, string>>) {
  const { person: reader, reply, deps } = visit;
  const { userReferenceKey } = deps;
  return goTo(
    reply,
    userLink('user', readRequestedUser(visit, visit.field), { userReferenceKey, reader, more }),
  );
}
