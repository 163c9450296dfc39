/** Who asks, and for whom: at the head of every page on which somebody gives something (docs/security.md T3). */
import { withBreakPoints } from '../../design/parts.page.ts';
import { SIGNS } from '../../design/signs.ts';
import { type Html, html } from '../../http/html.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { domainOf } from '../flow/callback-url.ts';
import type { Appearance } from './appearance.ts';
import { applicationName, applicationSign } from './parts.page.ts';

/**
 * The application with its domain, and its user. The name is the application's own claim; the domain is where the
 * answer really goes. What people call the user counts where the application vouches for it.
 */
export function asker(request: AuthorizationRequest, appearance: Appearance): Html {
  const { messages, displayName } = appearance;
  const user = request.userName ?? request.userId;
  return html`<div class="asker"><div aria-hidden="true">${applicationSign(appearance)}</div><dl>
<div><dt class="unseen">${messages.text('consent.application')}</dt>
<dd><strong><bdi>${applicationName(displayName, messages)}</bdi></strong> <span class="domain">${SIGNS.site}<bdi>${withBreakPoints(domainOf(request.redirectUri))}</bdi></span></dd></div>
<div><dt>${messages.text('consent.user')}</dt> <dd><bdi>${withBreakPoints(user)}</bdi></dd></div></dl></div>`;
}
