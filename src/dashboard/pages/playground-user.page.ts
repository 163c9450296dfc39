/** The test user of an application: the first connection, its accounts, and the operations to choose from. */
import type { Account } from '../../calendars/account-store.ts';
import { icon } from '../../design/icon.page.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import { SCOPES } from '../../oauth/scope.ts';
import type { OperationForm } from '../../playground/operation-forms.ts';
import type { TestUser } from '../../playground/test-user-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import { accountKind } from './health.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { choice, doneText, emptyState, field, top } from './parts.page.ts';
import { playgroundPath } from './playground.page.ts';
import { ago } from './times.page.ts';
import { type UserLinkDeps, userLink } from './user-links.ts';

export type TestUserParts = {
  readonly client: Client;
  /** The applications that the member may try. */
  readonly clients: readonly Client[];
  readonly user: TestUser | undefined;
  /** Whether users can connect any provider. */
  readonly hasProvider: boolean;
  readonly forms: readonly OperationForm[];
  /** The last action, from the query. */
  readonly done: string;
  /** A name that was typed and is not allowed. */
  readonly wrong: { readonly typed: string } | undefined;
};

export function testUserPage(parts: TestUserParts, viewer: Viewer): Html {
  const { client, clients, hasProvider, forms, done } = parts;
  const { clientId } = client;
  return html`${top(messages.text('playground.title'), messages.text('playground.lead'), applicationSwitch(clients, client))}
${renderNotice(done)}
<div class="playground">${operationMenu(forms, clientId)}
<div>${hasProvider ? unconnected(parts, viewer) : noProvider(clientId)}</div></div>`;
}

const DONE = {
  connected: 'playground.done.connected',
  denied: 'playground.done.denied',
  over: 'playground.done.over',
} as const;

export function renderNotice(done: string): Html | undefined {
  const text = doneText(done, DONE);
  return text && notice(done === 'denied' ? 'note' : 'done', text, true);
}

const noProvider = (clientId: string): Html =>
  emptyState(
    messages.text('playground.no_provider'),
    messages.text('playground.no_provider.text'),
    html`<a class="button" href="${applicationPath(clientId)}/security">${messages.text('application.tab.security')}</a>`,
  );

function unconnected({ client: { clientId }, user, wrong }: TestUserParts, viewer: Viewer): Html {
  const nameForm =
    user === undefined
      ? field({
          ...{ name: 'name', label: messages.text('playground.name'), isOptional: true, maxLength: 32 },
          ...{ value: wrong?.typed ?? '', hint: messages.text('playground.name.hint') },
          problem: wrong && messages.text('playground.name.wrong'),
        })
      : html`<p class="lead"><span class="code">${user.userId}</span></p>`;
  const content = html`<section class="panel"><h2>${messages.text('playground.connect')}</h2>
<p class="lead">${messages.text('playground.connect.text')}</p>
<div class="fields">${nameForm}${scopes()}</div>
<div class="buttons"><button class="primary">${messages.text('playground.connect.do')}</button></div></section>`;
  return connectForm(viewer, clientId, content);
}

const scopes = (): Html =>
  html`<fieldset><legend>${messages.text('playground.scope')}</legend>${SCOPES.toReversed().map(
    (scope, index) =>
      choice(
        { type: 'radio', name: 'scope', value: scope, isPicked: index === 0 },
        messages.text(`playground.scope.${scope}`),
        html`<small class="code">${scope}</small>`,
      ),
  )}</fieldset>`;

const connectForm = (viewer: Viewer, clientId: string, content: Html): Html =>
  postForm(viewer, playgroundPath(clientId), html`<div data-popup>${content}</div>`);

export type ConnectedParts = UserLinkDeps & {
  readonly client: Client;
  readonly user: TestUser;
  readonly accounts: readonly Account[];
};

/** Renders the test user above the operations: its accounts, how long it stays, and what can be done with it. */
export function testUserBar(parts: ConnectedParts, viewer: Viewer): Html {
  const { client, user, accounts, userReferenceKey } = parts;
  const { clientId } = client;
  const list = accounts.map(
    (account) => html`<li>${accountKind(account)} <bdi>${account.display}</bdi></li>`,
  );
  const deliveries = `/dashboard/deliveries?${new URLSearchParams({ client: clientId, user: user.userId })}`;
  const testUser = { clientId, userId: user.userId };
  const userPage = userLink('user', testUser, { reader: viewer.person, userReferenceKey });
  const again = connectForm(
    viewer,
    clientId,
    html`<button class="small">${icon('plus')}${messages.text('playground.connect.more')}</button>`,
  );
  const over = postForm(
    viewer,
    playgroundPath(clientId, 'start-over'),
    html`<p>${messages.text('playground.over.text')}</p><div class="buttons"><button class="destructive small">${messages.text('playground.over.do')}</button></div>`,
  );
  return html`<section class="test-user" aria-label="${messages.text('playground.user')}">
<div class="with-mark">${icon('person')}<a href="${userPage}" class="code">${user.userId}</a></div>
${list.length === 0 ? html`<span>${messages.text('playground.accounts.none')}</span>` : html`<ul>${list}</ul>`}
<span class="none">${messages.markup('playground.ends.text', { when: ago(user.endsAt) })}</span>
<div class="row-actions">${again}<a class="button small" href="${deliveries}">${messages.text('playground.deliveries')}</a>
<details class="popover end"><summary class="button small">${icon('kebab-horizontal')}<span class="unseen">${messages.text('playground.over')}</span></summary>${over}</details></div>
</section>`;
}

/** Renders the operations as folded groups. The group of the current one is open. */
export function operationMenu(forms: readonly OperationForm[], clientId: string, current?: string): Html {
  const groups = [...Map.groupBy(forms, ({ group }) => group)].map(([group, operations]) => {
    const links = operations.map(
      ({ id, method, path }) =>
        html`<li><a href="${playgroundPath(clientId, id)}"${id === current && html` aria-current="page"`}>${method} ${path}</a></li>
`,
    );
    const isOpen = operations.some(({ id }) => id === current);
    return html`<details${isOpen && html` open`}><summary>${icon('chevron-right')}${group}</summary><ul>${links}</ul></details>`;
  });
  return html`<nav class="operations" aria-label="${messages.text('playground.operations')}">${groups}</nav>`;
}

/** Renders links to the same page of the other applications, if there are any. */
export const applicationSwitch = (clients: readonly Client[], current: Client): Html =>
  html`<details class="popover end"><summary class="button small"><bdi>${current.name}</bdi>${icon('chevron-down')}</summary><div class="choices">${clients.map(
    ({ clientId, name }) =>
      html`<a href="${playgroundPath(clientId)}"${clientId === current.clientId && html` aria-current="true"`}><bdi>${name}</bdi></a>`,
  )}</div></details>`;
