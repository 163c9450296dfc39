/** Single sign-on on the pages: its buttons, the page between two sites, and the member's own panel. */
import type { Theme } from '../../branding/branding.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { PersonIdentity } from '../../people/identity.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { redirectPage } from './redirect.page.ts';
import { instant } from './times.page.ts';

const hostOf = (issuer: string): string => new URL(issuer).host;

export function singleSignOnForm(issuer: string, next: string, isOnlyWay: boolean): Html {
  return html`<form method="post" action="/dashboard/sign-in/single-sign-on" class="fields"><input type="hidden" name="next" value="${next}">
<button${isOnlyWay && html` class="primary"`}>${messages.text('sso.sign_in')}</button>
<p class="hint">${messages.markup('sso.at', { host: hostOf(issuer) })}</p></form>`;
}

/** A button inside another form. It submits that form to single sign-on, whatever its fields contain. */
export const singleSignOnButton = (path: string, isOnlyWay: boolean, label: string): Html =>
  html`<button formaction="${path}" formnovalidate${isOnlyWay && html` class="primary"`}>${label}</button>`;

/** Replaces a form with several methods if a member only has to confirm their identity. */
export const singleSignOnConfirmation = (next: string, isOnlyWay: boolean, viewer: Viewer): Html =>
  postForm(
    viewer,
    '/dashboard/confirm/single-sign-on',
    html`<input type="hidden" name="next" value="${next}"><div class="fields"><button${isOnlyWay && html` class="primary"`}>${messages.text('sso.confirm')}</button></div>`,
  );

export type BetweenParts = {
  /** The address of another site, or a path on this server. */
  readonly to: string;
  readonly issuer: string;
  readonly theme: Theme;
};

/**
 * Renders the page between this server and the issuer. The Content-Security-Policy forbids forms to redirect to
 * another site, and browsers do not send Strict cookies on a navigation that another site started.
 */
export function betweenPage({ to, issuer, theme }: BetweenParts): Page {
  const titleKey = to.startsWith('/') ? 'sso.back' : 'sso.leaving';
  const lead = messages.markup(titleKey, { host: hostOf(issuer) });
  return redirectPage({ to, title: messages.text('sso.title'), lead }, theme);
}

const PATH = '/dashboard/account/single-sign-on';

export type IdentityParts = {
  readonly issuer: string;
  readonly identity: PersonIdentity | undefined;
};

export function identityPanel({ issuer, identity }: IdentityParts, viewer: Viewer): Html {
  const isHere = identity !== undefined && identity.issuer === issuer;
  const connect = postForm(viewer, PATH, html`<button>${messages.text('sso.connect')}</button>`);
  const remove = postForm(
    viewer,
    `${PATH}/remove`,
    html`<button>${messages.text('sso.disconnect')}</button>`,
  );
  const followsClaims = html`<p class="hint">${messages.text('sso.own_claims')}</p>`;
  const change =
    identity?.roleSource === 'claims'
      ? followsClaims
      : html`<div class="buttons">${identity !== undefined && remove}</div>`;
  return html`<section class="panel" id="single-sign-on"><h2>${messages.text('sso.title')}</h2>
<p class="lead">${messages.markup(isHere ? 'sso.connected' : 'sso.unconnected', { host: hostOf(issuer) })}</p>
${identity !== undefined && identityFacts(identity)}
${!isHere && html`<div class="buttons">${connect}</div>`}
${identity !== undefined && change}</section>`;
}

export function identityFacts({ issuer, subject, usedAt }: PersonIdentity): Html {
  const facts = messages.markup('sso.facts', { host: hostOf(issuer), used: instant(usedAt) });
  return html`<ul class="sessions"><li><div><strong class="code"><bdi>${subject}</bdi></strong><p class="hint">${facts}</p></div></li></ul>`;
}
