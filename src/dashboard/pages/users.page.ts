/** The list of users, of one application or of all that the member may see. */
import { type Html, html } from '../../http/html.ts';
import type { FoundUser, UserPage } from '../../user-data/user-directory.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import { stateWord } from './filter-form.page.ts';
import { HEALTH_KINDS } from './health.page.ts';
import type { Viewer } from './layout.page.ts';
import { emptyState, nextLink, table } from './parts.page.ts';
import { ago } from './times.page.ts';
import { type UserLinkDeps, userLink } from './user-links.ts';
import { shownName } from './visible-name.ts';

export const USERS = '/dashboard/users';

export type UsersParts = UserLinkDeps & {
  readonly page: UserPage;
  readonly beginning: string;
  /** The application of the list. Undefined for all applications. */
  readonly clientId?: string | undefined;
  readonly names: ReadonlyMap<string, string>;
  readonly nextPath: string | undefined;
  readonly isFirstPage: boolean;
};

export function usersContent(parts: UsersParts, viewer: Viewer): Html {
  const { page, clientId, nextPath } = parts;
  const rows = page.users.map((user) => userRow(user, parts, viewer));
  return html`${searchForm(parts, viewer)}
${table({
  name: 'users.title',
  heads: [
    'users.name',
    ...(clientId === undefined ? (['users.application'] as const) : []),
    'users.accounts',
    'connections.state',
    'users.seen',
  ],
  none: emptyList(parts, viewer),
  rows,
})}
${nextLink(nextPath)}`;
}

/** Members who may not read user names can search only for whole names. */
const findsWhole = ({ person }: Viewer): boolean => person.role === 'viewer';

function searchForm({ beginning, clientId }: UsersParts, viewer: Viewer): Html {
  const path = clientId === undefined ? USERS : `${applicationPath(clientId)}/users`;
  const label = messages.text(findsWhole(viewer) ? 'users.find_whole' : 'users.find');
  return html`<form method="get" action="${path}" class="filter" role="search">
<label>${label}<input name="q" type="search" value="${beginning}" maxlength="512" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<button class="small">${messages.text('filter')}</button></form>`;
}

function emptyList({ beginning, isFirstPage }: UsersParts, viewer: Viewer): Html {
  const isSearch = beginning !== '' || !isFirstPage;
  const title = messages.text(isSearch ? 'users.none.found' : 'users.none');
  const hintKey = findsWhole(viewer) ? 'users.none.found_whole.text' : 'users.none.found.text';
  return emptyState(title, messages.text(isSearch ? hintKey : 'users.none.text'));
}

function userRow(user: FoundUser, { names, clientId, userReferenceKey }: UsersParts, viewer: Viewer): Html[] {
  const { person: reader } = viewer;
  const href = userLink('user', user, { reader, userReferenceKey });
  const address = user.address === undefined ? undefined : shownName(reader, user.address);
  const name = names.get(user.clientId) ?? user.clientId;
  const count = messages.text('users.accounts.count', { count: user.accounts });
  const unhealthyText = messages.text('users.ailing', { count: user.ailing });
  return [
    html`<a class="anything" href="${href}"><bdi>${shownName(reader, user.userId)}</bdi></a>${address !== undefined && html`<small class="anything"><bdi>${address}</bdi></small>`}`,
    ...(clientId === undefined ? [html`<bdi>${name}</bdi>`] : []),
    html`${count}`,
    html`${user.worst && stateWord(HEALTH_KINDS[user.worst], messages.text(`health.${user.worst}`))}${user.ailing > 0 && user.accounts > 1 && html`<small>${unhealthyText}</small>`}`,
    ago(user.lastSeenAt),
  ];
}
