/** The accounts on the selection page: those an approval covers, and the user's others, which can be confirmed. */
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

/** Whether calendars of an account here are still being loaded. */
export const isAnyLoading = ({ accounts, loading }: ProviderSelection, messages: Messages): boolean =>
  accounts.some((account) => {
    return accountState(account, loading.get(account.accountKey), messages).kind === 'loading';
  });

/** Those an approval covers, with what can be done with each. */
export function linkedAccounts(selection: ProviderSelection, messages: Messages): Html {
  const { accounts, request, ending } = selection;
  const isLoading = isAnyLoading(selection, messages);
  const canLeaveAll = accounts.filter(isDisconnectable).length > 1;
  // Where access to it is asked for, nobody wonders what the account is: its heading is for who listens.
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

/** Nobody has to wait; and once there is nothing to wait for, what was loaded. */
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

/** Its mark, its name and its kind, with what else is to be said of it. */
const accountHead = ({ provider, name }: AccountView, about?: Html): Html =>
  html`<div class="account">${PROVIDER_MARKS[provider]}<div><strong><bdi>${withBreakPoints(name)}</bdi></strong>
<p class="about"><span>${PROVIDER_NAMES[provider]}</span> ${about}</p></div></div>`;

function accountActions(account: AccountView, selection: ProviderSelection, messages: Messages): Html {
  const { request, loading } = selection;
  const { accountKey, name, problem, provider, isProved, isUnfinished, givenScope } = account;
  const canSignIn = isOffered(provider, selection) && canBeSolvedBySigningIn(problem);
  // What nobody proved here is covered as it was given, and at no more.
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

/** What stands on an account's button, and its name for who cannot see beside which account it stands. */
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

/** The way to sign in again, which keeps the account's id. */
function signInAgainForm(account: AccountView, request: AuthorizationRequest, messages: Messages): Html {
  const action = account.problem === 'more_needed' ? 'update' : 'mend';
  return html`<form method="get" action="/connect/${account.provider}">${transactionField(request)}${accountField(account)}
${accountButton(action, account, messages)}</form>`;
}

/** It asks before it is done. */
function disconnectForm(account: AccountView, request: AuthorizationRequest, messages: Messages): Html {
  return html`<form method="get" action="/connect/disconnect">${transactionField(request)}${accountField(account)}
${accountButton('disconnect', account, messages)}</form>`;
}

/** Nobody uses it yet, and it can be linked again: it does not ask. */
function removeForm(account: AccountView, request: AuthorizationRequest, messages: Messages): Html {
  return html`<form method="post" action="/connect/remove">${formFields(request)}${accountField(account)}
${accountButton('remove', account, messages)}</form>`;
}

/** The user's others: they stay as they are, and each can be confirmed where its provider is offered. */
export function otherAccounts(selection: ProviderSelection, messages: Messages): Html {
  const items = selection.others.map((account) => {
    const isConfirmable = isOffered(account.provider, selection);
    const { request } = selection;
    // Of a pushed request the application says who its user is: then what is not used any more can go.
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
