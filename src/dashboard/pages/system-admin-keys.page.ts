/** The keys of the administration API: their list, the form of a new one, and the text of one, shown once. */
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import { COMMAND } from '../../lib/version.ts';
import type { Client } from '../../oauth/client.ts';
import type { ListedAdminKey } from '../../people/admin-key-store.ts';
import type { Role } from '../../people/person.ts';
import { dashboardMessages as messages } from '../messages/messages.ts';
import { overlapFields } from './application.page.ts';
import { postForm, type Viewer } from './layout.page.ts';
import {
  choice,
  command,
  copyable,
  emptyState,
  field,
  formButtons,
  headsOf,
  questionPanel,
  table,
} from './parts.page.ts';
import { applicationFields, roleFields } from './people.page.ts';
import { ago, instant } from './times.page.ts';
import { visibleText } from './visible-text.ts';

export const ADMIN_KEYS = '/dashboard/system/admin-keys';

const MOST_SHOWN = 50;
/** The maximum length of a name in the list. */
const MOST_CHARACTERS = 80;
const LOOKS = { valid: 'good', expired: 'quiet', creator_ended: 'warn' } as const;

/** Renders the list, newest first. */
export function adminKeysSection(keys: readonly ListedAdminKey[]): Html {
  const create = html`<a class="button primary" href="${ADMIN_KEYS}/new">${messages.text('admin_keys.create')}</a>`;
  const rows = keys.toReversed().slice(0, MOST_SHOWN).map(renderKey);
  const actions = html`<span class="unseen">${messages.text('admin_keys.actions')}</span>`;
  const heads = headsOf('admin_keys', ['name', 'role', 'state', 'creator', 'expires', 'used']);
  const none = emptyState(messages.text('admin_keys.none'), messages.text('admin_keys.none.text'), create);
  return html`<h2>${messages.text('admin_keys.title')}</h2>
<p class="hint">${messages.text('admin_keys.hint')}</p>
${rows.length > 0 && html`<div class="buttons">${create}</div>`}
${table({ name: 'admin_keys.title', heads: [...heads, actions], rows, none })}
${keys.length > MOST_SHOWN && html`<p class="hint">${messages.text('admin_keys.more', { count: MOST_SHOWN })}</p>${command(`${COMMAND} admin key list`)}`}`;
}

function renderKey(key: ListedAdminKey): Html[] {
  const { keyId, name, role, clientIds, prefix, state, creator, expiresAt, usedAt } = key;
  const count = clientIds.length;
  const link = (action: 'rotate' | 'revoke') => {
    const text = messages.text(`admin_keys.${action}.do`);
    const rank = action === 'revoke' ? ' danger' : '';
    return html`<a class="button small${rank}" href="${ADMIN_KEYS}/${keyId}/${action}" aria-label="${text}: ${name}">${text}</a>`;
  };
  return [
    html`<bdi>${visibleText(name, MOST_CHARACTERS)}</bdi><small class="code">${prefix}…</small>`,
    html`${messages.text(`role.${role}`)}${role === 'developer' && html`<small>${messages.text('admin_keys.applications', { count })}</small>`}`,
    html`<span class="state ${LOOKS[state]}">${messages.text(`admin_keys.state.${state}`)}</span>`,
    html`<bdi>${visibleText(creator ?? messages.text('admin_keys.creator.none'), MOST_CHARACTERS)}</bdi>`,
    expiresAt === undefined ? html`${messages.text('admin_keys.never')}` : ago(expiresAt),
    ago(usedAt),
    html`<div class="row-actions">${link('rotate')}${link('revoke')}</div>`,
  ];
}

/** The lifetimes in the form, in days. 0: the key does not expire. */
export const LIFETIMES: readonly number[] = [365, 90, 30, 0];

export type NewKeyParts = {
  readonly applications: readonly Client[];
  readonly name?: string;
  readonly role?: Role;
  readonly chosen?: readonly string[];
  readonly days?: number;
  /** Why the key was not created, as a sentence. */
  readonly problem?: string | undefined;
};

export function newKeyContent(parts: NewKeyParts, viewer: Viewer): Html {
  const { applications, name = '', role = 'viewer', chosen = [], problem } = parts;
  const { days: picked = LIFETIMES[0] } = parts;
  const lifetimes = LIFETIMES.map((days) => {
    const input = { type: 'radio', name: 'days', value: String(days), isPicked: days === picked } as const;
    return choice(input, messages.text('admin_keys.days', { days }));
  });
  const hint = messages.text('admin_keys.name.hint');
  const form = html`<div class="fields">
${field({ name: 'name', label: messages.text('admin_keys.name'), value: name, hint, isFirst: true, maxLength: 200 })}
${roleFields(role)}
${applicationFields(applications, chosen)}
<fieldset><legend>${messages.text('admin_keys.expires')}</legend>${lifetimes}</fieldset>
</div>${formButtons(messages.text('admin_keys.create'), ADMIN_KEYS)}`;
  return html`<h2>${messages.text('admin_keys.create')}</h2>
${problem !== undefined && notice('trouble', html`${problem}`, true)}
<div class="panel">${postForm(viewer, `${ADMIN_KEYS}/new`, form)}</div>`;
}

/** Renders the text of a key, which is shown only once. */
export function keyTextContent(secret: string, previousUntil?: number): Html {
  const until = previousUntil !== undefined && instant(previousUntil);
  return html`<h2>${messages.text('admin_keys.key')}</h2>
<section class="panel"><p class="lead"><strong>${messages.text('admin_keys.once')}</strong> ${messages.text('admin_keys.once.text')}${until && html` ${messages.markup('admin_keys.previous', { until })}`}</p>
${copyable('admin-key', secret)}
<div class="buttons"><a class="button primary" href="${ADMIN_KEYS}">${messages.text('link.done')}</a></div></section>`;
}

/** Renders the question before a key is rotated or revoked. */
export function keyQuestion(key: ListedAdminKey, action: 'rotate' | 'revoke', viewer: Viewer): Html {
  const { keyId, name } = key;
  const [title, text] = [
    messages.markup(`admin_keys.${action}.title`, { name }),
    messages.text(`admin_keys.${action}.text`),
  ];
  const button = messages.text(`admin_keys.${action}.do`);
  const question = { path: `${ADMIN_KEYS}/${keyId}/${action}`, back: ADMIN_KEYS, title, text, button };
  const fields = { fields: overlapFields(), rank: 'primary' } as const;
  return questionPanel({ ...question, ...(action === 'rotate' && fields) }, viewer);
}
