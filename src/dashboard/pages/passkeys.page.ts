/** Passkeys on the pages: the button that requests one, and the list of the member's own. */
import { type Html, html } from '../../http/html.ts';
import type { Passkey } from '../../people/passkey-store.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { field, listEntry } from './parts.page.ts';
import { instant } from './times.page.ts';

export type PasskeyButtonParts = {
  readonly does: 'create' | 'get';
  readonly label: string;
  /** The path that receives the response. Its options come from `/options` below it. */
  readonly path: string;
  /** Returns the token of a session's form. Absent on pages without a session. */
  readonly tokenOf?: (path: string) => string;
};

/** Renders the button inside a form, whose fields are sent too. The script shows it if the browser has passkeys. */
export function passkeyButton({ does, label, path, tokenOf = () => '' }: PasskeyButtonParts): Html {
  const options = `${path}/options`;
  return html`<input type="hidden" name="credential"><button type="button" hidden data-passkey="${does}" data-path="${path}" data-token="${tokenOf(path)}" data-options-token="${tokenOf(options)}" data-failed="${messages.text('passkey.failed')}">${label}</button>
<p class="wrong" role="alert" hidden></p>`;
}

const PATH = '/dashboard/account/passkeys';

export type PasskeyParts = {
  readonly passkeys: readonly Passkey[];
  /** Whether the dashboard's origin supports passkeys. */
  readonly usesPasskeys: boolean;
  /** The origin of the passkeys, if the page is open at another one. */
  readonly elsewhere: string | undefined;
  readonly problem?: string | undefined;
};

export function passkeyPanel(parts: PasskeyParts, viewer: Viewer): Html {
  const { passkeys, problem } = parts;
  return html`<section class="panel" id="passkeys"><h2>${messages.text('account.passkeys')}</h2>
<p class="lead">${messages.text('account.passkeys.text')}</p>
${passkeys.length > 0 ? passkeyList(passkeys, PATH, viewer) : html`<p class="hint">${messages.text('account.passkeys.none')}</p>`}
${problem !== undefined && html`<p class="wrong" role="alert">${problem}</p>`}
${adding(parts, viewer)}</section>`;
}

function adding({ usesPasskeys, elsewhere }: PasskeyParts, viewer: Viewer): Html {
  if (!usesPasskeys) return html`<p class="hint">${messages.text('passkey.no_passkeys')}</p>`;
  if (elsewhere !== undefined)
    return html`<p class="hint">${messages.markup('passkey.elsewhere', { origin: elsewhere })}</p>`;
  const label = messages.text('account.passkeys.add');
  const name = field({
    name: 'passkey',
    label: messages.text('account.passkeys.name'),
    hint: messages.text('account.passkeys.name.hint'),
    ...{ isOptional: true, maxLength: 60 },
  });
  const button = passkeyButton({ does: 'create', label, path: PATH, tokenOf: viewer.formToken });
  return html`${postForm(viewer, PATH, html`<div class="fields" data-passkeys hidden>${name}${button}</div>`)}
<p class="hint" data-no-passkeys>${messages.text('passkey.unable')}</p>`;
}

/** Renders passkeys, each with a button that posts to `path`. */
export function passkeyList(passkeys: readonly Passkey[], path: string, viewer: Viewer): Html {
  const remove = messages.text('account.passkeys.remove');
  const items = passkeys.map(({ passkeyId, name, createdAt, usedAt }) => {
    const times = { added: instant(createdAt), used: instant(usedAt) };
    const button = html`<button class="small" aria-label="${remove}: ${name}">${remove}</button>`;
    const form = postForm(viewer, `${path}/${passkeyId}/remove`, button);
    return listEntry(name, messages.markup('account.passkeys.facts', times), form);
  });
  return html`<ul class="sessions">${items}</ul>`;
}
