/** The question before all accounts are disconnected: which they are, and what happens to them. */
import { html } from '../../http/html.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import type { AccountView } from '../flow/connect-flow.ts';
import { selectionPath } from '../flow/paths.ts';
import type { Appearance } from './appearance.ts';
import { accountNames, applicationName, backLink, layout, meeting, type Page } from './layout.page.ts';
import { ownFields } from './own-fields.page.ts';

export type DisconnectAll = {
  readonly request: AuthorizationRequest;
  /** All of the user's; those of other browsers stay. */
  readonly accounts: readonly AccountView[];
};

/** The page, which confirms or leads back. */
export function disconnectAllPage({ request, accounts }: DisconnectAll, look: Appearance): Page {
  const { messages } = look;
  const title = messages.text('disconnect.title');
  const own = accounts.filter((account) => account.own);
  const others = accounts.length - own.length;
  const app = applicationName(look.displayName, messages);
  const content = html`${backLink(selectionPath(request), messages)}
${meeting(look)}
<h1>${title}</h1>
<p class="lead">${messages.markup('disconnect.lead', { app })}</p>
<h2 id="going">${messages.text('disconnect.accounts', { count: own.length })}</h2>
${accountNames(own, 'going')}
${others > 0 && html`<p class="hint">${messages.text('disconnect.others', { count: others })}</p>`}
<div class="actions">
<form method="post" action="/connect/disconnect-all">${ownFields(request)}<button class="destructive">${messages.text('disconnect.confirm')}</button></form>
<a class="button" href="${selectionPath(request)}">${messages.text('disconnect.keep')}</a>
</div>`;
  return layout(look, title, content, { settings: { request, page: 'disconnect_all' } });
}
