/** The audit log, newest first. A developer sees only the assigned applications. */
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry, type AuditFields } from '../audit/audit-entry.ts';
import type { AuditFilter } from '../audit/audit-log.ts';
import { type Html, html } from '../http/html.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import type { DashboardRoute, DashboardVisit } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { table, top } from './pages/parts.page.ts';
import { ago } from './pages/times.page.ts';
import { get } from './routes.ts';

const PATH = '/dashboard/audit';
const ON_A_PAGE = 40;

export const auditRoutes = ({ audit }: OpenDashboard): DashboardRoute[] => [
  get(PATH, 'audit.read', async (visit) => {
    const filter = readAuditFilter(visit);
    const before = Number.parseInt(visit.query('before'), 10);
    const page = { limit: ON_A_PAGE + 1, ...(Number.isSafeInteger(before) && before > 0 && { before }) };
    const entries = await audit.listEntries(filter, page);
    return visit.show({ title: messages.text('audit.title'), content: auditContent(entries, visit) });
  }),
];

/** Reads the filter. An application that the member may not see matches nothing. */
function readAuditFilter({ person, query }: DashboardVisit): AuditFilter {
  const clientId = query('client');
  const action = parseAuditAction(query('action'));
  const ownClientIds = person.role === 'developer' ? person.clientIds : undefined;
  const chosen =
    clientId === ''
      ? ownClientIds
      : ownClientIds === undefined || ownClientIds.includes(clientId)
        ? clientId
        : [];
  return { ...(chosen !== undefined && { clientId: chosen }), ...(action !== undefined && { action }) };
}

const parseAuditAction = (text: string): AuditAction | undefined =>
  AUDIT_ACTIONS.find((action) => action === text);

function auditContent(entries: readonly AuditEntry[], visit: DashboardVisit): Html {
  const visible = entries.slice(0, ON_A_PAGE);
  const last = entries.length > ON_A_PAGE ? visible.at(-1) : undefined;
  const heads = ['audit.when', 'audit.who', 'audit.what', 'audit.change'] as const;
  const list = table({
    name: messages.text('audit.title'),
    heads: heads.map((head) => messages.text(head)),
    rows: visible.map(entryRow),
  });
  return html`${top(messages.text('audit.title'), messages.text('audit.lead'))}
${filterForm(visit)}
${visible.length === 0 ? html`<div class="empty">${messages.text('audit.none')}</div>` : list}
${last !== undefined && html`<div class="buttons"><a class="button small" href="${olderPath(visit, last.number)}">${messages.text('older')}</a></div>`}`;
}

function filterForm({ query }: DashboardVisit): Html {
  const chosen = query('action');
  const actions = AUDIT_ACTIONS.map(
    (action) => html`<option value="${action}"${action === chosen && html` selected`}>${action}</option>`,
  );
  return html`<form method="get" action="${PATH}" class="filter">
<label>${messages.text('audit.what')}<select name="action"><option value="">${messages.text('audit.all')}</option>${actions}</select></label>
<label>${messages.text('audit.client')}<input name="client" value="${query('client')}" maxlength="100" autocomplete="off" spellcheck="false"></label>
<button class="small">${messages.text('filter')}</button></form>`;
}

function olderPath({ query }: DashboardVisit, before: number): string {
  const parameters = { action: query('action'), client: query('client'), before: String(before) };
  return `${PATH}?${new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''))}`;
}

function entryRow(entry: AuditEntry): Html[] {
  const { at, actor, address, action, clientId, subject } = entry;
  const who = 'name' in actor ? actor.name : messages.text('audit.actor.system');
  const where = actor.kind === 'command_line' ? messages.text('audit.actor.command_line') : address;
  const about = [clientId, subject].filter((one) => one !== undefined).join(' · ');
  return [
    ago(at),
    html`<bdi>${who}</bdi>${where !== undefined && html`<small>${where}</small>`}`,
    html`${action}${about !== '' && html`<small class="code">${about}</small>`}`,
    renderChanges(entry),
  ];
}

function renderChanges({ before = {}, after = {} }: Pick<AuditEntry, 'before' | 'after'>): Html {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const lines = names.map((name) => {
    const [was, is] = [renderField(before, name), renderField(after, name)];
    const both = was !== undefined && is !== undefined;
    return html`<li><span class="kind">${name}</span> ${was !== undefined && html`<del dir="auto">${was}</del>`}${both && ' → '}${is !== undefined && html`<bdi>${is}</bdi>`}</li>`;
  });
  return html`<ul class="changes">${lines}</ul>`;
}

const MOST_CHARACTERS = 200;

function renderField(fields: AuditFields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  const text = Array.isArray(value) ? value.join(', ') : value === null ? '–' : String(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
