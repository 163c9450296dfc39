/** The consent page: who gets what, for whom, from which accounts (threat T3), in plain words. */
import { type Html, html } from '../http/html.ts';
import type { Scope } from '../oauth/scope.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import { domainOf } from './callback-url.ts';
import type { AccountView } from './connect-flow.ts';
import { type Appearance, applicationName, cancelForm, layout, meeting, ownFields } from './layout.page.ts';
import type { MessageKey } from './messages.ts';
import { selectionPath } from './paths.ts';
import { PROVIDER_MARKS, PROVIDER_NAMES, SIGNS } from './provider-marks.ts';

const SCOPE_WORDS: Readonly<Record<Scope, MessageKey>> = {
  'free-busy': 'scope.free_busy',
  read: 'scope.read',
  'read-write': 'scope.read_write',
};

export type Consent = {
  readonly request: AuthorizationRequest;
  readonly displayName: string | undefined;
  readonly accounts: readonly AccountView[];
};

export function consentPage({ request, displayName, accounts }: Consent, look: Appearance): Html {
  const { messages } = look;
  const title = messages.text('consent.title');
  const app = applicationName(displayName, messages);
  const domain = domainOf(request.redirectUri);
  const content = html`<a class="back" href="${selectionPath(request)}">${SIGNS.back}${messages.text('back')}</a>
${meeting(displayName)}
<h1>${title}</h1>
<p class="lead">${messages.markup('consent.lead', { app })}</p>
<dl class="facts">
${fact(messages.text('consent.application'), applicationFact(displayName, domain))}
${fact(messages.text('consent.user'), html`<bdi>${request.userId}</bdi>`)}
${fact(messages.text('consent.accounts', { count: accounts.length }), accountList(accounts))}
${fact(messages.text('consent.scope'), html`${messages.text(SCOPE_WORDS[request.scope])}`)}
</dl>
<p class="caution">${messages.markup('consent.caution', { domain })} ${messages.markup('consent.return', { domain })}</p>
<div class="actions">
<form method="post" action="/connect/approve">${ownFields(request)}<button class="primary">${messages.text('consent.allow')}</button></form>
${cancelForm(request, messages)}
</div>`;
  return layout(look, title, content);
}

/** The name is the application's own claim; the domain is where the answer really goes. */
function applicationFact(displayName: string | undefined, domain: string): Html {
  if (displayName === undefined) return html`<bdi>${domain}</bdi>`;
  return html`<bdi>${displayName}</bdi> <span class="domain"><bdi>${domain}</bdi></span>`;
}

const fact = (term: string, description: Html): Html =>
  html`<div><dt>${term}</dt><dd>${description}</dd></div>
`;

function accountList(accounts: readonly AccountView[]): Html {
  const items = accounts.map(
    ({ provider, name }) =>
      html`<li>${PROVIDER_MARKS[provider]}<span><bdi>${name}</bdi> <span class="kind">${PROVIDER_NAMES[provider]}</span></span></li>`,
  );
  return html`<ul>${items}</ul>`;
}
