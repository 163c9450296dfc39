/** The questions before one account, or all of them, are disconnected. */
import { html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { AccountView } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { accountPath, pagePath, selectionPath } from '../flow/paths.ts';
import type { Appearance } from './appearance.ts';
import type { Consent } from './consent.page.ts';
import { layout } from './layout.page.ts';
import { accountNames, applicationHeader, applicationName, backLink, formFields } from './parts.page.ts';

export function disconnectPage(
  { request, account }: { readonly request: AuthorizationRequest; readonly account: AccountView },
  appearance: Appearance,
): Page {
  const { messages } = appearance;
  const title = messages.text('disconnect.one_title');
  const app = applicationName(appearance.displayName, messages);
  const content = html`${backLink(selectionPath(request), messages)}
${applicationHeader(request, appearance)}
<h1>${title}</h1>
<p class="lead">${messages.markup('disconnect.one_lead', { app })}</p>
${accountNames([account], { messages })}
<div class="actions">
<form method="post" action="/connect/disconnect">${formFields(request)}<input type="hidden" name="account" value="${account.accountKey}"><button class="destructive">${messages.text('selection.disconnect')}</button></form>
<a class="button" href="${selectionPath(request)}">${messages.text('disconnect.keep_one')}</a>
</div>`;
  const path = accountPath('disconnect', request, account.accountKey);
  return layout({ title, content, settings: { request, path } }, appearance);
}

/** Renders the question about all accounts of the transaction. If their owner was not proved, they stay. */
export function disconnectAllPage({ request, accounts }: Consent, appearance: Appearance): Page {
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
${accountNames(going, { messages, labelledBy: 'going' })}
${others > 0 && html`<p class="hint">${messages.text('disconnect.others', { count: others })}</p>`}
<div class="actions">
<form method="post" action="/connect/disconnect-all">${formFields(request)}<button class="destructive">${messages.text('disconnect.confirm')}</button></form>
<a class="button" href="${selectionPath(request)}">${messages.text('disconnect.keep')}</a>
</div>`;
  const path = pagePath('disconnect_all', request);
  return layout({ title, content, settings: { request, path } }, appearance);
}
