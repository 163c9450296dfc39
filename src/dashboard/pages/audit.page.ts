/** The audit log: each entry as a sentence, with its action, the changed fields, the address and the time. */
import { AUDIT_ACTIONS, type AuditEntry, type AuditValue } from '../../audit/audit-entry.ts';
import { notice } from '../../design/parts.page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Client } from '../../oauth/client.ts';
import type { Person } from '../../people/person.ts';
import { type DashboardMessageKey, dashboardMessages as messages } from '../messages/messages.ts';
import { toProviderKind } from './deliveries.page.ts';
import {
  addressWith,
  applicationFilter,
  type FilterParts,
  filterBar,
  isFiltered,
  listFilters,
  noMatches,
  olderLink,
  selectFilter,
} from './filter-form.page.ts';
import { table, top } from './parts.page.ts';
import { ago } from './times.page.ts';
import { visibleText } from './visible-text.ts';

export const AUDIT = '/dashboard/audit';
/** The maximum number of entries on a page. */
export const ON_AUDIT_PAGE = 40;
/** The maximum size of the filters and entries, so that a page has at most 60 KB. Long entries leave less room. */
const MOST_BYTES = 24 * 1024;
/** The maximum length of a name or a value. */
const MOST_CHARACTERS = 100;
/** The maximum number of members in the filter. */
const MOST_CHOICES = 50;
const FILTER_NAMES = ['client', 'action', 'actor', 'subject', 'from', 'to', 'period'] as const;
/** The fields whose values are ids. */
const ID_FIELDS = ['client_ids', 'created_by', 'endpoint'];

/** Returns the ids in entries, whose names the page shows. */
export const listIds = (entries: readonly AuditEntry[]): string[] =>
  entries
    .flatMap(({ subject, ...entry }) => [
      subject,
      ...ID_FIELDS.flatMap((name) => [entry.before?.[name], entry.after?.[name]].flat()),
    ])
    .filter((id) => typeof id === 'string');

/** Names of applications and members, and hosts of endpoints, by id. Deleted ones are absent. */
type Names = ReadonlyMap<string, string>;

export type AuditParts = {
  /** One more than a page has if there are older ones. */
  readonly entries: readonly AuditEntry[];
  readonly names: Names;
  readonly clients: readonly Client[];
  /** The members in the filter. The reader is the first. */
  readonly members: readonly Person[];
  readonly problems: readonly DashboardMessageKey[];
  /** Returns a query parameter of the filter. */
  readonly query: (name: string) => string;
};

export function auditContent(parts: AuditParts): Html {
  const { entries, names, problems, query } = parts;
  const filters = filterParts(parts);
  const bar = filterBar(filters);
  const rows = entries.slice(0, ON_AUDIT_PAGE).map((entry) => entryRow(entry, names));
  const count = countFitting(rows, MOST_BYTES - Buffer.byteLength(bar.markup));
  const last = entries.length > count ? entries[count - 1] : undefined;
  const values = Object.fromEntries(FILTER_NAMES.map((name) => [name, query(name)]));
  const none = isFiltered(filters)
    ? noMatches(messages.text('audit.none'), AUDIT)
    : html`<div class="empty">${messages.text('audit.empty')}</div>`;
  const list = table({
    name: 'audit.title',
    heads: ['audit.what', 'audit.change', 'audit.from', 'audit.when'],
    rows: rows.slice(0, count),
  });
  return html`${top(messages.text('audit.title'), messages.text('audit.lead'))}
${bar}
${problems.map((problem) => notice('trouble', html`${messages.text(problem)}`))}
${problems.length === 0 && (count === 0 ? none : list)}
${olderLink(last && addressWith(AUDIT, { ...values, before: String(last.number) }))}`;
}

/** Returns the number of rows that fit into `most` bytes, or 1 if none fits. */
function countFitting(rows: readonly (readonly Html[])[], most: number): number {
  let bytes = 0;
  const end = rows.findIndex((cells) => {
    bytes += Buffer.byteLength(html`${cells}`.markup);
    return bytes > most;
  });
  return end === -1 ? rows.length : Math.max(end, 1);
}

