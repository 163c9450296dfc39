/** The consent page for two or more accounts. */
import { html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { pagePath, selectionPath } from '../flow/paths.ts';
import type { Appearance } from './appearance.ts';
import {
  abilities,
  type Consent,
  consentActions,
  consentTerms,
  isNewAccount,
} from './consent-content.page.ts';
import { layout } from './layout.page.ts';
import { accountNames, applicationHeader, backLink, verificationNotice } from './parts.page.ts';

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
${accountNames(accounts, { labelledBy: 'accounts', words: describeAccount })}
${consentTerms(consent, appearance)}
${consentActions(request, messages)}`;
  return layout({ title, content, settings: { request, path: pagePath('consent', request) } }, appearance);
}
