/** The forms that link an Apple or CalDAV account; what was typed stays, the password never. */
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { CALDAV_PRESETS, type CalDavPreset, isPattern, YOUR_SERVER } from '../accounts/caldav-presets.ts';
import type { LinkField, LinkProblem } from '../accounts/link-account.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { selectionPath, signInPath } from '../flow/paths.ts';
import type { Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { layout } from './layout.page.ts';
import { applicationName, backLink, formFields, notice, outwardLink, pageSigns } from './parts.page.ts';
import { PROVIDER_MARKS, PROVIDER_NAMES, SIGNS } from './provider-marks.ts';

export type PasswordForm = {
  readonly kind: 'apple' | 'caldav';
  readonly request: AuthorizationRequest;
  readonly typed: { readonly server: string; readonly username: string };
  readonly problem: LinkProblem | undefined;
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
export function passwordFormPage(form: PasswordForm, appearance: Appearance): Page {
  const { messages } = appearance;
  const { kind, request, problem } = form;
  const title = messages.text('form.title', { provider: PROVIDER_NAMES[kind] });
  const app = applicationName(appearance.displayName, messages);
  const content = html`${backLink(selectionPath(request), messages)}
${pageSigns(html`<span class="sign">${PROVIDER_MARKS[kind]}</span>`)}
<h1>${title}</h1>
<p class="lead">${messages.markup(kind === 'apple' ? 'form.apple.lead' : 'form.caldav.lead', { app })}</p>
${problem && html`<div id="trouble">${notice('trouble', messages.markup(problem.message, problem.values))}</div>`}
${kind === 'caldav' && presetChoice(form, messages)}
<form class="fields" id="${FORM}" method="post" action="/connect/${kind}">${formFields(request)}${chosenField(form)}
${kind === 'caldav' && serverField(form, messages)}
${usernameField(form, messages)}
${passwordField(form, messages)}
${kind === 'apple' && appPasswordHelp(appearance, problem?.message === 'link.apple_format')}
<button class="primary">${messages.text('form.connect')}</button>
</form>`;
  const documentTitle = problem ? messages.text('form.error_title', { title }) : title;
  const settings = { request, page: kind, form: FORM };
  return layout({ title: documentTitle, content, settings }, appearance);
}

/**
 * The choice among CalDAV servers that are known: links, each to the form with that server's address and hints in it.
 * Open for whoever has nothing in the form yet.
 */
function presetChoice(form: PasswordForm, messages: Messages): Html {
  const { request, chosen, accountKey } = form;
  const isOpen = form.typed.server === '' && form.problem === undefined;
  const to = (id: string) => `${signInPath('caldav', request, accountKey)}&preset=${id}`;
  const items = CALDAV_PRESETS.map(({ id, name }) => {
    const isChosen = chosen?.id === id;
    const mark =
      isChosen && html`${SIGNS.tick}<span class="unseen">${messages.text('form.preset_chosen')}</span>`;
    return html`<li><a class="choice${isChosen && ' chosen'}" href="${to(id)}"><span translate="no">${name}</span>${mark}</a></li>
`;
  });
  const other = html`<li><a class="choice" href="${to('')}">${messages.text('form.preset_other')}</a></li>`;
  return html`<details class="presets"${isOpen && html` open`}><summary>${messages.text('form.presets')}${SIGNS.unfold}</summary>
<p class="hint">${messages.text('form.presets_hint')}</p>
<ul>
${items}${chosen && other}</ul></details>`;
}

const chosenField = ({ chosen }: PasswordForm): Html | undefined =>
  chosen && html`<input type="hidden" name="preset" value="${chosen.id}">`;

function serverField(form: PasswordForm, messages: Messages): Html {
  const fill = form.typed.server.includes(YOUR_SERVER) && html` data-fill="${YOUR_SERVER}"`;
  return html`<div><label for="server">${messages.text('form.server')}</label>
<input id="server" name="server" value="${form.typed.server}" dir="ltr" inputmode="url" autocomplete="url" autocapitalize="none" spellcheck="false" maxlength="2048" required${fill}${fieldAttributes(form, 'server')}>
${fieldError(form, 'server', messages)}<p class="hint" id="server-hint">${serverHint(form, messages)}</p></div>`;
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
<input id="username" name="username" value="${typed.username}" dir="ltr"${byMail && html` inputmode="email"`} autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="512" required${fieldAttributes(form, 'username', hint !== undefined)}>
${fieldError(form, 'username', messages)}${hint && html`<p class="hint" id="username-hint">${hint}</p>`}</div>`;
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
<input id="password" name="password" type="password" dir="ltr" autocomplete="${autocomplete}" maxlength="1024" required${fieldAttributes(form, 'password')}>
${fieldError(form, 'password', messages)}<p class="hint" id="password-hint">${passwordHint(form, messages)}</p></div>`;
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

/** The name suggested for the password where the application has none. */
const OUR_NAME = 'Kalends';

/** How an app-specific password is made, step by step, for whoever opens it. `isOpen`: for whoever seems to have none. */
function appPasswordHelp({ messages, displayName }: Appearance, isOpen: boolean): Html {
  const site = html`<a href="https://account.apple.com/" target="_blank" rel="noopener noreferrer" dir="ltr" translate="no">account.apple.com</a>`;
  return html`<details class="steps"${isOpen && html` open`}><summary>${messages.text('form.app_password_help')}${SIGNS.unfold}</summary>
<p class="hint">${messages.text('form.app_password_what')}</p>
<ol>
<li>${messages.markup('form.app_password_sign_in', { site })}</li>
<li>${messages.text('form.app_password_open')}</li>
<li>${messages.markup('form.app_password_make', { name: displayName ?? OUR_NAME })}</li>
<li>${messages.text('form.app_password_copy')}</li>
</ol></details>`;
}

/** Names the field's hint and what is wrong with it; the first wrong field, or the next to fill in, has the focus. */
function fieldAttributes(form: PasswordForm, field: LinkField, hinted = true): Html {
  const isWrong = form.problem?.fields.includes(field) ?? false;
  const described = [...(isWrong ? [`${field}-error`, 'trouble'] : []), ...(hinted ? [`${field}-hint`] : [])];
  return html`${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}${isWrong && html` aria-invalid="true"`}${focused(form) === field && html` autofocus`}`;
}

function focused({ problem, chosen, typed }: PasswordForm): LinkField | undefined {
  if (problem !== undefined) return problem.fields[0];
  if (chosen === undefined) return undefined;
  if (typed.server.includes(YOUR_SERVER)) return 'server';
  return typed.username === '' ? 'username' : 'password';
}

/** The short word at a field that is to be corrected; the whole is in the notice above. */
function fieldError({ problem }: PasswordForm, field: LinkField, messages: Messages): Html | undefined {
  if (!problem?.fields.includes(field)) return undefined;
  const word = messages.text(problem.message === 'link.missing' ? 'form.error_missing' : 'form.error_check');
  return html`<p class="wrong" id="${field}-error">${SIGNS.trouble}${word}</p>
`;
}