function filterParts({ clients, members, query }: AuditParts): FilterParts {
  const commandLine = ['command_line', messages.text('audit.command_line')] as const;
  const authors = members
    .slice(0, MOST_CHOICES)
    .map(({ personId, name }) => [personId, visibleText(name, MOST_CHARACTERS)] as const);
  const actions = AUDIT_ACTIONS.map((action) => [action, action] as const);
  const choices = [
    ['', messages.text('filter.all')] as const,
    ...authors.slice(0, 1).map(([me]) => [me, messages.text('audit.mine')] as const),
    commandLine,
  ];
  const adminKeys = ['admin_key', messages.text('audit.admin_key')] as const;
  const actors = [commandLine, adminKeys, ['system', messages.text('product')] as const, ...authors];
  return {
    path: AUDIT,
    presets: { name: 'actor', value: query('actor'), choices },
    ...listFilters(FILTER_NAMES, query, {
      client: ({ value }) => applicationFilter(clients, value),
      action: (filter) => selectFilter(filter, actions),
      actor: (filter) => selectFilter(filter, actors),
    }),
  };
}

function entryRow(entry: AuditEntry, names: Names): Html[] {
  const { at, address = '–', action, subject } = entry;
  const code = subject === undefined ? action : `${action} · ${visibleText(subject, MOST_CHARACTERS)}`;
  return [
    html`${renderSentence(entry, names)}<small class="code">${code}</small>`,
    renderChanges(entry, names),
    html`<span class="line">${address}</span>`,
    ago(at),
  ];
}

/** Renders what happened, such as "Ada rotated the client secret of Tideline". */
export function renderSentence(entry: AuditEntry, names: Names): Html {
  const { action, actor, clientId, subject = '', before, after } = entry;
  const { name, count, accounts, purpose, requested_by } = { ...before, ...after };
  const oldName = action.startsWith('client.') && typeof name === 'string' ? name : clientId;
  // An entry of a newer version can have another action.
  const isKnown = AUDIT_ACTIONS.includes(action);
  return messages.markup(isKnown ? `audit.did.${action}` : 'audit.did.other', {
    who: renderAuthor(actor),
    application:
      clientId === undefined
        ? messages.text('audit.deployment')
        : renderName(clientId, names.get(clientId) ?? oldName),
    subject: renderName(subject, subjectName(entry, names)),
    count: Number(count ?? accounts ?? 1),
    self: Number(actor.kind === 'person' && actor.id === subject),
    own: Number(requested_by === 'application'),
    reset: Number(purpose === 'reset'),
  });
}

function renderAuthor(actor: AuditEntry['actor']): Html {
  if (actor.kind === 'system') return html`${messages.text('product')}`;
  if (actor.kind === 'person') return renderName(actor.id, actor.name);
  return messages.markup(`audit.did.${actor.kind}`, { name: visibleText(actor.name, MOST_CHARACTERS) });
}

/** Returns the name of the changed object, or its id if it was deleted. */
function subjectName({ action, subject = '', before, after }: AuditEntry, names: Names): string {
  const { url, email } = { ...before, ...after };
  if (action.startsWith('endpoint.')) return names.get(subject) ?? URL.parse(String(url))?.host ?? subject;
  if (action.startsWith('person.invit')) return email ? String(email) : messages.text('audit.anyone');
  if (action.startsWith('provider_app.')) return messages.text(`provider.${toProviderKind(subject)}`);
  return action.startsWith('person.') ? (names.get(subject) ?? subject) : subject;
}

/** Renders a name. Its title is the id. */
const renderName = (id: string, name = id): Html =>
  html`<bdi${name !== id && html` title="${visibleText(id, MOST_CHARACTERS)}"`}>${visibleText(name, MOST_CHARACTERS)}</bdi>`;

function renderChanges({ before = {}, after = {} }: AuditEntry, names: Names): Html {
  const lines = Object.keys({ ...before, ...after }).map((name) => {
    const [was, is] = [before, after].map((fields) =>
      renderValue(fields[name], ID_FIELDS.includes(name) && names),
    );
    return html`<li><span class="kind">${name}</span> ${was && html`<del>${was}</del>`}${was && is && ' → '}${is}</li>`;
  });
  return lines.length === 0 ? html`–` : html`<ul class="changes">${lines}</ul>`;
}

/** `names`: for values that are ids. */
function renderValue(value: AuditValue | undefined, names: Names | false): Html | undefined {
  if (value === undefined) return undefined;
  const texts = [value].flat().map((one) => String(one ?? '–'));
  const labels = names === false ? texts : texts.map((id) => names.get(id) ?? id);
  return renderName(texts.join(', ') || '–', labels.join(', ') || '–');
}
