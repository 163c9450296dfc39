/** The last pages of a reconnect link. */
import { withBreakPoints } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import type { Appearance } from './appearance.ts';
import { layout } from './layout.page.ts';
import { applicationSign, markedSign, pageSigns, returnLabel } from './parts.page.ts';

/** Renders the page for the browser that signed in to the account. */
export function reconnectedPage(account: string, appearance: Appearance): Page {
  const { messages } = appearance;
  const title = messages.text('reconnected.title', { account });
  const heading = messages.markup('reconnected.title', {
    account: html`<bdi>${withBreakPoints(account)}</bdi>`,
  });
  return lastPage({ title, heading, text: messages.text('reconnected.text') }, appearance);
}

/** Renders the page of a link that was used. It names no account, because a link can leak. */
export function usedLinkPage(appearance: Appearance): Page {
  const { messages } = appearance;
  const title = messages.text('reconnected.used_title');
  return lastPage({ title, heading: html`${title}`, text: messages.text('reconnected.used') }, appearance);
}

type LastPage = { readonly title: string; readonly heading: Html; readonly text: string };

function lastPage({ title, heading, text }: LastPage, appearance: Appearance): Page {
  const { applicationUrl } = appearance.facts;
  const content = html`${pageSigns(markedSign(applicationSign(appearance), 'done'))}
<h1>${heading}</h1>
<p class="lead">${text}</p>
${applicationUrl !== undefined && html`<p class="way"><a class="button primary" href="${applicationUrl}" rel="noreferrer">${returnLabel(appearance)}</a></p>`}`;
  return layout({ title, content }, appearance);
}
