/** The provider-selection page: what is linked, what can be, and the ways on and out (docs/wire.md 4.1). */

import { canBeSolvedBySigningIn } from '../../calendars/account-problem.ts';
import type { AccountLoading } from '../../calendars/account-store.ts';
import type { ProviderKind } from '../../calendars/provider-kind.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { Scope } from '../../oauth/scope.ts';
import { accountState } from '../accounts/account-state.ts';
import type { AccountView } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { pagePath } from '../flow/paths.ts';
import type { MessageKey, Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { layout } from './layout.page.ts';
import {
  applicationHeader,
  applicationName,
  cancelForm,
  formFields,
  notice,
  returnLabel,
  transactionField,
  verificationNotice,
  withBreakPoints,
} from './parts.page.ts';
import { PROVIDER_MARKS, PROVIDER_NAMES, SIGNS } from './provider-marks.ts';

export type ProviderSelection = {
  readonly request: AuthorizationRequest;
  readonly accounts: readonly AccountView[];
  /** By account key. */
  readonly loading: ReadonlyMap<string, AccountLoading>;
  /** Whether the user came with accounts: then this page manages them. */
  readonly isManaging: boolean;
  /** The providers this request offers, in order, and whether each is set up here. */
  readonly providers: readonly OfferedProvider[];
  /** What was just done on another page. */
  readonly happened: Happening | undefined;
};

export type OfferedProvider = { readonly kind: ProviderKind; readonly available: boolean };

export type Happening =
  | { readonly what: 'disconnected' | 'disconnected_all' }
  | { readonly what: 'linked' | 'cancelled' | 'unpermitted' | 'other'; readonly provider: ProviderKind };

const HAPPENED: Readonly<Record<Happening['what'], readonly ['done' | 'trouble', MessageKey]>> = {
  disconnected: ['done', 'selection.just_disconnected'],
  disconnected_all: ['done', 'selection.just_disconnected_all'],
  linked: ['done', 'selection.just_linked'],
  other: ['done', 'selection.just_other'],
  cancelled: ['trouble', 'selection.just_cancelled'],
  unpermitted: ['trouble', 'selection.just_unpermitted'],
};

const LEADS: Readonly<Record<Scope, MessageKey>> = {
  'free-busy': 'selection.lead.free_busy',
  read: 'selection.lead.read',
  'read-write': 'selection.lead.read_write',
};

const KINDS: Readonly<Record<ProviderKind, MessageKey>> = {
  google: 'selection.kind.google',
  microsoft: 'selection.kind.microsoft',
  apple: 'selection.kind.apple',
  caldav: 'selection.kind.caldav',
};

/** The page, for who connects a first account and for who manages those there are. */
export function providerSelectionPage(selection: ProviderSelection, appearance: Appearance): Page {
  const { messages } = appearance;
  const { request, accounts, isManaging } = selection;
  const hasAccounts = accounts.length > 0;
  const title = messages.text(isManaging ? 'selection.manage_title' : 'selection.title');
  const app = applicationName(appearance.displayName, messages);
  const lead = isManaging
    ? html`${messages.text('selection.manage_lead')}`
    : messages.markup(LEADS[request.scope], { app });
  const content = html`${isManaging && returnForm(request, appearance)}
${applicationHeader(appearance)}
<h1>${title}</h1>
<p class="lead">${lead}</p>
${happenedNotice(selection.happened, messages)}
${verificationNotice(appearance)}
${hasAccounts && linkedAccounts(selection, messages)}
<h2 id="add">${messages.text(hasAccounts ? 'selection.add_more' : 'selection.add')}</h2>
<ul class="providers${hasAccounts && ' more'}" aria-labelledby="add">
${selection.providers.map((provider) => providerItem(provider, selection, messages))}
</ul>
<div class="actions">
${!hasAccounts && html`<p class="hint" id="continue-hint">${messages.text('selection.continue_hint')}</p>`}
${continueForm(request, hasAccounts, messages)}
${cancelForm(request, messages)}
</div>`;
  const connects = isAnyLoading(selection, messages);
  return layout({ title, content, settings: { request, page: 'selection' }, connects }, appearance);
}

/** The way back for whoever came to see or change their accounts: the application is told what Cancel tells it. */
function returnForm(request: AuthorizationRequest, appearance: Appearance): Html {
  return html`<form method="post" action="/connect/cancel">${formFields(request)}<button class="back">${SIGNS.back}${returnLabel(appearance)}</button></form>`;
}

/** It has the focus: the page may be called as the one before, so this is what is to be heard first. */
function happenedNotice(happened: Happening | undefined, messages: Messages): Html | undefined {
  if (happened === undefined) return undefined;
  const [kind, message] = HAPPENED[happened.what];
  const values = 'provider' in happened ? { provider: PROVIDER_NAMES[happened.provider] } : {};
  return notice(kind, messages.markup(message, values), true);
}

const isAnyLoading = ({ accounts, loading }: ProviderSelection, messages: Messages): boolean =>
  accounts.some((account) => {
    return accountState(account, loading.get(account.accountKey), messages).kind === 'loading';
  });

function linkedAccounts(selection: ProviderSelection, messages: Messages): Html {
  const { accounts, request } = selection;
  const isLoading = isAnyLoading(selection, messages);
  const canLeaveAll = accounts.filter(({ isLinkedHere }) => isLinkedHere).length > 1;
  return html`<div class="heading"><h2 id="linked">${messages.text('selection.linked')}</h2>
${canLeaveAll && html`<a class="minor" href="${pagePath('disconnect_all', request)}">${messages.text('selection.disconnect_all')}</a>`}</div>
<ul class="accounts" aria-labelledby="linked"${isLoading && html` data-progress="/connect/progress?transaction=${request.transactionId}"`}>
${accounts.map((account) => accountItem(account, selection, messages))}</ul>
${isLoading && html`<p class="hint" id="loading">${messages.text('selection.loading_hint')}</p>`}`;
}

function accountItem(
  account: AccountView,
  { loading, providers, request }: ProviderSelection,
  messages: Messages,
): Html {
  const { provider, name, isLinkedHere, problem, accountKey } = account;
  const offered = providers.some(({ kind, available }) => kind === provider && available);
  const { kind, text } = accountState(account, loading.get(accountKey), messages);
  return html`<li><div class="account">${PROVIDER_MARKS[provider]}<div><strong><bdi>${withBreakPoints(name)}</bdi></strong>
<p class="about"><span>${PROVIDER_NAMES[provider]}</span> <span class="state ${kind}" id="state-${accountKey}">${text}</span></p></div></div>
${
  isLinkedHere &&
  html`<div class="account-actions">${offered && canBeSolvedBySigningIn(problem) && signInAgainForm(account, request, messages)}
${disconnectForm(account, request, messages)}</div>`
}</li>
`;
}

/** The way to sign in again, which keeps the account's id. */
function signInAgainForm(account: AccountView, request: AuthorizationRequest, messages: Messages): Html {
  const more = account.problem === 'more_needed';
  const label = messages.text(more ? 'selection.update' : 'selection.mend');
  const values = { account: account.name };
  const name = messages.text(more ? 'selection.update_account' : 'selection.mend_account', values);
  return html`<form method="get" action="/connect/${account.provider}">${transactionField(request)}<input type="hidden" name="account" value="${account.accountKey}">
<button class="small mend" aria-label="${name}">${label}</button></form>`;
}

function disconnectForm(account: AccountView, request: AuthorizationRequest, messages: Messages): Html {
  const name = messages.text('selection.disconnect_account', { account: account.name });
  return html`<form method="post" action="/connect/disconnect">${formFields(request)}
<input type="hidden" name="account" value="${account.accountKey}">
<button class="small disconnect" aria-label="${name}">${messages.text('selection.disconnect')}</button></form>`;
}

function providerItem(
  { kind, available }: OfferedProvider,
  selection: ProviderSelection,
  messages: Messages,
): Html {
  const label = messages.text('selection.connect', { provider: PROVIDER_NAMES[kind] });
  // What is said of it describes the button but is no part of its name, which is the same in every state.
  const about = html`<small id="${kind}-about" aria-hidden="true">${providerState({ kind, available }, selection, messages)}</small>`;
  const inside = html`${PROVIDER_MARKS[kind]}<span>${label}${about}</span>`;
  if (!available) {
    return html`<li><button type="button" disabled aria-describedby="${kind}-about">${inside}</button></li>
`;
  }
  return html`<li><form method="get" action="/connect/${kind}">${transactionField(selection.request)}
<button aria-describedby="${kind}-about">${inside}<span class="onward">${SIGNS.onward}</span></button></form></li>
`;
}

/** Why it cannot be used, how its accounts stand, or what it is. */
function providerState(
  { kind, available }: OfferedProvider,
  { accounts }: ProviderSelection,
  messages: Messages,
): Html {
  if (!available) return html`${messages.text('selection.unavailable')}`;
  const linked = accounts.filter(({ provider }) => provider === kind);
  if (linked.some(({ isLinkedHere, problem }) => isLinkedHere && problem === 'reconnect')) {
    return html`<span class="state trouble">${messages.text('selection.reconnect')}</span>`;
  }
  if (linked.length === 0) return html`<span class="about-kind">${messages.text(KINDS[kind])}</span>`;
  return html`<span class="state loaded">${messages.text('selection.provider_linked', { count: linked.length })}</span>`;
}

function continueForm(request: AuthorizationRequest, ready: boolean, messages: Messages): Html {
  const label = messages.text('selection.continue');
  const button = ready
    ? html`<button class="primary">${label}</button>`
    : html`<button disabled aria-describedby="continue-hint">${label}</button>`;
  return html`<form method="get" action="/connect/consent">${transactionField(request)}${button}</form>`;
}
