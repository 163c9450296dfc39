/** The test user of an application: the first connection, its accounts, and the operations to call. */
import type { Account } from '../../calendars/account-store.ts';
import { chip, notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import { SCOPES } from '../../oauth/scope.ts';
import type { OperationForm } from '../../playground/operation-forms.ts';
import type { TestUser } from '../../playground/test-user-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { applicationPath } from './applications.page.ts';
import { accountKind } from './health.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { field, instant, table, top, withCode } from './parts.page.ts';
import { PLAYGROUND, playgroundPath } from './playground.page.ts';
import { type UserLinkDeps, userLink } from './user-links.ts';

export type TestUserParts = UserLinkDeps & {
  readonly client: Client;
  readonly user: TestUser | undefined;
  readonly accounts: readonly Account[];
  /** Whether users can connect any provider. */
  readonly hasProvider: boolean;
  readonly forms: readonly OperationForm[];
  /** The last action, from the query. */
  readonly done: string;
  /** A name that was typed and is not allowed. */
  readonly wrong: { readonly typed: string } | undefined;
};

export function testUserPage(parts: TestUserParts, viewer: Viewer): Html {
  const { client, user, hasProvider, forms, done } = parts;
  const { clientId, name } = client;
  const back = html`<a href="${PLAYGROUND}">${messages.text('playground.title')}</a> / <a href="${applicationPath(clientId)}"><bdi>${name}</bdi></a>`;
  return html`${top(html`<bdi>${name}</bdi>`, back)}
${renderNotice(done)}
${user?.isConnected ? connected({ ...parts, user }, viewer) : hasProvider ? unconnected(parts, viewer) : noProvider(clientId)}
<h2>${messages.text('playground.operations')}</h2>
${operations(forms, clientId)}`;
}

function renderNotice(done: string): Html | undefined {
  switch (done) {
    case 'connected':
      return notice('done', html`${messages.text('playground.done.connected')}`, true);
    case 'denied':
      return notice('note', html`${messages.text('playground.done.denied')}`, true);
    case 'over':
      return notice('done', html`${messages.text('playground.done.over')}`, true);
    default:
      return undefined;
  }
}

const noProvider = (clientId: string): Html =>
  html`<div class="empty"><strong>${messages.text('playground.no_provider')}</strong>
<p>${messages.text('playground.no_provider.text')}</p>
<div class="buttons"><a class="button" href="${applicationPath(clientId)}/security">${messages.text('application.tab.security')}</a></div></div>`;

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
      html`<label class="pick"><input type="radio" name="scope" value="${scope}"${index === 0 && html` checked`}><span>${messages.text(`playground.scope.${scope}`)}<small class="code">${scope}</small></span></label>`,
  )}</fieldset>`;

const connectForm = (viewer: Viewer, clientId: string, content: Html): Html =>
  postForm(viewer, playgroundPath(clientId), html`<div data-popup>${content}</div>`);

type ConnectedParts = TestUserParts & { readonly user: TestUser };

function connected(parts: ConnectedParts, viewer: Viewer): Html {
  const { client, user, accounts, userReferenceKey } = parts;
  const { clientId } = client;
  const list = accounts.map(
    (account) => html`<li>${accountKind(account)} <bdi>${account.display}</bdi></li>`,
  );
  const deliveries = `/dashboard/deliveries?${new URLSearchParams({ client: clientId, user: user.userId })}`;
  const testUser = { clientId, userId: user.userId };
  const userPage = userLink('user', testUser, { reader: viewer.person, userReferenceKey });
  const links = html`<a class="button" href="${userPage}">${messages.text('playground.user.page')}</a><a class="button" href="${deliveries}">${messages.text('playground.deliveries')}</a>`;
  const again = connectForm(
    viewer,
    clientId,
    html`<button>${messages.text('playground.connect.more')}</button>`,
  );
  const over = postForm(
    viewer,
    playgroundPath(clientId, 'start-over'),
    html`<button class="destructive">${messages.text('playground.over.do')}</button>`,
  );
  return html`<section class="panel"><h2>${messages.text('playground.user')} ${chip(messages.text('playground.connected'))}</h2>
<dl class="facts"><dt>${messages.text('playground.user.id')}</dt><dd class="code">${user.userId}</dd>
<dt>${messages.text('playground.accounts')}</dt><dd>${list.length === 0 ? messages.text('playground.accounts.none') : html`<ul>${list}</ul>`}</dd>
<dt>${messages.text('playground.ends')}</dt><dd>${instant(user.endsAt)}</dd></dl>
<div class="buttons">${links}${again}</div></section>
<section class="panel"><h2>${messages.text('playground.over')}</h2><p class="lead">${messages.text('playground.over.text')}</p>
<div class="buttons">${over}</div></section>`;
}

function operations(forms: readonly OperationForm[], clientId: string): Html {
  const groups = [...Map.groupBy(forms, ({ group }) => group)].map(([group, ofIt]) => {
    const rows = ofIt.map(({ id, method, path, summary, caller }) => [
      html`<a href="${playgroundPath(clientId, id)}"><span class="code">${method} ${path}</span></a>`,
      withCode(summary),
      html`${messages.text(`playground.caller.${caller}`)}`,
    ]);
    const heads = (['playground.operation', 'playground.does', 'playground.caller'] as const).map((one) =>
      messages.text(one),
    );
    return html`<h3>${group}</h3>${table({ name: group, heads, rows })}`;
  });
  return html`<div class="operations">${groups}</div>`;
}
