/** What all Connect pages share: the document around them, their one stylesheet, small parts. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { type Html, html, trusted } from '../http/html.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import { firstCharacter } from './connect-flow.ts';
import type { Messages } from './messages.ts';
import { SIGNS } from './provider-marks.ts';

const STYLES = readFileSync(new URL('./connect.css', import.meta.url), 'utf8');

/** The stylesheet's source in a Content-Security-Policy: it stands in the page, so no second request is made. */
export const STYLE_SOURCE = `'sha256-${hash('sha256', STYLES, 'base64')}'`;

/** In whose words and colours a page is shown. */
export type Appearance = {
  readonly messages: Messages;
  readonly theme: AuthorizationRequest['theme'];
};

/** A whole document; `title` is also what a screen reader hears first. */
export function layout({ messages, theme }: Appearance, title: string, content: Html): Html {
  return html`<html lang="${messages.language}" dir="${messages.direction}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>${trusted(STYLES)}</style>
</head>
<body>
<main>
${content}
</main>
<footer>${messages.text('footer')}</footer>
</body>
</html>
`;
}

/** The application's name as text: its display name, else generic words (requirement §1). */
export function applicationName(displayName: string | undefined, messages: Messages): string {
  return displayName ?? messages.text('app.generic');
}

/** Application and Kalends side by side; words beside it say the same. */
export function meeting(displayName: string | undefined): Html {
  const initial = firstCharacter(displayName ?? '');
  return html`<div class="meeting" aria-hidden="true">
<span class="sign">${initial === '' ? SIGNS.application : initial.toLocaleUpperCase('en')}</span>
<span class="between">${SIGNS.between}</span>
<span class="sign ours">${SIGNS.calendar}</span>
</div>`;
}

/** Says what was done (politely) or what went wrong (at once). */
export function notice(kind: 'done' | 'trouble', text: Html): Html {
  return kind === 'done'
    ? html`<div class="notice" role="status">${SIGNS.done}<div>${text}</div></div>`
    : html`<div class="notice bad" role="alert">${SIGNS.trouble}<div>${text}</div></div>`;
}

/** The fields that make a form this request's own. */
export function ownFields({ transactionId, formToken }: AuthorizationRequest): Html {
  return html`<input type="hidden" name="transaction" value="${transactionId}"><input type="hidden" name="token" value="${formToken}">`;
}

/** The button that gives up, on the pages where that is a decision. */
export function cancelForm(request: AuthorizationRequest, messages: Messages): Html {
  return html`<form method="post" action="/connect/cancel">${ownFields(request)}<button>${messages.text('cancel')}</button></form>`;
}
