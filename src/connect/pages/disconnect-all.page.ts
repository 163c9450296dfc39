/** The question before all accounts are disconnected. */
import { html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { AccountView } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { pagePath, selectionPath } from '../flow/paths.ts';
import type { Appearance } from './appearance.ts';
import { layout } from './layout.page.ts';
import { accountNames, applicationHeader, applicationName, backLink, formFields } from './parts.page.ts';

export type DisconnectAll = {
  readonly request: AuthorizationRequest;
  /** The accounts of the transaction. If their owner was not proved, they stay. */
  readonly accounts: readonly AccountView[];
};

export function disconnectAllPage({ request, accounts }: DisconnectAll, appearance: Appearance): Page {
  const { messages } = appearance;
  const title = messages.text('disconnect.title');
  const going = accounts.filter(({ isManageable }) => isManageable);
  const others = accounts.length - going.length;
  const app = applicationName(appearance.displayName, messages);
  const content = html`${backLink(selectionPath(request), messages)}
${applicationHeader(request, appearance)}
<h1>${title}</h1>
<p class="lead">${messages.markup('disconnect.lead', { app })}</p>
<h2 id="going">${messages.text('disconnect.accounts', { count: going.length })}</h2>
${accountNames(going, { labelledBy: 'going' })}
${others > 0 && html`<p class="hint">${messages.text('disconnect.others', { count: others })}</p>`}
<div class="actions">
<form method="post" action="/connect/disconnect-all">${formFields(request)}<button class="destructive">${messages.text('disconnect.confirm')}</button></form>
<a class="button" href="${selectionPath(request)}">${messages.text('disconnect.keep')}</a>
</div>`;
  const path = pagePath('disconnect_all', request);
  return layout({ title, content, settings: { request, path } }, appearance);
}
