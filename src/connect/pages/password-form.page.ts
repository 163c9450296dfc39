/** The forms that link an account or a calendar. They keep all fields except the password. */

import { ICONS, notice, outwardLink, PROVIDER_NAMES } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { CALDAV_PRESETS, type CalDavPreset, isPattern, YOUR_SERVER } from '../accounts/caldav-presets.ts';
import type { LinkField, LinkMode, LinkProblem } from '../accounts/link-account.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { selectionPath, signInPath } from '../flow/paths.ts';
import type { MessageKey, Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { layout } from './layout.page.ts';
import { applicationHeader, applicationName, backLink, formFields } from './parts.page.ts';

export type PasswordForm = {
  readonly kind: 'apple' | 'caldav';
  /** The input that the form asks for. Irrelevant for Apple. */
  readonly mode: LinkMode;
  readonly request: AuthorizationRequest;
  readonly typed: { readonly server: string; readonly username: string; readonly address: string };
  readonly problem: LinkProblem | undefined;
  readonly chosen: CalDavPreset | undefined;
  /** The preset of the typed server. */
  readonly preset: CalDavPreset | undefined;
  readonly accountKey: string | undefined;
  /** The account to confirm. The form then contains only typed values. */
  readonly confirm: string | undefined;
  /** The masked account of a reconnect link, whose server and user name are stored. */
  readonly reconnects: string | undefined;
};

const FORM = 'login';

export function passwordFormPage(form: PasswordForm, appearance: Appearance): Page {
  const { messages } = appearance;
  const { kind, request, problem, reconnects } = form;
  const title = renderTitle(form, messages);
  const app = applicationName(appearance.displayName, messages);
  const content = html`${reconnects === undefined && backLink(selectionPath(request), messages)}
${applicationHeader(request, appearance)}
<h1>${title}</h1>
<p class="lead">${messages.markup(chooseLeadKey(form), { app })}</p>
${problem && html`<div id="trouble">${notice('trouble', messages.markup(problem.message, problem.values))}</div>`}
${isByServer(form) && presetChoice(form, messages)}
<form class="fields" id="${FORM}" method="post" action="/connect/${kind}" data-working="${workingText(form, messages)}">${formFields(request)}${stateFields(form)}
${isByAddress(form) ? addressField(form, messages) : loginFields(form, messages)}
${kind === 'apple' && appPasswordHelp(appearance, problem?.message === 'link.apple_format')}
<button class="primary">${messages.text(reconnects === undefined ? 'form.connect' : 'selection.mend')}</button>
</form>
${waysBeside(form, messages)}`;
  const documentTitle = problem ? messages.text('form.error_title', { title }) : title;
  const settings = { request, path: formPath(form), form: FORM };
  return layout({ title: documentTitle, content, settings }, appearance);
}

const isByServer = ({ kind, mode, reconnects }: PasswordForm): boolean =>
  kind === 'caldav' && mode === 'server' && reconnects === undefined;

const isByAddress = ({ kind, mode }: PasswordForm): boolean => kind === 'caldav' && mode === 'address';

const isByMail = ({ kind, mode }: PasswordForm): boolean => kind === 'caldav' && mode === 'email';

function renderTitle(form: PasswordForm, messages: Messages): string {
  const provider = PROVIDER_NAMES[form.kind];
  if (form.confirm !== undefined) return messages.text('selection.confirm', { provider });
  if (form.reconnects !== undefined)
    return messages.text('selection.mend_account', { account: form.reconnects });
  return isByAddress(form) ? messages.text('form.address_title') : messages.text('form.title', { provider });
}

function chooseLeadKey(form: PasswordForm): MessageKey {
  const { kind, confirm, reconnects } = form;
  if (confirm !== undefined) return 'form.confirm.lead';
  if (reconnects !== undefined) return isByAddress(form) ? 'form.reconnect.address' : 'form.reconnect.lead';
  if (isByAddress(form)) return 'form.address.lead';
  return kind === 'apple' ? 'form.apple.lead' : 'form.caldav.lead';
}

function workingText(form: PasswordForm, messages: Messages): string {
  if (isByMail(form)) return messages.text('working.search');
  if (isByAddress(form)) return messages.text('working.read');
  const name = form.kind === 'apple' ? PROVIDER_NAMES.apple : (form.preset?.name ?? PROVIDER_NAMES.caldav);
  return messages.text('working.sign_in', { provider: name });
}

function formPath({ kind, request, accountKey, confirm }: PasswordForm): string {
  const path = signInPath(kind, request, accountKey);
  return confirm === undefined ? path : `${path}&confirm=${encodeURIComponent(confirm)}`;
}

function stateFields(form: PasswordForm): Html {
  const fields = {
    by: form.kind === 'caldav' && form.reconnects === undefined ? form.mode : undefined,
    preset: form.chosen?.id,
    account: form.accountKey,
    confirm: form.confirm,
  };
  return html`${Object.entries(fields).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  )}`;
}

/** Renders links to the form with the address and hints of known CalDAV servers. Open while the form is empty. */
function presetChoice(form: PasswordForm, messages: Messages): Html {
  const { chosen } = form;
  const isOpen = form.typed.server === '' && form.problem === undefined;
  const to = (id: string) => `${formPath(form)}&by=server&preset=${id}`;
  const items = CALDAV_PRESETS.map(({ id, name }) => {
    const isChosen = chosen?.id === id;
    const mark =
      isChosen && html`${ICONS.tick}<span class="unseen">${messages.text('form.preset_chosen')}</span>`;
    return html`<li><a class="choice${isChosen && ' chosen'}" href="${to(id)}"><span translate="no">${name}</span>${mark}</a></li>
`;
  });
  const other = html`<li><a class="choice" href="${to('')}">${messages.text('form.preset_other')}</a></li>`;
  return html`<details class="presets"${isOpen && html` open`}><summary>${messages.text('form.presets')}${ICONS.unfold}</summary>
<p class="hint">${messages.text('form.presets_hint')}</p>
<ul>
${items}${chosen && other}</ul></details>`;
}

/** Links to the other kinds of input. A calendar's address cannot confirm an account. */
function waysBeside(form: PasswordForm, messages: Messages): Html | false {
  const { kind, mode, confirm, reconnects } = form;
  const ways = [
    ...(mode === 'email' ? [['server', 'form.by_server'] as const] : []),
    ...(mode === 'address' ? [['email', 'form.by_account'] as const] : []),
    ...(mode !== 'address' && confirm === undefined ? [['address', 'form.by_address'] as const] : []),
  ];
  return (
    kind === 'caldav' &&
    reconnects === undefined &&
    html`${ways.map(([by, key]) => html`<p class="way-beside"><a href="${formPath(form)}&amp;by=${by}">${messages.text(key)}</a></p>`)}`
  );
}

const loginFields = (form: PasswordForm, messages: Messages): Html =>
  html`${isByServer(form) && serverField(form, messages)}
${form.reconnects === undefined && usernameField(form, messages)}
${passwordField(form, messages)}`;

function addressField(form: PasswordForm, messages: Messages): Html {
  return html`<div><label for="address">${messages.text('form.address')}</label>
<input id="address" name="address" value="${form.typed.address}" dir="ltr" inputmode="url" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="2048" required${fieldAttributes(form, 'address')}>
${fieldError(form, 'address', messages)}<p class="hint" id="address-hint">${messages.text('form.address_hint')}</p></div>`;
}

function serverField(form: PasswordForm, messages: Messages): Html {
  const fill = form.typed.server.includes(YOUR_SERVER) && html` data-fill="${YOUR_SERVER}"`;
  return html`<div><label for="server">${messages.text('form.server')}</label>
<input id="server" name="server" value="${form.typed.server}" dir="ltr" inputmode="url" autocomplete="url" autocapitalize="none" spellcheck="false" maxlength="2048" required${fill}${fieldAttributes(form, 'server')}>
${fieldError(form, 'server', messages)}<p class="hint" id="server-hint">${serverHint(form, messages)}</p></div>`;
}

/** Explains the chosen server while its address is in the field. */
function serverHint({ chosen, typed }: PasswordForm, messages: Messages): Html {
  if (chosen === undefined || !isUnchangedServer(chosen, typed.server))
    return html`${messages.text('form.server_hint')}`;
  if (isPattern(chosen))
    return messages.markup('form.server_replace', { part: html`<code dir="ltr">${YOUR_SERVER}</code>` });
  return chosen.region === undefined
    ? messages.markup('form.server_fixed', { provider: chosen.name })
    : messages.markup('form.server_region', { other: chosen.region });
}

const isUnchangedServer = (chosen: CalDavPreset, server: string): boolean =>
  isPattern(chosen) ? server.includes(YOUR_SERVER) : server === chosen.server;

function usernameField(form: PasswordForm, messages: Messages): Html {
  const { kind, typed, preset } = form;
  const label = isByMail(form) ? 'form.email' : kind === 'apple' ? 'form.apple_account' : 'form.username';
  const hint = usernameHint(form, messages);
  const isMail = kind === 'apple' || isByMail(form) || preset?.username === 'email';
  return html`<div><label for="username">${messages.text(label)}</label>
<input id="username" name="username" value="${typed.username}" dir="ltr"${isMail && html` inputmode="email"`} autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="512" required${fieldAttributes(form, 'username', hint !== undefined)}>
${fieldError(form, 'username', messages)}${hint && html`<p class="hint" id="username-hint">${hint}</p>`}</div>`;
}

function usernameHint(form: PasswordForm, messages: Messages): Html | undefined {
  const { kind, preset } = form;
  if (isByMail(form)) return html`${messages.text('form.email_hint')}`;
  if (kind === 'apple') return html`${messages.text('form.apple_account_hint')}`;
  if (preset === undefined) return undefined;
  const key = preset.username === 'email' ? 'form.username_email' : 'form.username_name';
  return messages.markup(key, { provider: preset.name });
}

function passwordField(form: PasswordForm, messages: Messages): Html {
  const apple = form.kind === 'apple';
  // A password manager would offer the main password, which Apple does not accept here.
  const autocomplete = apple ? 'off' : 'current-password';
  return html`<div><label for="password">${messages.text(apple ? 'form.app_password' : 'form.password')}</label>
<div class="secret"><input id="password" name="password" type="password" dir="ltr" autocomplete="${autocomplete}" maxlength="1024" required${fieldAttributes(form, 'password')}>${revealButton(messages)}</div>
${fieldError(form, 'password', messages)}<p class="hint" id="password-hint">${passwordHint(form, messages)}</p></div>`;
}

/** Renders the button that shows the password. It appears only with scripts. */
function revealButton(messages: Messages): Html {
  const name = messages.text('form.password_show');
  return html`<button type="button" class="reveal" aria-pressed="false" aria-controls="password" aria-label="${name}" title="${name}" data-shown="${messages.text('form.password_shown')}" data-hidden="${messages.text('form.password_hidden')}">${ICONS.eye}</button>`;
}

const MAKE_APPLE_PASSWORD = 'https://account.apple.com/account/manage';

function passwordHint({ kind, preset }: PasswordForm, messages: Messages): Html {
  if (kind === 'apple') {
    const link = outwardLink(MAKE_APPLE_PASSWORD, html`${messages.text('form.app_password_link')}`);
    return html`${messages.text('form.app_password_hint')}${messages.gap}${link}`;
  }
  if (preset === undefined) return html`${messages.text('form.password_hint')}`;
  const provider = preset.name;
  const keys = {
    app: 'form.password_app',
    app_2fa: 'form.password_app_2fa',
    usual: 'form.password_usual',
  } as const;
  return html`${messages.markup(keys[preset.password], { provider })}${whereMade(preset, messages)}`;
}

function whereMade({ name, passwordMade }: CalDavPreset, messages: Messages): Html | undefined {
  if (passwordMade === undefined) return undefined;
  if ('page' in passwordMade)
    return html`${messages.gap}${outwardLink(passwordMade.page, messages.markup('form.password_link', { provider: name }))}`;
  return html`${messages.gap}${messages.text(passwordMade.inside === 'nextcloud' ? 'form.password_nextcloud' : 'form.password_zimbra')}`;
}

/** Explains how to create an app-specific password. `isOpen` if the user seems to have none. */
function appPasswordHelp({ messages, displayName, serviceName }: Appearance, isOpen: boolean): Html {
  const site = html`<a href="https://account.apple.com/" target="_blank" rel="noopener noreferrer" dir="ltr" translate="no">account.apple.com</a>`;
  return html`<details class="steps"${isOpen && html` open`}><summary>${messages.text('form.app_password_help')}${ICONS.unfold}</summary>
<p class="hint">${messages.text('form.app_password_what')}</p>
<ol>
<li>${messages.markup('form.app_password_sign_in', { site })}</li>
<li>${messages.text('form.app_password_open')}</li>
<li>${messages.markup('form.app_password_make', { name: displayName ?? serviceName })}</li>
<li>${messages.text('form.app_password_copy')}</li>
</ol></details>`;
}

/** Refers to the field's hint and error, and focuses the first wrong field or the next empty one. */
function fieldAttributes(form: PasswordForm, field: LinkField, hinted = true): Html {
  const isWrong = form.problem?.fields.includes(field) ?? false;
  const described = [...(isWrong ? [`${field}-error`, 'trouble'] : []), ...(hinted ? [`${field}-hint`] : [])];
  return html`${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}${isWrong && html` aria-invalid="true"`}${focused(form) === field && html` autofocus`}`;
}

function focused(form: PasswordForm): LinkField | undefined {
  const { problem, chosen, typed } = form;
  if (problem !== undefined) return problem.fields.find((field) => field !== 'server' || isByServer(form));
  if (chosen === undefined) return undefined;
  if (typed.server.includes(YOUR_SERVER)) return 'server';
  return typed.username === '' ? 'username' : 'password';
}

/** Renders the short error at a field. The notice above has the whole text. */
function fieldError({ problem }: PasswordForm, field: LinkField, messages: Messages): Html | undefined {
  if (!problem?.fields.includes(field)) return undefined;
  const word = messages.text(problem.message === 'link.missing' ? 'form.error_missing' : 'form.error_check');
  return html`<p class="wrong" id="${field}-error">${ICONS.trouble}${word}</p>
`;
}
