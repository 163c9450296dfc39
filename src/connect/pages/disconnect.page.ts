/** The question before one account is disconnected. */
import { html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { AccountView } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { accountPath, selectionPath } from '../flow/paths.ts';
import type { Appearance } from './appearance.ts';
import { layout } from './layout.page.ts';
import { accountNames, applicationHeader, applicationName, backLink, formFields } from './parts.page.ts';

export type Disconnect = { readonly request: AuthorizationRequest; readonly account: AccountView };

export function disconnectPage({ request, account }: Disconnect, appearance: Appearance): Page {
  const { messages } = appearance;
  const title = messages.text('disconnect.one_title');
  const app = applicationName(appearance.displayName, messages);
  const content = html`${backLink(selectionPath(request), messages)}
${applicationHeader(request, appearance)}
<h1>${title}</h1>
<p class="lead">${messages.markup('disconnect.one_lead', { app })}</p>
${accountNames([account])}
<div class="actions">
<form method="post" action="/connect/disconnect">${formFields(request)}<input type="hidden" name="account" value="${account.accountKey}"><button class="destructive">${messages.text('selection.disconnect')}</button></form>
<a class="button" href="${selectionPath(request)}">${messages.text('disconnect.keep_one')}</a>
</div>`;
  const path = accountPath('disconnect', request, account.accountKey);
  return layout({ title, content, settings: { request, path } }, appearance);
}
