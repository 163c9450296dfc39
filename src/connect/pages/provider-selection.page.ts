/** The provider-selection page (docs/wire.md 4.1). With one account it is also the consent page. */

import type { ProviderKind } from '../../calendars/provider-facts.ts';
import {
  chip,
  ICONS,
  LINK_MARK,
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
import { accountState, canBeSolvedBySigningIn, readyCalendars } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { accountPath, pagePath, selectionPath } from '../flow/paths.ts';
import type { MessageKey, Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { abilities, consentActions, consentTerms, isNewAccount } from './consent.page.ts';
import { layout } from './layout.page.ts';
import {
  accountKind,
  accountMark,
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

/** The action that was just done, with the account or provider that the text names. */
export type Happening =
  | {
      readonly what: ('disconnected' | 'disconnected_all' | 'removed') | ('not_this' | 'not_finished');
    }
  | { readonly what: 'linked' | 'other' | 'confirmed' | 'chosen'; readonly account: string }
  | { readonly what: 'cancelled' | 'unpermitted'; readonly provider: ProviderKind };

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
  const hasAccounts = accounts.length > 0;
  const broken = findBroken(selection);
  const title =
    broken === undefined
      ? messages.text(chooseTitleKey(selection))
      : messages.text('selection.mend_account', { account: broken.name });
  const content = html`${applicationHeader(request, appearance)}
<h1>${title}</h1>
${ending !== 'allow' && html`<p class="lead">${lead(selection, appearance)}</p>`}
${happenedNotice(selection.happened, messages)}
${verificationNotice(appearance)}
${ending === 'allow' && abilities({ request, accounts }, appearance)}
${hasAccounts && linkedAccounts(selection, messages)}
${others.length > 0 && otherAccounts(selection, messages)}
${!hasAccounts && html`<h2 id="add">${messages.text('selection.add')}</h2>${providerTiles(selection, messages)}`}
${ending === 'allow' && consentTerms({ request, accounts }, appearance)}
${actions(selection, messages)}`;
  const settings = { request, path: selectionPath(request) };
  return layout({ title, content, settings, connects: isAnyLoading(selection, messages) }, appearance);
}

function chooseTitleKey({ ending, isManaging }: ProviderSelection): MessageKey {
  if (ending === 'allow') return 'consent.title';
  return isManaging ? 'selection.manage_title' : 'selection.title';
}

/** Returns the account that the page of a returning user is about: one that needs reconnecting, if nothing else waits. */
const findBroken = (selection: ProviderSelection): AccountView | undefined =>
  selection.ending === 'done' && selection.isManaging
    ? selection.accounts.find(
        ({ isManageable, problem, provider }) =>
          isManageable && problem === 'reconnect' && isOffered(provider, selection),
      )
    : undefined;

function lead(selection: ProviderSelection, { messages, displayName, serviceName }: Appearance): Html {
  const { request, accounts, ending, isManaging } = selection;
  if (ending === 'done' && accounts.length === 0) return html`${messages.text('selection.none_left')}`;
  const app = applicationName(displayName, messages);
  if (findBroken(selection) !== undefined) return messages.markup('selection.mend_lead', { app });
  if (isManaging) return html`${messages.text('selection.manage_lead')}`;
  return messages.markup(LEADS[request.scope], { app, service: serviceName });
}

/** Focused, so that screen readers read it first: the title may be the same as before. */
function happenedNotice(happened: Happening | undefined, messages: Messages): Html | undefined {
  if (happened === undefined) return undefined;
  const [kind, message] = HAPPENED[happened.what];
  const values = {
    ...('account' in happened && { account: html`<bdi>${withBreakPoints(happened.account)}</bdi>` }),
    ...('provider' in happened && { provider: PROVIDER_NAMES[happened.provider] }),
  };
  return notice(kind, messages.markup(message, values), true);
}

/** Renders the buttons that leave the page. Programs find them by their labels. */
function actions(selection: ProviderSelection, messages: Messages): Html {
  const { request, ending } = selection;
  switch (ending) {
    case 'allow':
      return consentActions(request, messages);
    case 'done':
      return doneActions(selection, messages);
    case 'continue':
    case 'none':
      return html`<div class="actions">
${ending === 'continue' && continueForm(request, messages)}
${cancelForm(request, messages)}
</div>`;
    default:
      return ending satisfies never;
  }
}

/** Renders Done. If an account needs reconnecting, that comes first. */
function doneActions(selection: ProviderSelection, messages: Messages): Html {
  const { request } = selection;
  const broken = findBroken(selection);
  const reconnectForm =
    broken &&
    html`<form method="get" action="/connect/${broken.provider}">${transactionField(request)}${accountField(broken)}<button class="primary" aria-label="${messages.text('selection.mend_account', { account: broken.name })}">${messages.text('selection.mend')}</button></form>
`;
  return html`<div class="actions">
${reconnectForm}<form method="post" action="/connect/approve">${formFields(request)}<button${broken === undefined && html` class="primary"`}>${messages.text('selection.done')}</button></form>
</div>`;
}

const continueForm = (request: AuthorizationRequest, messages: Messages): Html =>
  html`<form method="get" action="/connect/consent">${transactionField(request)}<button class="primary">${messages.text('selection.continue')}</button></form>`;

const isAnyLoading = ({ accounts, loading }: ProviderSelection, messages: Messages): boolean =>
  accounts.some(
    (account) => accountState(account, loading.get(account.accountKey), messages).kind === 'loading',
  );

function linkedAccounts(selection: ProviderSelection, messages: Messages): Html {
  const { accounts, request, ending } = selection;
  const isLoading = isAnyLoading(selection, messages);
  const canLeaveAll = accounts.filter(isDisconnectable).length > 1;
  const heading =
    ending === 'allow'
      ? messages.text('consent.accounts', { count: accounts.length })
      : messages.text('selection.linked');
  return html`<div class="heading"><h2 id="linked">${heading}</h2>
${canLeaveAll && html`<a class="minor" href="${pagePath('disconnect_all', request)}">${messages.text('selection.disconnect_all')}</a>`}</div>
<div class="card"><ul class="accounts" aria-labelledby="linked"${isLoading && html` data-progress="/connect/progress?transaction=${request.transactionId}"`}>
${accounts.map((account) => accountItem(account, selection, messages))}</ul>
${moreAccounts(selection, messages)}</div>
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
  return html`<li>${accountHead(account, messages, html`${isNewBesideOld && chip(messages.text('selection.new'))} ${about}`)}
${isManageable && accountActions(account, selection, messages)}</li>
`;
}

const accountHead = (account: AccountView, messages: Messages, about?: Html): Html =>
  html`<div class="account">${accountMark(account)}<div><strong><bdi>${withBreakPoints(account.name)}</bdi></strong>
<p class="about"><span>${accountKind(account, messages)}</span> ${about}</p></div></div>`;

/** Renders what repairs the account, and the other actions: in a menu if the page has a question to answer. */
function accountActions(account: AccountView, selection: ProviderSelection, messages: Messages): Html {
  const { request, loading, ending } = selection;
  const { accountKey, name, problem, provider, isProved, isUnfinished, givenScope } = account;
  // The account of the headline has its button at the end of the page.
  const isHeadline = findBroken(selection)?.accountKey === accountKey;
  const canSignIn = isOffered(provider, selection) && canBeSolvedBySigningIn(problem) && !isHeadline;
  // An account that was not proved here keeps its narrower access.
  const isNarrower = !isProved && givenScope !== undefined && !scopeCovers(givenScope, request.scope);
  const canConfirm = isNarrower && isOffered(provider, selection);
  const isListed = isProved && (loading.get(accountKey)?.isListed ?? false);
  const repairs = html`${canSignIn && signInAgainForm(account, request, messages)}
${canConfirm && confirmForm(account, request, messages)}`;
  const choose = html`<a class="small link" href="${accountPath('calendars', request, accountKey)}" aria-label="${messages.text('selection.choose_account', { account: name })}">${messages.text('selection.choose')}</a>`;
  const options = html`${isListed && choose}
${isUnfinished ? removeForm(account, request, messages) : disconnectForm(account, request, messages)}`;
  if (ending === 'done') return html`<div class="account-actions">${repairs}${options}</div>`;
  const menuName = messages.text('selection.options', { account: name });
  return html`<details class="options"><summary aria-label="${menuName}" title="${menuName}">${ICONS.more}</summary><div>${options}</div></details>
${(canSignIn || canConfirm) && html`<div class="account-actions">${repairs}</div>`}`;
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
    return html`<li>${accountHead(account, messages)}
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

const KINDS: Readonly<Record<TileKind, MessageKey>> = {
  google: 'selection.kind.google',
  microsoft: 'selection.kind.microsoft',
  apple: 'selection.kind.apple',
  caldav: 'selection.kind.caldav',
  calendar_link: 'selection.kind.calendar_link',
};

/** Renders the ways to connect a further account, folded in one line unless the limit is reached. */
function moreAccounts(selection: ProviderSelection, messages: Messages): Html {
  const isFull = selection.limit !== undefined;
  return html`<details class="fold"${isFull && html` open`}><summary id="add">${messages.text('selection.add_more')}${ICONS.unfold}</summary>
${providerTiles(selection, messages)}</details>`;
}

/** A provider, or a calendar that is published at an address, which is connected as CalDAV. */
type TileKind = ProviderKind | 'calendar_link';

type Tile = { readonly kind: TileKind; readonly provider: ProviderKind; readonly available: boolean };

/** Renders a button for each way to connect that this request offers. */
function providerTiles(selection: ProviderSelection, messages: Messages): Html {
  const { providers, limit } = selection;
  const tiles = providers.flatMap(({ kind, available }): Tile[] => [
    { kind, provider: kind, available },
    ...(kind === 'caldav' ? [{ kind: 'calendar_link', provider: kind, available } as const] : []),
  ]);
  return html`${limit !== undefined && html`<p class="hint" id="limit">${messages.text('selection.limit_reached', { count: limit })}</p>`}
<ul class="providers" aria-labelledby="add">
${tiles.map((tile) => providerTile(tile, selection, messages))}
</ul>`;
}

function providerTile(tile: Tile, selection: ProviderSelection, messages: Messages): Html {
  const { kind, provider, available } = tile;
  const isLink = kind === 'calendar_link';
  const label = isLink
    ? messages.text('selection.connect_calendar_link')
    : messages.text('selection.connect', { provider: PROVIDER_NAMES[kind] });
  // The state describes the button, but is not part of its name, which never changes.
  const about = html`<small id="${kind}-about" aria-hidden="true">${tileState(tile, selection, messages)}</small>`;
  const inside = html`${isLink ? LINK_MARK : PROVIDER_MARKS[kind]}<span>${label}${about}</span>`;
  if (!available || selection.limit !== undefined) {
    const reason = selection.limit === undefined ? `${kind}-about` : 'limit';
    return html`<li><button type="button" disabled aria-describedby="${reason}">${inside}</button></li>
`;
  }
  // Only providers with their own pages take noticeable time.
  const isElsewhere = kind === 'google' || kind === 'microsoft';
  const working =
    isElsewhere && html` data-working="${messages.text('working.open', { provider: PROVIDER_NAMES[kind] })}"`;
  return html`<li><form method="get" action="/connect/${provider}"${working}>${transactionField(selection.request)}${isLink && html`<input type="hidden" name="by" value="address">`}
<button aria-describedby="${kind}-about">${inside}<span class="onward">${ICONS.onward}</span></button></form></li>
`;
}

/** Renders the state of the accounts, or the reason why the provider is unavailable, or its kind. */
function tileState(
  { kind, provider, available }: Tile,
  { accounts }: ProviderSelection,
  messages: Messages,
): Html {
  if (!available) return html`${messages.text('selection.unavailable')}`;
  const linked = accounts.filter(
    (account) => account.provider === provider && account.isCalendarLink === (kind === 'calendar_link'),
  );
  if (linked.some(({ isManageable, problem }) => isManageable && problem === 'reconnect'))
    return html`<span class="state trouble">${messages.text('selection.reconnect')}</span>`;
  if (linked.length === 0) return html`<span class="about-kind">${messages.text(KINDS[kind])}</span>`;
  return html`<span class="state loaded">${messages.text('selection.provider_linked', { count: linked.length })}</span>`;
}
