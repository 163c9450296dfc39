/** How an app-specific password is made, step by step, for whoever opens it. */
import { type Html, html } from '../../http/html.ts';
import type { Appearance } from './appearance.ts';
import { SIGNS } from './provider-marks.ts';

/** What a user without a name to go by is told to call the password. */
const OUR_NAME = 'Kalends';

/** `isOpen`: for whoever is shown to have none. */
export function appPasswordHelp({ messages, displayName }: Appearance, isOpen: boolean): Html {
  const site = html`<a href="https://account.apple.com/" target="_blank" rel="noopener noreferrer" dir="ltr" translate="no">account.apple.com</a>`;
  return html`<details class="steps"${isOpen && html` open`}><summary>${messages.text('form.app_password_help')}${SIGNS.unfold}</summary>
<p class="hint">${messages.text('form.app_password_what')}</p>
<ol>
<li>${messages.markup('form.app_password_sign_in', { site })}</li>
<li>${messages.text('form.app_password_open')}</li>
<li>${messages.markup('form.app_password_make', { name: displayName ?? OUR_NAME })}</li>
<li>${messages.text('form.app_password_copy')}</li>
</ol></details>`;
}
