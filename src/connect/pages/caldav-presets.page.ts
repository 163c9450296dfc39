/** The choice among CalDAV servers that are known: links, each to the form with that server's address and hints in it. */
import { type Html, html } from '../../http/html.ts';
import { CALDAV_PRESETS, type CalDavPreset } from '../accounts/caldav-presets.ts';
import type { AuthorizationRequest } from '../flow/authorization-request-store.ts';
import { signInPath } from '../flow/paths.ts';
import type { Messages } from '../messages/messages.ts';
import { SIGNS } from './provider-marks.ts';

type Choice = {
  readonly request: AuthorizationRequest;
  readonly chosen: CalDavPreset | undefined;
  /** The account to connect again. */
  readonly accountKey: string | undefined;
};

/** `isOpen`: for whoever has nothing in the form yet. */
export function presetChoice(
  { request, chosen, accountKey }: Choice,
  isOpen: boolean,
  messages: Messages,
): Html {
  const to = (id: string) => `${signInPath('caldav', request, accountKey)}&preset=${id}`;
  const items = CALDAV_PRESETS.map(({ id, name }) => {
    const isChosen = chosen?.id === id;
    const mark =
      isChosen && html`${SIGNS.tick}<span class="unseen">${messages.text('form.preset_chosen')}</span>`;
    return html`<li><a class="choice${isChosen && ' chosen'}" href="${to(id)}"><span translate="no">${name}</span>${mark}</a></li>
`;
  });
  const other = html`<li><a class="choice" href="${to('')}">${messages.text('form.preset_other')}</a></li>`;
  return html`<details class="presets"${isOpen && html` open`}><summary>${messages.text('form.presets')}${SIGNS.unfold}</summary>
<p class="hint">${messages.text('form.presets_hint')}</p>
<ul>
${items}${chosen && other}</ul></details>`;
}
