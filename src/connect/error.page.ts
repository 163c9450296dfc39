/** The error page: what happened, the way forward, and who can help (wire 4.1). */
import { type Html, html } from '../http/html.ts';
import type { ConnectError } from './connect-error.ts';
import { type Appearance, layout } from './layout.page.ts';
import { SIGNS } from './provider-marks.ts';

export function errorPage(error: ConnectError, look: Appearance): Html {
  const { messages } = look;
  const { wayBack, parameter } = error.context;
  const title = messages.text(error.title);
  const values = parameter === undefined ? {} : { parameter: html`<code dir="ltr">${parameter}</code>` };
  const way =
    wayBack === undefined
      ? html`<p class="lead">${messages.text('error.forward')}</p>`
      : html`<p class="way"><a class="button primary" href="${wayBack.path}">${messages.text(wayBack.label)}</a></p>`;
  const content = html`<div class="meeting" aria-hidden="true"><span class="sign trouble">${SIGNS.trouble}</span></div>
<h1>${title}</h1>
<p class="lead">${messages.markup(error.text, values)}</p>
${way}
<p class="help">${messages.text('error.help')}</p>`;
  return layout(look, title, content);
}
