/** The last page of a popup: it hands the answer to the page that opened it and closes, or leads back by a link. */
import { readFileSync } from 'node:fs';

import { hashSource, html, trusted } from '../../http/html.ts';
import type { PopupAnswer } from '../flow/popup-answer.ts';
import type { Appearance } from './appearance.ts';
import {
  applicationName,
  applicationSign,
  layout,
  markedSign,
  type Page,
  pageSigns,
  returnLabel,
} from './layout.page.ts';

const SCRIPT = readFileSync(new URL('./popup.client.js', import.meta.url), 'utf8');
const SCRIPT_SOURCE = hashSource(SCRIPT);

const WORDS = {
  approved: { title: 'popup.approved_title', text: 'popup.approved', mark: 'done' },
  denied: { title: 'popup.denied_title', text: 'popup.denied', mark: 'trouble' },
} as const;

/** The page, with a script of its own that its policy admits; without scripts its link does the same. */
export function popupResultPage({ answer, url, origin, message }: PopupAnswer, look: Appearance): Page {
  const { messages } = look;
  const title = messages.text(WORDS[answer].title);
  const app = applicationName(look.displayName, messages);
  const told =
    origin !== undefined && html` data-origin="${origin}" data-message="${JSON.stringify(message)}"`;
  const content = html`${pageSigns(markedSign(applicationSign(look), WORDS[answer].mark))}
<h1>${title}</h1>
<p class="lead">${messages.markup(WORDS[answer].text, { app })}</p>
<p class="way"><a class="button primary" id="return" href="${url}"${told}>${returnLabel(look)}</a></p>
<script>${trusted(SCRIPT)}</script>`;
  const { document, policy } = layout(look, title, content);
  return {
    document,
    policy: { ...policy, scriptSource: `${policy.scriptSource ?? ''} ${SCRIPT_SOURCE}`.trim() },
  };
}
