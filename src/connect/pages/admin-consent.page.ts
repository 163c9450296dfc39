/** The page for an administrator who allowed the application for an organization at the provider. */
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import { PROVIDER_MARKS, PROVIDER_NAMES } from '../../design/parts.page.ts';
import { html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { Appearance } from './appearance.ts';
import { layout } from './layout.page.ts';
import { markedSign, pageSigns } from './parts.page.ts';

/** Renders the page. It has no links, because the administrator is in no flow. */
export function adminConsentPage(kind: ProviderKind, appearance: Appearance): Page {
  const { messages } = appearance;
  const title = messages.text('admin.title');
  const content = html`${pageSigns(markedSign(html`<span class="sign plain">${PROVIDER_MARKS[kind]}</span>`, 'done'))}
<h1>${title}</h1>
<p class="lead">${messages.markup('admin.lead', { provider: PROVIDER_NAMES[kind] })}</p>`;
  return layout({ title, content }, appearance);
}
