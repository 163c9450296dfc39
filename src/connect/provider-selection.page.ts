/** The provider-selection page: what is linked, what can be, and the ways on and out (wire 4.1). */
import type { ProviderKind } from '../calendars/provider-kind.ts';
import { type Html, html } from '../http/html.ts';
import { type AccountTrouble, isMendable } from './account-trouble.ts';
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
import type { MessageKey, Messages } from './messages.ts';
import { PROVIDER_MARKS, PROVIDER_NAMES, SIGNS } from './provider-marks.ts';

export type ProviderSelection = {
  readonly request: AuthorizationRequest;
  readonly displayName: string | undefined;
  readonly accounts: readonly AccountView[];
  /** The providers this request offers, in order, and whether each is set up here. */
  readonly providers: readonly { readonly kind: ProviderKind; readonly available: boolean }[];
  /** What was just done on another page. */
  readonly happened: Happening | undefined;
};

export type Happening =
  | { readonly what: 'disconnected' }
  | { readonly what: 'linked' | 'cancelled' | 'unpermitted' | 'other'; readonly provider: ProviderKind };

const HAPPENED: Readonly<Record<Happening['what'], readonly ['done' | 'trouble', MessageKey]>> = {
  disconnected: ['done', 'selection.just_disconnected'],
  linked: ['done', 'selection.just_linked'],
  other: ['done', 'selection.just_other'],
  cancelled: ['trouble', 'selection.just_cancelled'],
  unpermitted: ['trouble', 'selection.just_unpermitted'],
};

const TROUBLES: Readonly<Record<AccountTrouble, MessageKey>> = {
  reconnect: 'selection.reconnect',
  calendars_not_allowed: 'selection.calendars_not_allowed',
  more_needed: 'selection.more_needed',
  administrator: 'selection.administrator',
  operator: 'selection.operator',
  passing: 'selection.passing',
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
<ul class="providers${hasAccounts && ' more'}" aria-labelledby="add">
${selection.providers.map((provider) => providerButton(provider, request, messages))}
</ul>
<div class="actions">
${!hasAccounts && html`<p class="hint" id="continue-hint">${messages.text('selection.continue_hint')}</p>`}
${continueForm(request, hasAccounts, messages)}
${cancelForm(request, messages)}
</div>`;
  return layout(look, title, content);
}

function happenedNotice(happened: Happening | undefined, messages: Messages): Html | undefined {
  if (happened === undefined) return undefined;
  const [kind, message] = HAPPENED[happened.what];
  const values = happened.what === 'disconnected' ? {} : { provider: PROVIDER_NAMES[happened.provider] };
  return notice(kind, messages.markup(message, values));
}

function linkedAccounts({ accounts, providers, request }: ProviderSelection, messages: Messages): Html {
  const items = accounts.map((account) => {
    const { provider, name, own, trouble } = account;
    const offered = providers.some(({ kind, available }) => kind === provider && available);
    return html`<li><div class="account">${PROVIDER_MARKS[provider]}<div><strong><bdi>${name}</bdi></strong>
<span>${PROVIDER_NAMES[provider]}</span>
${trouble && html`<span class="warn">${messages.text(TROUBLES[trouble])}</span>`}</div></div>
${
  own &&
  html`<div class="account-actions">${offered && isMendable(trouble) && mendForm(account, request, messages)}
${disconnectForm(account, request, messages)}</div>`
}</li>`;
  });
  return html`<h2 id="linked">${messages.text('selection.linked')}</h2>
<ul class="accounts" aria-labelledby="linked">${items}</ul>`;
}

/** The way to sign in again, which keeps the account's id. */
function mendForm(account: AccountView, { transactionId }: AuthorizationRequest, messages: Messages): Html {
  const more = account.trouble === 'more_needed';
  const label = messages.text(more ? 'selection.update' : 'selection.mend');
  const values = { account: account.name };
  const name = messages.text(more ? 'selection.update_account' : 'selection.mend_account', values);
  return html`<form method="get" action="/connect/${account.provider}"><input type="hidden" name="transaction" value="${transactionId}"><input type="hidden" name="account" value="${account.accountKey}">
<button class="small mend" aria-label="${name}">${label}</button></form>`;
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
