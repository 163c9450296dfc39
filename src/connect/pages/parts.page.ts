/** Renders small parts of several Connect pages. */
import { type Logo, logoPath } from '../../branding/branding.ts';
import {
  chip,
  ICONS,
  LINK_MARK,
  PROVIDER_MARKS,
  PROVIDER_NAMES,
  withBreakPoints,
} from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { tokenField } from '../../http/page-form.ts';
import { type AccountView, firstCharacter } from '../accounts/account-views.ts';
import { type AuthorizationRequest, isReconnectLink } from '../flow/authorization-request-store.ts';
import { displayDomain } from '../flow/paths.ts';
import type { Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';

/** Renders the fields that prove a form to be from a page of this request (docs/security.md T3). */
export const formFields = ({ transactionId, formToken }: AuthorizationRequest): Html =>
  html`${transactionField({ transactionId })}${tokenField(formToken)}`;

/** Renders the only field of a form that just opens a page. */
export const transactionField = ({ transactionId }: Pick<AuthorizationRequest, 'transactionId'>): Html =>
  html`<input type="hidden" name="transaction" value="${transactionId}">`;

/** Returns the application's display name, or a generic text (docs/wire.md O1). */
export const applicationName = (displayName: string | undefined, messages: Messages): string =>
  displayName ?? messages.text('app.generic');

/** Renders the pictures above the title. The text beside them says the same. */
export const pageSigns = (signs: Html): Html => html`<div class="meeting" aria-hidden="true">${signs}</div>`;

export const markedSign = (sign: Html, mark: 'done' | 'trouble'): Html =>
  html`<span class="marked">${sign}<span class="badge ${mark}">${ICONS[mark]}</span></span>`;

/** Renders the application's logo, the first character of its name, or a generic icon. */
export function applicationSign({ branding, displayName, theme }: Appearance): Html {
  const light = branding.logo ?? branding.darkLogo;
  const dark = branding.darkLogo ?? branding.logo;
  if (light !== undefined && dark !== undefined) {
    const plate = light.hash === dark.hash ? ' plate' : '';
    return html`<span class="sign logo${plate}">${logoPicture(light, dark, theme)}</span>`;
  }
  // Skips punctuation: the initial is a letter of the name.
  const initial = firstCharacter((displayName ?? '').replace(/^[\p{P}\p{Sm}\p{Z}\p{C}]+/u, ''));
  return html`<span class="sign">${initial === '' ? ICONS.application : initial.toLocaleUpperCase('en')}</span>`;
}

/** Renders the logo of a fixed theme, or both for the device to choose. `alt` is empty: the name is beside it. */
function logoPicture(light: Logo, dark: Logo, theme: Appearance['theme']): Html {
  const image = (logo: Logo) => html`<img src="${logoPath(logo)}" width="56" height="56" alt="">`;
  if (light.hash === dark.hash || theme === 'light') return image(light);
  if (theme === 'dark') return image(dark);
  return html`<picture><source srcset="${logoPath(dark)}" media="(prefers-color-scheme: dark)">${image(light)}</picture>`;
}

export const backLink = (path: string, messages: Messages): Html =>
  html`<a class="back" href="${path}">${ICONS.back}${messages.text('back')}</a>`;

export const cancelForm = (request: AuthorizationRequest, messages: Messages): Html =>
  html`<form method="post" action="/connect/cancel">${formFields(request)}<button>${messages.text('cancel')}</button></form>`;

/** Renders "Back to <Display Name>" (docs/wire.md 4.1), or a generic text. */
export const returnLabel = ({ displayName, messages }: Appearance): Html =>
  displayName === undefined
    ? html`${messages.text('return.generic')}`
    : html`<span>${messages.markup('return.named', { app: displayName })}</span>`;

/** Returns the name of an account's kind: that of its provider, or that it is a read-only calendar link. */
export const accountKind = ({ provider, isCalendarLink }: AccountView, messages: Messages): Html =>
  isCalendarLink
    ? html`${messages.text('selection.calendar_link')} · ${messages.text('selection.read_only')}`
    : html`${PROVIDER_NAMES[provider]}`;

export const accountMark = ({ provider, isCalendarLink }: AccountView): Html =>
  isCalendarLink ? LINK_MARK : PROVIDER_MARKS[provider];

export type NamesOptions = {
  readonly messages: Messages;
  readonly labelledBy?: string;
  /** A short text beside an account. */
  readonly words?: (account: AccountView) => string | undefined;
};

export function accountNames(
  accounts: readonly AccountView[],
  { messages, labelledBy, words }: NamesOptions,
): Html {
  const items = accounts.map((account) => {
    const word = words?.(account);
    return html`<li>${accountMark(account)}<span><bdi>${withBreakPoints(account.name)}</bdi> <span class="kind">${accountKind(account, messages)}</span>${word && html` ${chip(word)}`}</span></li>`;
  });
  return html`<ul class="names"${labelledBy !== undefined && html` aria-labelledby="${labelledBy}"`}>${items}</ul>`;
}

/** Renders one line about an unverified application (docs/wire.md 4.4), with its meaning folded under it. */
export function verificationNotice({ unverifiedBy, displayName, messages }: Appearance): Html | undefined {
  if (unverifiedBy === undefined) return undefined;
  const operator = unverifiedBy;
  const text =
    displayName === undefined
      ? messages.markup('verification.text', { operator })
      : messages.markup('verification.text_named', { operator, app: displayName });
  return html`<details class="caution"><summary>${ICONS.caution}<span>${messages.markup('verification.title', { operator })}</span>${ICONS.unfold}</summary>
<p>${text}</p>
<ul><li>${messages.text('verification.review')}</li><li>${messages.text('verification.access')}</li><li>${messages.text('verification.end')}</li></ul>
</details>`;
}

/** Matches what looks like an e-mail address. Any other user id means nothing to the user. */
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/**
 * Renders the application with its domain, and its user if the user would recognize the name. The application's name is
 * only its claim, but the domain is the real destination. `userName` exists only if the application vouches for it.
 */
export function applicationHeader(request: AuthorizationRequest, appearance: Appearance): Html {
  const { messages, displayName } = appearance;
  const user = request.userName ?? (EMAIL.test(request.userId) ? request.userId : undefined);
  return html`<div class="asker"><div aria-hidden="true">${applicationSign(appearance)}</div><dl>
<div><dt class="unseen">${messages.text('consent.application')}</dt>
<dd><strong><bdi>${applicationName(displayName, messages)}</bdi></strong> <span class="domain"><bdi>${withBreakPoints(displayDomain(request.redirectUri))}</bdi></span></dd></div>
${user !== undefined && !isReconnectLink(request) && html`<div><dt>${messages.text('consent.user')}</dt> <dd><bdi>${withBreakPoints(user)}</bdi></dd></div>`}</dl></div>`;
}
