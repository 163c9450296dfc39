/** The forms that link an Apple or CalDAV account; what was typed stays, the password never. */
import { type Html, html } from '../../http/html.ts';
import { type CalDavPreset, isPattern, YOUR_SERVER } from '../accounts/caldav-presets.ts';
import type { LinkField, LinkTrouble } from '../accounts/link-account.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { selectionPath } from '../flow/paths.ts';
import type { Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { appPasswordHelp } from './apple-password-help.page.ts';
import { presetChoice } from './caldav-presets.page.ts';
import {
  applicationName,
  backLink,
  layout,
  notice,
  outwardLink,
  type Page,
  pageSigns,
} from './layout.page.ts';
import { ownFields } from './own-fields.page.ts';
import { PROVIDER_MARKS, PROVIDER_NAMES, SIGNS } from './provider-marks.ts';

export type PasswordForm = {
  readonly kind: 'apple' | 'caldav';
  readonly request: AuthorizationRequest;
  readonly typed: { readonly server: string; readonly username: string };
  readonly trouble: LinkTrouble | undefined;
  /** The known CalDAV server that was chosen. */
  readonly chosen: CalDavPreset | undefined;
  /** The known CalDAV server that the typed one is. */
  readonly preset: CalDavPreset | undefined;
  /** The account to connect again, of this provider's. */
  readonly accountKey: string | undefined;
};

/** The form's id. */
const FORM = 'login';

/** The page, empty or with what was typed and what is wrong with it. */
export function passwordFormPage(form: PasswordForm, look: Appearance): Page {
  const { messages } = look;
  const { kind, request, trouble } = form;
  const title = messages.text('form.title', { provider: PROVIDER_NAMES[kind] });
  const app = applicationName(look.displayName, messages);
  const content = html`${backLink(selectionPath(request), messages)}
${pageSigns(html`<span class="sign">${PROVIDER_MARKS[kind]}</span>`)}
<h1>${title}</h1>
<p class="lead">${messages.markup(kind === 'apple' ? 'form.apple.lead' : 'form.caldav.lead', { app })}</p>
${trouble && html`<div id="trouble">${notice('trouble', messages.markup(trouble.message, trouble.values))}</div>`}
${kind === 'caldav' && presetChoice(form, isFresh(form), messages)}
<form class="fields" id="${FORM}" method="post" action="/connect/${kind}">${ownFields(request)}${chosenField(form)}
${kind === 'caldav' && serverField(form, messages)}
${usernameField(form, messages)}
${passwordField(form, messages)}
${kind === 'apple' && appPasswordHelp(look, trouble?.message === 'link.apple_format')}
<button class="primary">${messages.text('form.connect')}</button>
</form>`;
  const heard = trouble ? messages.text('form.error_title', { title }) : title;
  return layout(look, heard, content, { settings: { request, page: kind, form: FORM } });
}

const isFresh = ({ typed, trouble }: PasswordForm): boolean => typed.server === '' && trouble === undefined;

const chosenField = ({ chosen }: PasswordForm): Html | undefined =>
  chosen && html`<input type="hidden" name="preset" value="${chosen.id}">`;

function serverField(form: PasswordForm, messages: Messages): Html {
  const fill = form.typed.server.includes(YOUR_SERVER) && html` data-fill="${YOUR_SERVER}"`;
  return html`<div><label for="server">${messages.text('form.server')}</label>
<input id="server" name="server" value="${form.typed.server}" dir="ltr" inputmode="url" autocomplete="url" autocapitalize="none" spellcheck="false" maxlength="2048" required${fill}${marks(form, 'server')}>
${wrong(form, 'server', messages)}<p class="hint" id="server-hint">${serverHint(form, messages)}</p></div>`;
}

/** Of the server that was chosen, while the address is still of that one. */
function serverHint({ chosen, typed }: PasswordForm, messages: Messages): Html {
  if (chosen === undefined || !isStillOf(chosen, typed.server))
    return html`${messages.text('form.server_hint')}`;
  if (isPattern(chosen)) {
    return messages.markup('form.server_replace', { part: html`<code dir="ltr">${YOUR_SERVER}</code>` });
  }
  return chosen.region === undefined
    ? messages.markup('form.server_fixed', { provider: chosen.name })
    : messages.markup('form.server_region', { other: chosen.region });
}

const isStillOf = (chosen: CalDavPreset, server: string): boolean =>
  isPattern(chosen) ? server.includes(YOUR_SERVER) : server === chosen.server;

function usernameField(form: PasswordForm, messages: Messages): Html {
  const { kind, typed, preset } = form;
  const apple = kind === 'apple';
  const hint = usernameHint(form, messages);
  const byMail = apple || preset?.username === 'email';
  return html`<div><label for="username">${messages.text(apple ? 'form.apple_account' : 'form.username')}</label>
<input id="username" name="username" value="${typed.username}" dir="ltr"${byMail && html` inputmode="email"`} autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="512" required${marks(form, 'username', hint !== undefined)}>
${wrong(form, 'username', messages)}${hint && html`<p class="hint" id="username-hint">${hint}</p>`}</div>`;
}

function usernameHint({ kind, preset }: PasswordForm, messages: Messages): Html | undefined {
  if (kind === 'apple') return html`${messages.text('form.apple_account_hint')}`;
  if (preset === undefined) return undefined;
  const key = preset.username === 'email' ? 'form.username_email' : 'form.username_name';
  return messages.markup(key, { provider: preset.name });
}

function passwordField(form: PasswordForm, messages: Messages): Html {
  const apple = form.kind === 'apple';
  // A password manager's offer would be the one password that Apple does not take.
  const autocomplete = apple ? 'off' : 'current-password';
  return html`<div><label for="password">${messages.text(apple ? 'form.app_password' : 'form.password')}</label>
<input id="password" name="password" type="password" dir="ltr" autocomplete="${autocomplete}" maxlength="1024" required${marks(form, 'password')}>
${wrong(form, 'password', messages)}<p class="hint" id="password-hint">${passwordHint(form, messages)}</p></div>`;
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
  if ('page' in passwordMade) {
    return html`${messages.gap}${outwardLink(passwordMade.page, messages.markup('form.password_link', { provider: name }))}`;
  }
  return html`${messages.gap}${messages.text(passwordMade.inside === 'nextcloud' ? 'form.password_nextcloud' : 'form.password_zimbra')}`;
}

/** Names the field's hint and what is wrong with it; the first wrong field, or the next to fill in, has the focus. */
function marks(form: PasswordForm, field: LinkField, hinted = true): Html {
  const isWrong = form.trouble?.fields.includes(field) ?? false;
  const described = [...(isWrong ? [`${field}-error`, 'trouble'] : []), ...(hinted ? [`${field}-hint`] : [])];
  return html`${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}${isWrong && html` aria-invalid="true"`}${focused(form) === field && html` autofocus`}`;
}

function focused({ trouble, chosen, typed }: PasswordForm): LinkField | undefined {
  if (trouble !== undefined) return trouble.fields[0];
  if (chosen === undefined) return undefined;
  if (typed.server.includes(YOUR_SERVER)) return 'server';
  return typed.username === '' ? 'username' : 'password';
}

/** The short word at a field that is to be corrected; the whole is in the notice above. */
function wrong({ trouble }: PasswordForm, field: LinkField, messages: Messages): Html | undefined {
  if (!trouble?.fields.includes(field)) return undefined;
  const word = messages.text(trouble.message === 'link.missing' ? 'form.error_missing' : 'form.error_check');
  return html`<p class="wrong" id="${field}-error">${SIGNS.trouble}${word}</p>
`;
}
