/** The pages outside the menu: sign-in, joining by a one-time link, and confirming the identity. */
import type { Theme } from '../../branding/branding.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { COMMAND } from '../../lib/version.ts';
import type { FieldProblems, Registration } from '../../people/invitations.ts';
import type { Invitation } from '../../people/person-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { doorPage, postForm, type Viewer } from './layout.page.ts';
import { command, field } from './parts.page.ts';
import { passkeyButton } from './passkeys.page.ts';
import { singleSignOnButton, singleSignOnConfirmation, singleSignOnForm } from './single-sign-on.page.ts';

export type SignInParts = {
  readonly theme: Theme;
  readonly host: string;
  readonly next: string;
  readonly login?: string;
  readonly problem?: string | undefined;
  readonly usesPasswords: boolean;
  /** Whether the dashboard's origin supports passkeys. */
  readonly usesPasskeys: boolean;
  /** The issuer of single sign-on. Undefined if it is off. */
  readonly issuer: string | undefined;
  readonly hasPeople: boolean;
};

const INVITE = `${COMMAND} admin invite`;

export function signInPage(parts: SignInParts): Page {
  const { theme, host, problem, hasPeople, usesPasskeys } = parts;
  const { issuer, usesPasswords, next } = parts;
  if (!hasPeople && issuer === undefined) {
    const title = messages.text('sign_in.nobody.title');
    const content = html`<p class="lead">${messages.text('sign_in.nobody.text')}</p>${command(`${INVITE} --role owner`)}`;
    return doorPage({ title, content }, theme);
  }
  const content = html`<p class="lead">${messages.markup('sign_in.lead', { host })}</p>
${problem !== undefined && notice('trouble', html`${problem}`)}
${(usesPasswords || usesPasskeys) && ownWays(parts)}
${issuer !== undefined && singleSignOnForm(issuer, next, !usesPasswords)}
<div class="help"><p>${messages.text('sign_in.help')}</p>${command(`${COMMAND} admin reset E-MAIL`)}</div>`;
  return doorPage({ title: messages.text('sign_in.title'), content, usesPasskeys }, theme);
}

function ownWays({ next, login = '', usesPasswords, usesPasskeys }: SignInParts): Html {
  const withPassword = html`${field({ name: 'login', label: messages.text('field.login'), type: 'email', value: login, autocomplete: 'username webauthn', isFirst: login === '' })}
${field({ name: 'password', label: messages.text('field.password'), type: 'password', autocomplete: 'current-password', isFirst: login !== '' })}
<button class="primary">${messages.text('sign_in.do')}</button>`;
  return html`<form method="post" action="/dashboard/sign-in" class="fields"><input type="hidden" name="next" value="${next}">
${usesPasswords && withPassword}
${usesPasskeys && passkeyButton({ does: 'get', label: messages.text('passkey.sign_in'), path: '/dashboard/sign-in/passkey' })}</form>`;
}

export type JoinParts = {
  readonly theme: Theme;
  readonly path: string;
  readonly invitation: Invitation;
  readonly typed?: Omit<Registration, 'password'>;
  readonly problems?: FieldProblems;
  readonly usesPasswords: boolean;
  /** Whether the dashboard's origin supports passkeys. */
  readonly usesPasskeys: boolean;
  /** The issuer of single sign-on. Undefined if it is off. */
  readonly issuer: string | undefined;
  /** The reason why the passkey was rejected. */
  readonly problem?: string | undefined;
};

