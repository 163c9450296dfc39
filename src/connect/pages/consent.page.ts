/** The consent page: who gets what, for whom, from which accounts (docs/security.md T3), in plain words. */
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { Scope } from '../../oauth/scope.ts';
import type { AccountView } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { domainOf } from '../flow/callback-url.ts';
import { selectionPath } from '../flow/paths.ts';
import type { MessageKey, Messages } from '../messages/messages.ts';
import type { Appearance } from './appearance.ts';
import { layout } from './layout.page.ts';
import {
  accountNames,
  applicationHeader,
  applicationName,
  backLink,
  cancelForm,
  formFields,
  verificationNotice,
  withBreakPoints,
} from './parts.page.ts';
import { SIGNS } from './provider-marks.ts';

/** What each scope allows, and what its reader may fear that it does not. */
const SCOPE_TEXTS: Readonly<
  Record<Scope, { readonly can: readonly MessageKey[]; readonly cannot: readonly MessageKey[] }>
> = {
  'free-busy': {
    can: ['scope.see_busy'],
    cannot: ['scope.no_details', 'scope.no_change', 'scope.no_passwords'],
  },
  read: { can: ['scope.see_all'], cannot: ['scope.no_change', 'scope.no_passwords'] },
  'read-write': { can: ['scope.see_all', 'scope.change'], cannot: ['scope.no_passwords'] },
};

export type Consent = {
  readonly request: AuthorizationRequest;
  readonly accounts: readonly AccountView[];
};

/** The page; `accounts` has one at least. */
export function consentPage({ request, accounts }: Consent, appearance: Appearance): Page {
  const { messages, displayName } = appearance;
  const title = messages.text('consent.title');
  const app = applicationName(displayName, messages);
  const domain = html`<bdi>${withBreakPoints(domainOf(request.redirectUri))}</bdi>`;
  const content = html`${backLink(selectionPath(request), messages)}
${applicationHeader(appearance)}
<h1>${title}</h1>
<p class="lead">${messages.markup('consent.lead', { app })}</p>
${verificationNotice(appearance)}
${abilities(request.scope, app, messages)}
<dl class="facts">
${fact(messages.text('consent.accounts', { count: accounts.length }), accountNames(accounts))}
${fact(messages.text('consent.application'), applicationFact(displayName, domain))}
${fact(messages.text('consent.user'), html`<bdi>${withBreakPoints(request.userId)}</bdi>`)}
</dl>
<p class="small-print">${messages.markup('consent.caution', { domain })}${messages.gap}${messages.text('consent.later')}</p>
<div class="actions">
<form method="post" action="/connect/approve">${formFields(request)}<button class="primary">${messages.text('consent.allow')}</button></form>
${cancelForm(request, messages)}
</div>
<p class="small-print end">${messages.markup('consent.return', { domain })}</p>`;
  return layout({ title, content, settings: { request, page: 'consent' } }, appearance);
}

function abilities(scope: Scope, app: string, messages: Messages): Html {
  const { can, cannot } = SCOPE_TEXTS[scope];
  const items = (keys: readonly MessageKey[], sign: Html) =>
    keys.map((key) => html`<li>${sign}<span>${messages.text(key)}</span></li>`);
  return html`<section class="abilities"><h2 id="can">${messages.markup('consent.can', { app })}</h2>
<ul class="can" aria-labelledby="can">${items(can, SIGNS.tick)}</ul>
<h2 id="cannot">${messages.text('consent.cannot')}</h2>
<ul class="cannot" aria-labelledby="cannot">${items(cannot, SIGNS.cross)}</ul></section>`;
}

/** The name is the application's own claim; the domain is where the answer really goes. */
function applicationFact(displayName: string | undefined, domain: Html): Html {
  const place = html`<span class="domain">${SIGNS.site}${domain}</span>`;
  return displayName === undefined ? place : html`<bdi>${displayName}</bdi> ${place}`;
}

const fact = (term: string, description: Html): Html =>
  html`<div><dt>${term}</dt><dd>${description}</dd></div>
`;
