/** Renders small parts of several Connect pages. */
import { type Logo, logoPath } from '../../branding/branding.ts';
import { chip, ICONS, PROVIDER_MARKS, PROVIDER_NAMES, withBreakPoints } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { tokenField } from '../../http/page-form.ts';
import { type AccountView, firstCharacter } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
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

export type NamesOptions = {
  readonly labelledBy?: string;
  /** A short text beside an account. */
  readonly words?: (account: AccountView) => string | undefined;
};

export function accountNames(accounts: readonly AccountView[], options: NamesOptions = {}): Html {
  const { labelledBy, words } = options;
  const items = accounts.map((account) => {
    const word = words?.(account);
    const { provider, name } = account;
    return html`<li>${PROVIDER_MARKS[provider]}<span><bdi>${withBreakPoints(name)}</bdi> <span class="kind">${PROVIDER_NAMES[provider]}</span>${word && html` ${chip(word)}`}</span></li>`;
  });
  return html`<ul class="names"${labelledBy !== undefined && html` aria-labelledby="${labelledBy}"`}>${items}</ul>`;
}

/** Renders the notice about an unverified application (docs/wire.md 4.4), which has no other consequence. */
export function verificationNotice({ unverifiedBy, displayName, messages }: Appearance): Html | undefined {
  if (unverifiedBy === undefined) return undefined;
  const operator = unverifiedBy;
  const text =
    displayName === undefined
      ? messages.markup('verification.text', { operator })
      : messages.markup('verification.text_named', { operator, app: displayName });
  return html`<section class="notice caution" aria-labelledby="unverified">${ICONS.caution}<div>
<h2 id="unverified">${messages.markup('verification.title', { operator })}</h2>
<p>${text}</p>
<details><summary>${messages.text('verification.means')}${ICONS.unfold}</summary>
<ul><li>${messages.text('verification.review')}</li><li>${messages.text('verification.access')}</li><li>${messages.text('verification.end')}</li></ul>
</details></div></section>`;
}

/**
 * Renders the application with its domain, and its user. The name is only the application's claim, but the domain is
 * the real destination. `userName` exists only if the application vouches for it.
 */
export function applicationHeader(request: AuthorizationRequest, appearance: Appearance): Html {
  const { messages, displayName } = appearance;
  const user = request.userName ?? request.userId;
  return html`<div class="asker"><div aria-hidden="true">${applicationSign(appearance)}</div><dl>
<div><dt class="unseen">${messages.text('consent.application')}</dt>
<dd><strong><bdi>${applicationName(displayName, messages)}</bdi></strong> <span class="domain">${ICONS.site}<bdi>${withBreakPoints(displayDomain(request.redirectUri))}</bdi></span></dd></div>
<div><dt>${messages.text('consent.user')}</dt> <dd><bdi>${withBreakPoints(user)}</bdi></dd></div></dl></div>`;
}
