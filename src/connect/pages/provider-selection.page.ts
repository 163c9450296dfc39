/** The provider-selection page (docs/wire.md 4.1). With one account it is also the consent page. */

import { canBeSolvedBySigningIn } from '../../calendars/account-problem.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import {
  chip,
  ICONS,
  type NoticeKind,
  notice,
  PROVIDER_MARKS,
  PROVIDER_NAMES,
  withBreakPoints,
} from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { type Scope, scopeCovers } from '../../oauth/scope.ts';
import type { AccountView, UserAccounts } from '../accounts/account-views.ts';
import { accountState, readyCalendars } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { accountPath, pagePath, selectionPath } from '../flow/paths.ts';
import type { MessageKey, Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { abilities, consentActions, consentTerms, isNewAccount } from './consent.page.ts';
import { layout } from './layout.page.ts';
import {
  applicationHeader,
  applicationName,
  cancelForm,
  formFields,
  transactionField,
  verificationNotice,
} from './parts.page.ts';

export type ProviderSelection = Omit<UserAccounts, 'isUnredeemed'> & {
  readonly request: AuthorizationRequest;
  /** Whether the user came with accounts, so that the page manages them. */
  readonly isManaging: boolean;
  readonly providers: readonly OfferedProvider[];
  readonly happened: Happening | undefined;
};

export type OfferedProvider = { readonly kind: ProviderKind; readonly available: boolean };

/** The action that was just done, with its provider if the text needs it. */
export type Happening =
  | {
      readonly what:
        | ('disconnected' | 'disconnected_all' | 'removed' | 'confirmed' | 'chosen')
        | ('not_this' | 'not_finished');
      readonly provider?: ProviderKind | undefined;
    }
  | { readonly what: 'linked' | 'cancelled' | 'unpermitted' | 'other'; readonly provider: ProviderKind };

const HAPPENED: Readonly<Record<Happening['what'], readonly [NoticeKind, MessageKey]>> = {
  disconnected: ['done', 'selection.just_disconnected'],
  disconnected_all: ['done', 'selection.just_disconnected_all'],
  removed: ['done', 'selection.just_removed'],
  chosen: ['done', 'selection.just_chosen'],
  linked: ['done', 'selection.just_linked'],
  other: ['done', 'selection.just_other'],
  confirmed: ['done', 'selection.just_confirmed'],
  cancelled: ['note', 'selection.just_cancelled'],
  not_finished: ['note', 'selection.just_not_finished'],
  unpermitted: ['trouble', 'selection.just_unpermitted'],
  not_this: ['trouble', 'selection.just_not_this'],
};

const LEADS: Readonly<Record<Scope, MessageKey>> = {
  'free-busy': 'selection.lead.free_busy',
  read: 'selection.lead.read',
  'read-write': 'selection.lead.read_write',
};

export function providerSelectionPage(selection: ProviderSelection, appearance: Appearance): Page {
  const { messages } = appearance;
  const { request, accounts, others, ending } = selection;
  const title = messages.text(chooseTitleKey(selection));
  const content = html`${applicationHeader(request, appearance)}
<h1>${title}</h1>
${ending !== 'allow' && html`<p class="lead">${lead(selection, appearance)}</p>`}
${happenedNotice(selection.happened, messages)}
${verificationNotice(appearance)}
${ending === 'allow' && abilities({ request, accounts }, appearance)}
${accounts.length > 0 && linkedAccounts(selection, messages)}
${ending === 'allow' && consentTerms({ request, accounts }, appearance)}
${others.length > 0 && otherAccounts(selection, messages)}
${providerChoices(selection, messages)}
${actions(selection, messages)}`;
  const settings = { request, path: selectionPath(request) };
  return layout({ title, content, settings, connects: isAnyLoading(selection, messages) }, appearance);
}

function chooseTitleKey({ ending, isManaging }: ProviderSelection): MessageKey {
  if (ending === 'allow') return 'consent.title';
  return isManaging ? 'selection.manage_title' : 'selection.title';
}

function lead(selection: ProviderSelection, { messages, displayName, serviceName }: Appearance): Html {
  const { request, accounts, ending, isManaging } = selection;
  if (ending === 'done' && accounts.length === 0) return html`${messages.text('selection.none_left')}`;
  if (isManaging) return html`${messages.text('selection.manage_lead')}`;
  const app = applicationName(displayName, messages);
  return messages.markup(LEADS[request.scope], { app, service: serviceName });
}

/** Focused, so that screen readers read it first: the title may be the same as before. */
function happenedNotice(happened: Happening | undefined, messages: Messages): Html | undefined {
  if (happened === undefined) return undefined;
  const [kind, message] = HAPPENED[happened.what];
  const values = happened.provider === undefined ? {} : { provider: PROVIDER_NAMES[happened.provider] };
  return notice(kind, messages.markup(message, values), true);
}

/** Renders the buttons that leave the page. Programs find them by their labels. */
function actions({ request, ending, others }: ProviderSelection, messages: Messages): Html {
  switch (ending) {
    case 'allow':
      return consentActions(request, messages);
    case 'done':
      return html`<div class="actions">
<form method="post" action="/connect/approve">${formFields(request)}<button class="primary">${messages.text('selection.done')}</button></form>
</div>`;
    case 'continue':
    case 'continue_off': {
      const isOff = ending === 'continue_off';
      const hint = others.length > 0 ? 'selection.continue_hint_confirm' : 'selection.continue_hint';
      return html`${isOff && html`<p class="hint before-actions" id="continue-hint">${messages.text(hint)}</p>`}
<div class="actions">
${continueForm(request, isOff, messages)}
${cancelForm(request, messages)}
</div>`;
    }
    default:
      return ending satisfies never;
  }
}

function continueForm(request: AuthorizationRequest, isOff: boolean, messages: Messages): Html {
  const label = messages.text('selection.continue');
  const button = isOff
    ? html`<button disabled aria-describedby="continue-hint">${label}</button>`
    : html`<button class="primary">${label}</button>`;
  return html`<form method="get" action="/connect/consent">${transactionField(request)}${button}</form>`;
}

const isAnyLoading = ({ accounts, loading }: ProviderSelection, messages: Messages): boolean =>
  accounts.some(
    (account) => accountState(account, loading.get(account.accountKey), messages).kind === 'loading',
  );

function linkedAccounts(selection: ProviderSelection, messages: Messages): Html {
  const { accounts, request, ending } = selection;
  const isLoading = isAnyLoading(selection, messages);
  const canLeaveAll = accounts.filter(isDisconnectable).length > 1;
  // On the consent page the heading is obvious, so only screen readers get it.
  const heading =
    ending === 'allow'
      ? html`<h2 id="linked" class="unseen">${messages.text('consent.accounts', { count: accounts.length })}</h2>`
      : html`<h2 id="linked">${messages.text('selection.linked')}</h2>`;
  return html`<div class="heading">${heading}
${canLeaveAll && html`<a class="minor" href="${pagePath('disconnect_all', request)}">${messages.text('selection.disconnect_all')}</a>`}</div>
<ul class="accounts" aria-labelledby="linked"${isLoading && html` data-progress="/connect/progress?transaction=${request.transactionId}"`}>
${accounts.map((account) => accountItem(account, selection, messages))}</ul>
${loadingHint(selection, messages)}`;
}

/** Renders a hint that waiting is not necessary or, after loading, the number of calendars. */
function loadingHint(selection: ProviderSelection, messages: Messages): Html | undefined {
  const { accounts, loading } = selection;
  if (isAnyLoading(selection, messages))
    return html`<p class="hint" id="loading">${messages.text('selection.loading_hint')}</p>`;
  const count = readyCalendars(accounts, loading);
  const hasNew = accounts.some(({ isUnfinished }) => isUnfinished);
  return hasNew && count > 0
    ? html`<p class="hint" id="loading">${messages.text('selection.ready', { count })}</p>`
    : undefined;
}

const isDisconnectable = ({ isManageable, isUnfinished }: AccountView): boolean =>
  isManageable && !isUnfinished;

function accountItem(account: AccountView, selection: ProviderSelection, messages: Messages): Html {
  const { accounts, loading } = selection;
  const { isManageable, accountKey } = account;
  const state = accountState(account, loading.get(accountKey), messages);
  const isNewBesideOld = isNewAccount(account) && !accounts.every(isNewAccount);
  const about = html`<span class="state ${state.kind}" id="state-${accountKey}">${state.text}</span>`;
  return html`<li>${accountHead(account, html`${isNewBesideOld && chip(messages.text('selection.new'))} ${about}`)}
${isManageable && html`<div class="account-actions">${accountActions(account, selection, messages)}</div>`}</li>
`;
}

const accountHead = ({ provider, name }: AccountView, about?: Html): Html =>
  html`<div class="account">${PROVIDER_MARKS[provider]}<div><strong><bdi>${withBreakPoints(name)}</bdi></strong>
<p class="about"><span>${PROVIDER_NAMES[provider]}</span> ${about}</p></div></div>`;

function accountActions(account: AccountView, selection: ProviderSelection, messages: Messages): Html {
  const { request, loading } = selection;
  const { accountKey, name, problem, provider, isProved, isUnfinished, givenScope } = account;
  const canSignIn = isOffered(provider, selection) && canBeSolvedBySigningIn(problem);
  // An account that was not proved here keeps its narrower access.
  const isNarrower = !isProved && givenScope !== undefined && !scopeCovers(givenScope, request.scope);
  const isListed = isProved && (loading.get(accountKey)?.isListed ?? false);
  const choose = { href: accountPath('calendars', request, accountKey), deed: 'choose' } as const;
  return html`${canSignIn && signInAgainForm(account, request, messages)}
${isNarrower && isOffered(provider, selection) && confirmForm(account, request, messages)}
${isListed && html`<a class="small link" href="${choose.href}" aria-label="${messages.text('selection.choose_account', { account: name })}">${messages.text('selection.choose')}</a>`}
${isUnfinished ? removeForm(account, request, messages) : disconnectForm(account, request, messages)}`;
}

const isOffered = (provider: AccountView['provider'], { providers }: ProviderSelection): boolean =>
  providers.some(({ kind, available }) => kind === provider && available);

const accountField = ({ accountKey }: AccountView): Html =>
  html`<input type="hidden" name="account" value="${accountKey}">`;

/** The label of each account button, and its accessible name with the account. */
const BUTTONS = {
  update: ['selection.update', 'selection.update_account'],
  mend: ['selection.mend', 'selection.mend_account'],
  disconnect: ['selection.disconnect', 'selection.disconnect_account'],
  remove: ['selection.remove', 'selection.remove_account'],
  confirm: ['selection.confirm', 'selection.confirm_account'],
} as const satisfies Record<string, readonly [MessageKey, MessageKey]>;

function accountButton(deed: keyof typeof BUTTONS, { name }: AccountView, messages: Messages): Html {
  const [label, labelWithName] = BUTTONS[deed];
  const rank = deed === 'disconnect' || deed === 'remove' ? 'disconnect' : 'mend';
  return html`<button class="small ${rank}" aria-label="${messages.text(labelWithName, { account: name })}">${messages.text(label)}</button>`;
}

/** Renders the sign-in to the same account, which keeps the account's id. */
function signInAgainForm(account: AccountView, request: AuthorizationRequest, messages: Messages): Html {
  const action = account.problem === 'more_needed' ? 'update' : 'mend';
  return html`<form method="get" action="/connect/${account.provider}">${transactionField(request)}${accountField(account)}
${accountButton(action, account, messages)}</form>`;
}

/** Leads to a question first. */
function disconnectForm(account: AccountView, request: AuthorizationRequest, messages: Messages): Html {
  return html`<form method="get" action="/connect/disconnect">${transactionField(request)}${accountField(account)}
${accountButton('disconnect', account, messages)}</form>`;
}

/** Removes without a question: nobody uses the account yet, and it can be linked again. */
function removeForm(account: AccountView, request: AuthorizationRequest, messages: Messages): Html {
  return html`<form method="post" action="/connect/remove">${formFields(request)}${accountField(account)}
${accountButton('remove', account, messages)}</form>`;
}

/** Renders the user's other accounts. Each can be confirmed if its provider is offered. */
function otherAccounts(selection: ProviderSelection, messages: Messages): Html {
  const items = selection.others.map((account) => {
    const isConfirmable = isOffered(account.provider, selection);
    const { request } = selection;
    // A pushed request vouches for the user, who may therefore disconnect unused accounts.
    const actions = html`${isConfirmable && confirmForm(account, request, messages)}
${account.isManageable && disconnectForm(account, request, messages)}`;
    return html`<li>${accountHead(account)}
${(isConfirmable || account.isManageable) && html`<div class="account-actions">${actions}</div>`}</li>
`;
  });
  return html`<h2 id="also">${messages.text('selection.also')}</h2>
<p class="hint about-others">${messages.text('selection.also_about')}</p>
<ul class="accounts" aria-labelledby="also">
${items}</ul>`;
}

function confirmForm(account: AccountView, request: AuthorizationRequest, messages: Messages): Html {
  return html`<form method="get" action="/connect/${account.provider}">${transactionField(request)}<input type="hidden" name="confirm" value="${account.accountKey}">
${accountButton('confirm', account, messages)}</form>`;
}

const KINDS: Readonly<Record<ProviderKind, MessageKey>> = {
  google: 'selection.kind.google',
  microsoft: 'selection.kind.microsoft',
  apple: 'selection.kind.apple',
  caldav: 'selection.kind.caldav',
};

/** Renders all providers of this request, smaller if accounts are connected. */
function providerChoices(selection: ProviderSelection, messages: Messages): Html {
  const hasAccounts = selection.accounts.length > 0;
  return html`<h2 id="add">${messages.text(hasAccounts ? 'selection.add_more' : 'selection.add')}</h2>
${selection.limit !== undefined && html`<p class="hint" id="limit">${messages.text('selection.limit_reached', { count: selection.limit })}</p>`}
<ul class="providers${hasAccounts && ' more'}" aria-labelledby="add">
${selection.providers.map((provider) => providerItem(provider, selection, messages))}
</ul>`;
}

function providerItem(
  { kind, available }: OfferedProvider,
  selection: ProviderSelection,
  messages: Messages,
): Html {
  const provider = PROVIDER_NAMES[kind];
  const label = messages.text('selection.connect', { provider });
  // The state describes the button, but is not part of its name, which never changes.
  const about = html`<small id="${kind}-about" aria-hidden="true">${providerState({ kind, available }, selection, messages)}</small>`;
  const inside = html`${PROVIDER_MARKS[kind]}<span>${label}${about}</span>`;
  if (!available || selection.limit !== undefined) {
    const reason = selection.limit === undefined ? `${kind}-about` : 'limit';
    return html`<li><button type="button" disabled aria-describedby="${reason}">${inside}</button></li>
`;
  }
  // Only providers with their own pages take noticeable time.
  const isElsewhere = kind === 'google' || kind === 'microsoft';
  const working = isElsewhere && html` data-working="${messages.text('working.open', { provider })}"`;
  return html`<li><form method="get" action="/connect/${kind}"${working}>${transactionField(selection.request)}
<button aria-describedby="${kind}-about">${inside}<span class="onward">${ICONS.onward}</span></button></form></li>
`;
}

/** Renders the state of the accounts, or the reason why the provider is unavailable, or its kind. */
function providerState(
  { kind, available }: OfferedProvider,
  { accounts }: ProviderSelection,
  messages: Messages,
): Html {
  if (!available) return html`${messages.text('selection.unavailable')}`;
  const linked = accounts.filter(({ provider }) => provider === kind);
  if (linked.some(({ isManageable, problem }) => isManageable && problem === 'reconnect'))
    return html`<span class="state trouble">${messages.text('selection.reconnect')}</span>`;
  if (linked.length === 0) return html`<span class="about-kind">${messages.text(KINDS[kind])}</span>`;
  return html`<span class="state loaded">${messages.text('selection.provider_linked', { count: linked.length })}</span>`;
}
