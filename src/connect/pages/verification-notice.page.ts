/** The notice on applications that the operator has not verified (wire 4.4). Nothing else is withheld. */
import { type Html, html } from '../../http/html.ts';
import type { Appearance } from './appearance.ts';
import { SIGNS } from './provider-marks.ts';

/** `undefined` where there is nothing to say: no operator named, or the application is verified. */
export function verificationNotice({ unverifiedBy, displayName, messages }: Appearance): Html | undefined {
  if (unverifiedBy === undefined) return undefined;
  const operator = unverifiedBy;
  const text =
    displayName === undefined
      ? messages.markup('verification.text', { operator })
      : messages.markup('verification.text_named', { operator, app: displayName });
  return html`<section class="notice caution" aria-labelledby="unverified">${SIGNS.caution}<div>
<h2 id="unverified">${messages.markup('verification.title', { operator })}</h2>
<p>${text}</p>
<details><summary>${messages.text('verification.means')}${SIGNS.unfold}</summary>
<ul><li>${messages.text('verification.review')}</li><li>${messages.text('verification.access')}</li><li>${messages.text('verification.end')}</li></ul>
</details></div></section>`;
}
