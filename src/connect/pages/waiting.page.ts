/** The page of an approval that waits for another code to be redeemed (docs/security.md T3). It reloads by itself. */
import { html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { pagePath } from '../flow/paths.ts';
import type { Appearance } from './appearance.ts';
import { layout } from './layout.page.ts';
import { applicationHeader, cancelForm } from './parts.page.ts';

export function waitingPage(
  { request }: { readonly request: AuthorizationRequest },
  appearance: Appearance,
): Page {
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
