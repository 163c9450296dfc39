/** The pages of consent (docs/security.md T3), and their parts on the selection page with one account. */

import type { ProviderKind } from '../../calendars/provider-facts.ts';
import {
  ICONS,
  outwardLink,
  PROVIDER_MARKS,
  PROVIDER_NAMES,
  withBreakPoints,
} from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { narrowerScope, type Scope } from '../../oauth/scope.ts';
import type { AccountView } from '../accounts/account-views.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { displayDomain, pagePath, selectionPath } from '../flow/paths.ts';
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
  markedSign,
  pageSigns,
  verificationNotice,
} from './parts.page.ts';

/** The access that each scope allows, and access that users may fear but that it excludes. */
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

/** Returns whether an approval gives the application an account that it did not have. */
export const isNewAccount = ({ isNew, givenScope }: AccountView): boolean =>
  isNew && givenScope === undefined;

/** Lists new access in full, and existing access in short. */
export function abilities({ request, accounts }: Consent, { displayName, messages }: Appearance): Html {
  const app = applicationName(displayName, messages);
  const { can, cannot } = SCOPE_TEXTS[usableScope(request.scope, accounts)];
  const before = abilitiesBefore(accounts);
  const added = can.filter((key) => !before.includes(key));
  const isWidened = before.length > 0 && added.length > 0;
  return html`<section class="abilities"><h2 id="can">${messages.markup(isWidened ? 'consent.can_also' : 'consent.can', { app })}</h2>
<ul class="can" aria-labelledby="can">${abilityItems(isWidened ? added : can, ICONS.tick, messages)}</ul>
${isWidened && abilityList({ id: 'before', heading: 'consent.before', sign: ICONS.tick }, before, messages)}
${abilityList({ id: 'cannot', heading: 'consent.cannot', sign: ICONS.cross }, cannot, messages)}</section>`;
}

/** Returns the access that these accounts allow. Nothing can be changed in calendar links. */
const usableScope = (scope: Scope, accounts: readonly AccountView[]): Scope =>
  accounts.every(({ isCalendarLink }) => isCalendarLink) ? narrowerScope(scope, 'read') : scope;

/** Returns the existing access of accounts whose access becomes wider; empty if there are none. */
function abilitiesBefore(accounts: readonly AccountView[]): readonly MessageKey[] {
  const given = accounts.flatMap(({ isNew, givenScope }) => (isNew && givenScope ? [givenScope] : []));
  const [first, ...rest] = given;
  // The access that all of them allow. Anything beyond it is new for some of them.
  return first === undefined ? [] : SCOPE_TEXTS[usableScope(rest.reduce(narrowerScope, first), accounts)].can;
}

type AbilityList = { readonly id: string; readonly heading: MessageKey; readonly sign: Html };

const abilityList = (list: AbilityList, keys: readonly MessageKey[], messages: Messages): Html =>
  html`<h2 id="${list.id}">${messages.text(list.heading)}</h2>
<ul class="${list.id}" aria-labelledby="${list.id}">${abilityItems(keys, list.sign, messages)}</ul>
`;

const abilityItems = (keys: readonly MessageKey[], sign: Html, messages: Messages): Html[] =>
  keys.map((key) => html`<li>${sign}<span>${messages.text(key)}</span></li>`);

/** Renders a caution, how access can be ended, and links to the application's policies. */
export function consentTerms({ request }: Consent, { messages, facts }: Appearance): Html {
  const domain = html`<bdi>${withBreakPoints(displayDomain(request.redirectUri))}</bdi>`;
  const links = [
    facts.privacyUrl !== undefined &&
      outwardLink(facts.privacyUrl, html`${messages.text('consent.privacy')}`),
    facts.termsUrl !== undefined && outwardLink(facts.termsUrl, html`${messages.text('consent.terms')}`),
  ].filter((link) => link !== false);
  return html`<p class="small-print">${messages.markup('consent.caution', { domain })}${messages.gap}${messages.text('consent.later')}</p>
${links.length > 0 && html`<p class="small-print policies">${links.map((link, index) => html`${index > 0 && ' · '}${link}`)}</p>`}`;
}

export function consentActions(request: AuthorizationRequest, messages: Messages): Html {
  return html`<div class="actions">
<form method="post" action="/connect/approve">${formFields(request)}<button class="primary">${messages.text('consent.allow')}</button></form>
${cancelForm(request, messages)}
</div>`;
}

/** Renders the page for two or more accounts. */
export function consentPage(consent: Consent, appearance: Appearance): Page {
  const { request, accounts } = consent;
  const { messages } = appearance;
  const title = messages.text('consent.title');
  const areAllNew = accounts.every(isNewAccount);
  const describeAccount = (account: (typeof accounts)[number]) =>
    !areAllNew && isNewAccount(account) ? messages.text('selection.new') : undefined;
  const content = html`${backLink(selectionPath(request), messages)}
${applicationHeader(request, appearance)}
<h1>${title}</h1>
${verificationNotice(appearance)}
${abilities(consent, appearance)}
<h2 id="accounts">${messages.text('consent.accounts', { count: accounts.length })}</h2>
${accountNames(accounts, { messages, labelledBy: 'accounts', words: describeAccount })}
${consentTerms(consent, appearance)}
${consentActions(request, messages)}`;
  return layout({ title, content, settings: { request, path: pagePath('consent', request) } }, appearance);
}

/** Renders the page of an approval that waits for another code to be redeemed. It reloads by itself. */
export function waitingPage(request: AuthorizationRequest, appearance: Appearance): Page {
  const { messages } = appearance;
  const title = messages.text('waiting.title');
  const path = pagePath('waiting', request);
  const content = html`${applicationHeader(request, appearance)}
<h1>${title}</h1>
<p class="lead">${messages.text('waiting.text')}</p>
<p class="way"><a class="button primary" href="${path}">${messages.text('try_again')}</a></p>
<div class="actions">
${cancelForm(request, messages)}
</div>`;
  return layout({ title, content, settings: { request, path }, goesOnTo: path }, appearance);
}

/** Renders the page for an administrator who allowed the application at the provider. No links: they are in no flow. */
export function adminConsentPage(kind: ProviderKind, appearance: Appearance): Page {
  const { messages } = appearance;
  const title = messages.text('admin.title');
  const content = html`${pageSigns(markedSign(html`<span class="sign plain">${PROVIDER_MARKS[kind]}</span>`, 'done'))}
<h1>${title}</h1>
<p class="lead">${messages.markup('admin.lead', { provider: PROVIDER_NAMES[kind] })}</p>`;
  return layout({ title, content }, appearance);
}
