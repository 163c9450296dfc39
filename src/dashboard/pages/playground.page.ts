/** The first page of the playground, with the choice of an application. */
import { readScript } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { inlineScript } from '../../http/page.ts';
import type { Client } from '../../oauth/client.ts';
import { mayRole } from '../../people/permission.ts';
import type { Person } from '../../people/person.ts';
import type { TestUser } from '../../playground/test-user-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { APPLICATIONS } from './applications.page.ts';
import { emptyState, table, top } from './parts.page.ts';

export const PLAYGROUND = '/dashboard/playground';

/** Returns the path of an application's test user, or of an operation below it. */
export const playgroundPath = (clientId: string, below?: string): string =>
  [PLAYGROUND, clientId, ...(below === undefined ? [] : [below])]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join('/');

export const POPUP = inlineScript(readScript(new URL('./playground.client.js', import.meta.url)));

export type PlaygroundParts = {
  readonly clients: readonly Client[];
  readonly users: readonly TestUser[];
};

export function playgroundPage({ clients, users }: PlaygroundParts, { role }: Person): Html {
  const head = top(messages.text('playground.title'), messages.text('playground.lead'));
  if (clients.length === 0) return html`${head}${noApplication(mayRole(role, 'application.create'))}`;
  const rows = clients.map(({ clientId, name }) => {
    const user = users.find((one) => one.clientId === clientId);
    return [
      html`<a href="${playgroundPath(clientId)}"><bdi>${name}</bdi></a>`,
      user === undefined
        ? html`${messages.text('playground.user.none')}`
        : html`<span class="code">${user.userId}</span>`,
      html`${messages.text(user?.isConnected ? 'playground.connected' : 'playground.unconnected')}`,
    ];
  });
  return html`${head}${table({
    name: 'playground.title',
    heads: ['applications.name', 'playground.user', 'playground.state'],
    rows,
  })}`;
}

function noApplication(mayCreate: boolean): Html {
  const create = html`<a class="button primary" href="${APPLICATIONS}/new">${messages.text('applications.create')}</a>`;
  const text = messages.text(mayCreate ? 'playground.none' : 'applications.none.given');
  return emptyState(messages.text('applications.none'), text, mayCreate && create);
}
