/**
 * The last page of a popup (OpenID Connect Core 1.0 §3.1.2.1, `display=popup`; docs/popup.md): sends the answer to the
 * page that opened it and closes, or links back.
 */
import { readScript } from '../../design/parts.page.ts';
import { html } from '../../http/html.ts';
import { inlineScript, type Page } from '../../http/page.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { type ResponseParameters, responseUrl, type UserAnswer, webOriginOf } from '../flow/paths.ts';
import type { Appearance } from './appearance.ts';
import { layout } from './layout.page.ts';
import { applicationName, applicationSign, markedSign, pageSigns, returnLabel } from './parts.page.ts';

const SCRIPT = inlineScript(readScript(new URL('./popup.client.js', import.meta.url)));

const TEXTS = {
  approved: { title: 'popup.approved_title', text: 'popup.approved', mark: 'done' },
  denied: { title: 'popup.denied_title', text: 'popup.denied', mark: 'trouble' },
} as const;

type PopupResult = {
  readonly request: AuthorizationRequest;
  readonly answer: UserAnswer;
  readonly parameters: ResponseParameters;
};

/** Renders the page with its own script. Without scripts, the link does the same. */
export function popupResultPage({ request, answer, parameters }: PopupResult, appearance: Appearance): Page {
  const { messages } = appearance;
  // The only origin that gets the message (docs/security.md T9). Installed apps have none.
  const origin = webOriginOf(request.redirectUri);
  const url = responseUrl(request, parameters);
  const title = messages.text(TEXTS[answer].title);
  const app = applicationName(appearance.displayName, messages);
  const message = JSON.stringify(popupMessage(request, parameters, url));
  const data = origin !== undefined && html` data-origin="${origin}" data-message="${message}"`;
  const content = html`${pageSigns(markedSign(applicationSign(appearance), TEXTS[answer].mark))}
<h1>${title}</h1>
<p class="lead">${messages.markup(TEXTS[answer].text, { app })}</p>
<p class="way"><a class="button primary" id="return" href="${url}"${data}>${returnLabel(appearance)}</a></p>
${SCRIPT.element}`;
  return layout({ title, content, script: SCRIPT }, appearance);
}

const popupMessage = ({ state }: AuthorizationRequest, parameters: ResponseParameters, url: string) => ({
  type: 'kalends:authorization',
  ...parameters,
  // Decoded, as an application reads it from a redirect.
  ...(state !== undefined && { state: new URLSearchParams(`state=${state}`).get('state') ?? '' }),
  redirect_uri: url,
});
