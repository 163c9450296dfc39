/** The error page: what happened, the way forward, and who can help (wire 4.1). */
import { type Html, html } from '../http/html.ts';
import type { ConnectError } from './connect-error.ts';
import { type Appearance, layout } from './layout.page.ts';
import { PROVIDER_NAMES, SIGNS } from './provider-marks.ts';

export function errorPage(error: ConnectError, look: Appearance): Html {
  const { messages } = look;
  const { wayBack, back, link, parameter, provider } = error.context;
  const names = provider === undefined ? {} : { provider: PROVIDER_NAMES[provider] };
  const title = messages.text(error.title, names);
  const code = parameter === undefined ? {} : { parameter: html`<code dir="ltr">${parameter}</code>` };
  const way =
    wayBack === undefined
      ? html`<p class="lead">${messages.text('error.forward')}</p>`
      : html`<p class="way"><a class="button primary" href="${wayBack.path}">${messages.text(wayBack.label)}</a></p>`;
  const before =
    back !== undefined && html`<a class="back" href="${back}">${SIGNS.back}${messages.text('back')}</a>`;
  const onward =
    link !== undefined &&
    html`<p class="lead"><a href="${link}" target="_blank" rel="noopener noreferrer">${messages.text('error.admin_link')}</a></p>`;
  const content = html`${before}<div class="meeting" aria-hidden="true"><span class="sign trouble">${SIGNS.trouble}</span></div>
<h1>${title}</h1>
<p class="lead">${messages.markup(error.text, { ...names, ...code })}</p>
${onward}
${way}
<p class="help">${messages.text('error.help')}</p>`;
  return layout(look, title, content);
}
