/** Renders the accounts on the selection page: the covered ones, and others, which can be confirmed. */
import { canBeSolvedBySigningIn } from '../../calendars/account-problem.ts';
import { chip, PROVIDER_MARKS, PROVIDER_NAMES, withBreakPoints } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { scopeCovers } from '../../oauth/scope.ts';
import { accountState, readyCalendars } from '../accounts/account-state.ts';
import type { AccountView } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { accountPath, pagePath } from '../flow/paths.ts';
import type { MessageKey, Messages } from '../messages/messages.ts';
import { isNewAccount } from './consent-content.page.ts';
import { formFields, transactionField } from './parts.page.ts';
import type { ProviderSelection } from './provider-selection.ts';

export const isAnyLoading = ({ accounts, loading }: ProviderSelection, messages: Messages): boolean =>
  accounts.some((account) => {
    return accountState(account, loading.get(account.accountKey), messages).kind === 'loading';
  });

export function linkedAccounts(selection: ProviderSelection, messages: Messages): Html {
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
  if (isAnyLoading(selection, messages)) {
    return html`<p class="hint" id="loading">${messages.text('selection.loading_hint')}</p>`;
  }
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
export function otherAccounts(selection: ProviderSelection, messages: Messages): Html {
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