/** Renders the page of a one-time link. Each purpose has its own texts. */
export function joinPage(parts: JoinParts): Page {
  const { theme, path, invitation, typed, problems = {}, problem } = parts;
  const { usesPasswords, usesPasskeys, issuer } = parts;
  const { purpose, role, login } = invitation;
  const lead = messages.markup(`${purpose}.lead`, {
    role: messages.text(`role.${role}`),
    login: login ?? '',
  });
  const isReset = purpose === 'reset';
  const password = html`${field({ name: 'password', label: messages.text(isReset ? 'field.new_password' : 'field.password'), type: 'password', autocomplete: 'new-password', hint: messages.text('field.password.hint'), problem: problems.password, isFirst: isReset, maxLength: 200 })}
<button class="primary">${messages.text(`${purpose}.do`)}</button>`;
  const content = html`<p class="lead">${lead}</p>
${problem !== undefined && notice('trouble', html`${problem}`)}
<form method="post" action="${path}" class="fields">
${!isReset && field({ name: 'name', label: messages.text('field.name'), value: typed?.name ?? '', autocomplete: 'name', problem: problems.name, isFirst: Object.keys(problems).length === 0, maxLength: 200 })}
${loginField(invitation, typed?.login ?? '', problems.login)}
${usesPasswords && password}
${usesPasskeys && passkeyButton({ does: 'create', label: messages.text('passkey.join'), path: `${path}/passkey` })}
${!usesPasskeys && usesPasswords && html`<p class="hint">${messages.text('passkey.no_passkeys')}</p>`}
${issuer !== undefined && singleSignOnButton(`${path}/single-sign-on`, !usesPasswords, messages.text('sso.join'))}</form>`;
  return doorPage({ title: messages.text(`${purpose}.title`), content, usesPasskeys }, theme);
}

/** Renders the address. If the link is for one address, the field is fixed and helps the password manager. */
function loginField({ login }: Invitation, typed: string, problem: string | undefined): Html {
  const label = messages.text('field.login');
  if (login === undefined)
    return field({
      name: 'login',
      label,
      type: 'email',
      value: typed,
      autocomplete: 'username',
      problem,
      maxLength: 200,
    });
  return html`<div><label for="login">${label}</label>
<input id="login" name="login" type="email" value="${login}" autocomplete="username" readonly>${problem !== undefined && html`<p class="wrong">${problem}</p>`}</div>`;
}

export function linkEndedPage(theme: Theme): Page {
  const content = html`<p class="lead">${messages.text('link_ended.text')}</p>
<p class="help">${messages.text('link_ended.todo')}</p>${command(INVITE)}
<div class="buttons"><a class="button primary" href="/dashboard">${messages.text('sign_in.title')}</a></div>`;
  return doorPage({ title: messages.text('link_ended.title'), content }, theme);
}

export type ConfirmParts = {
  readonly next: string;
  readonly problem?: string | undefined;
  readonly usesPasswords: boolean;
  /** Whether the member has a passkey for the dashboard's origin. */
  readonly usesPasskeys: boolean;
  readonly usesSingleSignOn: boolean;
};

export function confirmPage(parts: ConfirmParts, viewer: Viewer): Page {
  const { next, problem, usesPasswords, usesPasskeys, usesSingleSignOn } = parts;
  const { login } = viewer.person;
  const withPassword = usesPasswords
    ? html`${field({ name: 'password', label: messages.text('field.password'), type: 'password', autocomplete: 'current-password', problem, isFirst: true })}
<button class="primary">${messages.text('confirm.do')}</button>`
    : problem !== undefined && notice('trouble', html`${problem}`);
  const path = '/dashboard/confirm/passkey';
  const tokens = { tokenOf: viewer.formToken };
  const withPasskey =
    usesPasskeys && passkeyButton({ does: 'get', label: messages.text('passkey.confirm'), path, ...tokens });
  const form = html`<input type="hidden" name="next" value="${next}"><div class="fields">
<input type="hidden" name="username" value="${login}" autocomplete="username">
${withPassword}
${withPasskey}</div>`;
  const content = html`<p class="lead">${messages.text('confirm.lead')}</p>
${(usesPasswords || usesPasskeys) && postForm(viewer, '/dashboard/confirm', form)}
${usesSingleSignOn && singleSignOnConfirmation(next, !usesPasswords, viewer)}`;
  return doorPage({ title: messages.text('confirm.title'), content, usesPasskeys }, viewer.theme);
}

export type RefusedParts = {
  readonly title: string;
  readonly text: Html;
  readonly theme: Theme;
  /** The page to try again. Replaces the link to the overview. */
  readonly again?: string;
};

export function refusedPage({ title, text, theme, again }: RefusedParts): Page {
  const [path, word] =
    again === undefined ? (['/dashboard', 'error.home'] as const) : ([again, 'error.away.again'] as const);
  const content = html`<p class="lead">${text}</p>
<div class="buttons"><a class="button primary" href="${path}">${messages.text(word)}</a></div>`;
  return doorPage({ title, content }, theme);
}
