/** The provider-selection page: what is linked, what can be, and the ways on and out (wire 4.1). */
import type { ProviderKind } from '../calendars/provider-kind.ts';
import { type Html, html } from '../http/html.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import type { AccountView } from './connect-flow.ts';
import {
  type Appearance,
  applicationName,
  cancelForm,
  layout,
  meeting,
  notice,
  ownFields,
} from './layout.page.ts';
import type { Messages } from './messages.ts';
import { PROVIDER_MARKS, PROVIDER_NAMES, SIGNS } from './provider-marks.ts';

export type ProviderSelection = {
  readonly request: AuthorizationRequest;
  readonly displayName: string | undefined;
  readonly accounts: readonly AccountView[];
  /** The providers this request offers, in order, and whether each is set up here. */
  readonly providers: readonly { readonly kind: ProviderKind; readonly available: boolean }[];
  /** What was just done on another page. */
  readonly happened: { readonly linked: ProviderKind } | 'disconnected' | undefined;
};

export function providerSelectionPage(selection: ProviderSelection, look: Appearance): Html {
  const { messages } = look;
  const { request, accounts } = selection;
  const app = applicationName(selection.displayName, messages);
  const title = messages.text('selection.title');
  const hasAccounts = accounts.length > 0;
  const content = html`${meeting(selection.displayName)}
<h1>${title}</h1>
<p class="lead">${messages.markup('selection.lead', { app })}</p>
${happenedNotice(selection.happened, messages)}
${hasAccounts && linkedAccounts(selection, messages)}
<h2 id="add">${messages.text(hasAccounts ? 'selection.add_more' : 'selection.add')}</h2>
<ul class="providers" aria-labelledby="add">
${selection.providers.map((provider) => providerButton(provider, request, messages))}
</ul>
<div class="actions">
${!hasAccounts && html`<p class="hint" id="continue-hint">${messages.text('selection.continue_hint')}</p>`}
${continueForm(request, hasAccounts, messages)}
${cancelForm(request, messages)}
</div>`;
  return layout(look, title, content);
}

function happenedNotice(happened: ProviderSelection['happened'], messages: Messages): Html | undefined {
  if (happened === undefined) return undefined;
  if (happened === 'disconnected') return notice('done', messages.markup('selection.just_disconnected'));
  const provider = PROVIDER_NAMES[happened.linked];
  return notice('done', messages.markup('selection.just_linked', { provider }));
}

function linkedAccounts({ accounts, request }: ProviderSelection, messages: Messages): Html {
  const items = accounts.map(
    (
      account,
    ) => html`<li><div class="account">${PROVIDER_MARKS[account.provider]}<div><strong><bdi>${account.name}</bdi></strong>
<span>${PROVIDER_NAMES[account.provider]}</span>
${account.needsReconnecting && html`<span class="warn">${messages.text('selection.reconnect')}</span>`}</div></div>
${account.own && disconnectForm(account, request, messages)}</li>`,
  );
  return html`<h2 id="linked">${messages.text('selection.linked')}</h2>
<ul class="accounts" aria-labelledby="linked">${items}</ul>`;
}

function disconnectForm(account: AccountView, request: AuthorizationRequest, messages: Messages): Html {
  const name = messages.text('selection.disconnect_account', { account: account.name });
  return html`<form method="post" action="/connect/disconnect">${ownFields(request)}
<input type="hidden" name="account" value="${account.accountKey}">
<button class="small" aria-label="${name}">${messages.text('selection.disconnect')}</button></form>`;
}

function providerButton(
  { kind, available }: ProviderSelection['providers'][number],
  { transactionId }: AuthorizationRequest,
  messages: Messages,
): Html {
  const label = messages.text('selection.connect', { provider: PROVIDER_NAMES[kind] });
  if (!available) {
    // The reason describes the button but is no part of its name, which is the same as when it is available.
    return html`<li><button type="button" disabled aria-describedby="${kind}-why">${PROVIDER_MARKS[kind]}
<span>${label}<small id="${kind}-why" aria-hidden="true">${messages.text('selection.unavailable')}</small></span></button></li>
`;
  }
  return html`<li><form method="get" action="/connect/${kind}"><input type="hidden" name="transaction" value="${transactionId}">
<button>${PROVIDER_MARKS[kind]}<span>${label}</span><span class="onward">${SIGNS.onward}</span></button></form></li>
`;
}

function continueForm(request: AuthorizationRequest, ready: boolean, messages: Messages): Html {
  const label = messages.text('selection.continue');
  const button = ready
    ? html`<button class="primary">${label}</button>`
    : html`<button disabled aria-describedby="continue-hint">${label}</button>`;
  return html`<form method="get" action="/connect/consent"><input type="hidden" name="transaction" value="${request.transactionId}">${button}</form>`;
}
