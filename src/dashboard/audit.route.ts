/** The audit log, newest first. A developer sees only the assigned applications. */
import { readableApplications } from '../administration/applications.ts';
import { ACTOR_KINDS, AUDIT_ACTIONS } from '../audit/audit-entry.ts';
import type { AuditFilter } from '../audit/audit-log.ts';
import { may } from '../people/permission.ts';
import type { Person } from '../people/person.ts';
import type { DashboardRoute } from './guard.ts';
import { listedApplications, type Query, readRange } from './log-filter.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { AUDIT, auditContent, listIds, ON_AUDIT_PAGE } from './pages/audit.page.ts';
import { get } from './routes.ts';

export const auditRoutes = (): DashboardRoute[] => [
  get(AUDIT, 'audit.read', async (visit) => {
    const { person, show, deps } = visit;
    // An unknown action is ignored.
    const query: Query = (name) =>
      name === 'action' ? (findAction(visit.query(name)) ?? '') : visit.query(name);
    const { range, problems } = readRange(query, deps.now());
    const filter = { ...readAuditFilter(person, query), ...range };
    const before = Number.parseInt(query('before'), 10);
    const page = { limit: ON_AUDIT_PAGE + 1, ...(Number.isSafeInteger(before) && before > 0 && { before }) };
    const [clients, people, entries] = await Promise.all([
      readableApplications(person, deps),
      may(person, 'people.manage') ? deps.people.listPeople() : [],
      problems.length > 0 ? [] : deps.audit.listEntries(filter, page),
    ]);
    const names = new Map([
      ...clients.map(({ clientId, name }) => [clientId, name] as const),
      ...(await deps.audit.findNames(listIds(entries))),
    ]);
    const members = [person, ...people.filter(({ personId }) => personId !== person.personId)];
    const content = auditContent({ entries, names, clients, members, problems, query });
    return show({ title: messages.text('audit.title'), content }, problems.length > 0 ? 400 : 200);
  }),
];

const findAction = (text: string) => AUDIT_ACTIONS.find((action) => action === text);

/** Reads the filter without its times. An application that the member may not see matches nothing. */
function readAuditFilter(person: Person, query: Query): AuditFilter {
  const [action, subject] = [findAction(query('action')), query('subject') || undefined];
  const kind = ACTOR_KINDS.find((one) => one === query('actor'));
  const actor = { kind: kind ?? 'person', id: kind === undefined ? query('actor') : undefined } as const;
  const clientId = listedApplications(person, query);
  return { clientId, action, subject, actor: query('actor') === '' ? undefined : actor };
}
