/** The pages about one user, and about one of the user's accounts. The user is named in the query. */

import type { FastifyReply } from 'fastify';
import { listUserAccounts, readAccount, readUser, type UserOfClient } from '../administration/users.ts';
import { type Html, html } from '../http/html.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import type { CalendarPlace } from '../user-data/account-calendars.ts';
import type { DashboardRoute, DashboardVisit } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { APPLICATIONS } from './pages/applications.page.ts';
import { type UserParts, userContent } from './pages/user.page.ts';
import { accountContent } from './pages/user-account.page.ts';
import { referredPlace, referredUser, sealedPlace, userLink } from './pages/user-links.ts';
import { shownName } from './pages/visible-name.ts';
import { get } from './routes.ts';

export const USER_ROUTE = `${APPLICATIONS}/:clientId/user`;
const CALENDARS_ON_A_PAGE = 100;

/** Returns the user that the query or form names. Throws PeopleRefusal `not_there` if it names none. */
export function readRequestedUser(
  visit: DashboardVisit,
  read: DashboardVisit['query'] = visit.query,
): UserOfClient {
  const clientId = visit.parameter('clientId');
  const userId = referredUser(clientId, { id: read('id'), ref: read('ref') }, visit.deps);
  if (userId === undefined) throw new PeopleRefusal('not_there');
  return { clientId, userId };
}

export const userRoutes = (): DashboardRoute[] => [
  get(USER_ROUTE, 'user.read', async (visit) => {
    const notice = renderNotice(visit.query('done'), visit.query('count'));
    return showUser(visit, readRequestedUser(visit), { said: notice });
  }),
  get(`${USER_ROUTE}/account`, 'user.read', async (visit) => {
    const { person, viewer, query, show, deps } = visit;
    const requestedAccount = { ...readRequestedUser(visit), accountKey: query('account') };
    const after = referredPlace<CalendarPlace>(query('after'), deps);
    const details = await readAccount(
      person,
      { ...requestedAccount, after, limit: CALENDARS_ON_A_PAGE },
      deps,
    );
    const { next, account } = details;
    const { userReferenceKey } = deps;
    const place = next && sealedPlace({ position: next.position, calendarKey: next.calendarKey }, deps);
    const more = { account: requestedAccount.accountKey, ...(place !== undefined && { after: place }) };
    const nextPath =
      place && userLink('user/account', requestedAccount, { userReferenceKey, reader: person, more });
    const content = accountContent({ shown: details, nextPath, userReferenceKey }, viewer);
    return show({ title: shownName(person, account.display), content });
  }),
];

/** Shows the page of one user, with a notice or with the reconnect link that was just created. */
export async function showUser(
  visit: DashboardVisit,
  owner: UserOfClient,
  extras: Pick<UserParts, 'said' | 'reconnect'>,
): Promise<FastifyReply> {
  const { person, viewer, show, deps } = visit;
  const user = await readUser(person, owner, deps);
  const typed = Number(visit.query('page'));
  const page = Number.isSafeInteger(typed) && typed > 0 ? typed : 1;
  const first = extras.reconnect?.accountKey ?? visit.query('account');
  const listed = await listUserAccounts(user, { page, first }, deps);
  const content = userContent({ ...deps, shown: user, listed, first, ...extras }, viewer);
  return show({ title: shownName(person, owner.userId), content });
}

function renderNotice(done: string, count: string): Html | undefined {
  const number = /^\d{1,9}$/.test(count) ? Number(count) : 0;
  switch (done) {
    case 'sync':
      return html`${messages.text('user.sync.done', { count: number })}`;
    case 'revoke':
      return html`${messages.text('user.revoke.done', { count: number })}`;
    case 'disconnect':
      return html`${messages.text('user.disconnect.done')}`;
    default:
      return undefined;
  }
}
