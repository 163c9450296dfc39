/** A page that redirects by itself, between two origins, so that no form or cookie crosses them. */
import type { Theme } from '../../branding/branding.ts';
import { type Html, html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { doorPage } from './layout.page.ts';

/** Renders the page. `to` is created by the server. Without a script its link leads there. */
export function redirectPage(
  { to, title, lead }: { readonly to: string; readonly title: string; readonly lead?: Html },
  theme: Theme,
): Page {
  const content = html`${lead !== undefined && html`<p class="lead">${lead}</p>`}<div class="buttons"><a class="button primary" href="${to}" data-goes-on>${messages.text('onward.do')}</a></div>`;
  return doorPage({ title, content, goesOnTo: to }, theme);
}
