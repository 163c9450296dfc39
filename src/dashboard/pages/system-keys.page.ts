/** The keys that sign tokens and webhooks, and their rotation. */
import { type Html, html } from '../../http/html.ts';
import { COMMAND } from '../../lib/version.ts';
import type { MasterKeyState } from '../../system/master-key.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { postForm, type Viewer } from './layout.page.ts';
import { command, table } from './parts.page.ts';
import type { KeyFigures } from './system-figures.ts';
import { ago, instant } from './times.page.ts';

/** Limits the previous keys on the page: there are many after some years. */
const MOST_SHOWN = 10;

type KeyRow = {
  readonly id: string;
  readonly algorithm: string;
  readonly status: 'next' | 'active' | 'previous';
  readonly since: number;
  readonly until: number | undefined;
};

export function keysSection({ program, ...keys }: KeyFigures, viewer: Viewer, path: string): Html {
  const signing = keys.signing.map(({ kid, algorithm, status, createdAt }) => ({
    ...{ id: kid, algorithm, status, since: createdAt, until: undefined },
  }));
  const webhook = keys.webhook.map(({ keyId, status, activatedAt, retiresAt }) => ({
    ...{ id: keyId, algorithm: 'Ed25519', status, since: activatedAt, until: retiresAt },
  }));
  // Keys of another algorithm still verify the tokens that they signed.
  const signs = signing.find((key) => key.status === 'active' && key.algorithm === program.tokenAlgorithm);
  const active = { signing: signs?.id, webhook: webhook.find(({ status }) => status === 'active')?.id };
  return html`${renderKeyTable('signing', signing, { path, viewer, active: active.signing })}
${renderKeyTable('webhook', webhook, { path, viewer, active: active.webhook })}
${masterKeySection(keys.master)}`;
}

/** Renders the master key. Only the CLI changes it, because servers may need a restart. */
function masterKeySection({ keyId = '', next, before }: MasterKeyState): Html {
  const code = (id: string) => html`<span class="code">${id}</span>`;
  const notice =
    next === undefined
      ? messages.markup('system.master_key.text', { key: code(keyId) })
      : messages.markup('system.master_key.changing', {
          ...{ key: code(keyId), next: code(next.keyId), when: instant(next.startedAt) },
        });
  const earlier =
    before !== undefined &&
    html` ${messages.markup('system.master_key.before', { key: code(before.keyId), when: instant(before.until) })}`;
  return html`<h2>${messages.text('system.master_key')}</h2>
<section class="panel"><p>${notice}${earlier}</p>
<p>${messages.text(`system.master_key.${next === undefined ? 'change' : 'go_on'}`)}</p>
${command(`${COMMAND} keys rotate-master`)}</section>`;
}

type KeysParts = { readonly path: string; readonly viewer: Viewer; readonly active: string | undefined };

/** Renders a key table. The form contains `active`, so that a form sent twice rotates only once. */
function renderKeyTable(
  of: 'signing' | 'webhook',
  keys: readonly KeyRow[],
  { path, viewer, active }: KeysParts,
): Html {
  const rows = keys
    .slice(0, MOST_SHOWN)
    .map(({ id, algorithm, status, since, until }) => [
      html`<span class="code">${id}</span>`,
      html`${algorithm}`,
      html`<span class="state ${status === 'active' ? 'good' : 'quiet'}">${messages.text(`system.key.${of}.${status}`)}</span>`,
      html`${ago(since)}${until !== undefined && html`<small>${messages.markup('system.key.until', { when: instant(until) })}</small>`}`,
    ]);
  const list = table({
    name: `system.keys.${of}`,
    heads: ['system.keys.id', 'system.keys.algorithm', 'system.keys.state', 'system.keys.since'],
    rows,
  });
  const more = keys.length - rows.length;
  const form = postForm(
    viewer,
    `${path}/${of}-keys/rotate`,
    html`<input type="hidden" name="active" value="${active ?? ''}"><button>${messages.text(`system.keys.${of}.rotate`)}</button>`,
  );
  return html`<h2>${messages.text(`system.keys.${of}`)}</h2>
${list}${more > 0 && html`<p class="hint">${messages.text('system.keys.more', { count: more })}</p>`}
<section class="panel"><p>${messages.text(`system.keys.${of}.text`)}</p><div class="buttons">${form}</div></section>`;
}
