/** Single sign-on on the pages: its buttons, the page between two sites, and the panel of one's own account. */
import type { Theme } from '../../branding/branding.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { PersonIdentity } from '../../people/identity.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { onwardPage } from './onward.page.ts';
import { instant } from './parts.page.ts';

const hostOf = (issuer: string): string => new URL(issuer).host;

/** The form before the door. */
export function singleSignOnForm(issuer: string, next: string, isOnlyWay: boolean): Html {
  return html`<form method="post" action="/dashboard/sign-in/single-sign-on" class="fields"><input type="hidden" name="next" value="${next}">
<button${isOnlyWay && html` class="primary"`}>${messages.text('sso.sign_in')}</button>
<p class="hint">${messages.markup('sso.at', { host: hostOf(issuer) })}</p></form>`;
}

/** In a form with other ways: it sends that form elsewhere, whatever is filled in. */
export const singleSignOnButton = (path: string, isOnlyWay: boolean, label: string): Html =>
  html`<button formaction="${path}" formnovalidate${isOnlyWay && html` class="primary"`}>${label}</button>`;

/** In the place of a form with other ways, for whoever is asked whether it is still them. */
export const singleSignOnConfirmation = (next: string, isOnlyWay: boolean, viewer: Viewer): Html =>
  postForm(
    viewer,
    '/dashboard/confirm/single-sign-on',
    html`<input type="hidden" name="next" value="${next}"><div class="fields"><button${isOnlyWay && html` class="primary"`}>${messages.text('sso.confirm')}</button></div>`,
  );

export type BetweenParts = {
  /** Another site's address, or a path of ours. */
  readonly to: string;
  readonly issuer: string;
  readonly theme: Theme;
};

/**
 * Between the two sites. A form may lead to no other one here (Content-Security-Policy), and a cookie that is Strict is not sent with
 * what another one began: a page of ours that goes on by itself may both.
 */
export function betweenPage({ to, issuer, theme }: BetweenParts): Page {
  const said = to.startsWith('/') ? 'sso.back' : 'sso.leaving';
  const lead = messages.markup(said, { host: hostOf(issuer) });
  return onwardPage({ to, title: messages.text('sso.title'), lead }, theme);
}

const PATH = '/dashboard/account/single-sign-on';

export type IdentityParts = {
  /** The issuer of this instance. */
  readonly issuer: string;
  readonly identity: PersonIdentity | undefined;
};

/** The panel of one's own account. */
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

/** Who somebody is there. */
export function identityFacts({ issuer, subject, usedAt }: PersonIdentity): Html {
  const facts = messages.markup('sso.facts', { host: hostOf(issuer), used: instant(usedAt) });
  return html`<ul class="sessions"><li><div><strong class="code"><bdi>${subject}</bdi></strong><p class="hint">${facts}</p></div></li></ul>`;
}
