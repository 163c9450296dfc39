/** What an administrator sees who came back from allowing the application for an organisation. */
import type { ProviderKind } from '../calendars/provider-kind.ts';
import { type Html, html } from '../http/html.ts';
import { type Appearance, layout } from './layout.page.ts';
import { PROVIDER_MARKS, PROVIDER_NAMES } from './provider-marks.ts';

export function adminConsentPage(kind: ProviderKind, look: Appearance): Html {
  const { messages } = look;
  const title = messages.text('admin.title');
  const content = html`<div class="meeting" aria-hidden="true"><span class="sign">${PROVIDER_MARKS[kind]}</span></div>
<h1>${title}</h1>
<p class="lead">${messages.markup('admin.lead', { provider: PROVIDER_NAMES[kind] })}</p>`;
  return layout(look, title, content);
}
