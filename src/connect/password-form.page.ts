/** The forms that link an Apple or CalDAV account; what was typed stays, the password never. */
import { type Html, html } from '../http/html.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import { type Appearance, applicationName, layout, notice, ownFields } from './layout.page.ts';
import type { LinkField, LinkTrouble } from './link-account.ts';
import type { Messages } from './messages.ts';
import { selectionPath } from './paths.ts';
import { PROVIDER_MARKS, PROVIDER_NAMES, SIGNS } from './provider-marks.ts';

export type PasswordForm = {
  readonly kind: 'apple' | 'caldav';
  readonly request: AuthorizationRequest;
  readonly displayName: string | undefined;
  readonly typed: { readonly server: string; readonly username: string };
  readonly trouble: LinkTrouble | undefined;
};

export function passwordFormPage(form: PasswordForm, look: Appearance): Html {
  const { messages } = look;
  const { kind, request, trouble } = form;
  const title = messages.text('form.title', { provider: PROVIDER_NAMES[kind] });
  const app = applicationName(form.displayName, messages);
  const content = html`<a class="back" href="${selectionPath(request)}">${SIGNS.back}${messages.text('back')}</a>
<div class="meeting" aria-hidden="true"><span class="sign">${PROVIDER_MARKS[kind]}</span></div>
<h1>${title}</h1>
<p class="lead">${messages.markup(kind === 'apple' ? 'form.apple.lead' : 'form.caldav.lead', { app })}</p>
${trouble && notice('trouble', messages.markup(trouble.message, trouble.values))}
<form class="fields" method="post" action="/connect/${kind}">${ownFields(request)}
${kind === 'caldav' && serverField(form, messages)}
${usernameField(form, messages)}
${passwordField(form, messages)}
<button class="primary">${messages.text('form.connect')}</button>
</form>`;
  const heard = trouble ? messages.text('form.error_title', { title }) : title;
  return layout(look, heard, content);
}

function serverField({ typed, trouble }: PasswordForm, messages: Messages): Html {
  return html`<div><label for="server">${messages.text('form.server')}</label>
<input id="server" name="server" value="${typed.server}" dir="ltr" inputmode="url" autocomplete="url" autocapitalize="none" spellcheck="false" maxlength="2048" required aria-describedby="server-hint"${marks(trouble, 'server')}>
<p class="hint" id="server-hint">${messages.text('form.server_hint')}</p></div>`;
}

function usernameField({ kind, typed, trouble }: PasswordForm, messages: Messages): Html {
  const apple = kind === 'apple';
  const hint = html`<p class="hint" id="username-hint">${messages.text('form.apple_account_hint')}</p>`;
  return html`<div><label for="username">${messages.text(apple ? 'form.apple_account' : 'form.username')}</label>
<input id="username" name="username" value="${typed.username}" dir="ltr"${apple && html` inputmode="email" aria-describedby="username-hint"`} autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="512" required${marks(trouble, 'username')}>
${apple && hint}</div>`;
}

function passwordField({ kind, trouble }: PasswordForm, messages: Messages): Html {
  const apple = kind === 'apple';
  const link = html` <a href="https://account.apple.com/account/manage" target="_blank" rel="noopener noreferrer">${messages.text('form.app_password_link')}</a>`;
  return html`<div><label for="password">${messages.text(apple ? 'form.app_password' : 'form.password')}</label>
<input id="password" name="password" type="password" dir="ltr" autocomplete="${apple ? 'off' : 'current-password'}" maxlength="1024" required aria-describedby="password-hint"${marks(trouble, 'password')}>
<p class="hint" id="password-hint">${messages.text(apple ? 'form.app_password_hint' : 'form.password_hint')}${apple && link}</p></div>`;
}

/** Marks a field that is to be corrected; the first of them is where typing goes on. */
function marks(trouble: LinkTrouble | undefined, field: LinkField): Html | undefined {
  if (!trouble?.fields.includes(field)) return undefined;
  return trouble.fields[0] === field ? html` aria-invalid="true" autofocus` : html` aria-invalid="true"`;
}
