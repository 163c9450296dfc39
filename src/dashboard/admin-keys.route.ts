/** The forms that create, rotate and revoke keys of the administration API. The system page lists the keys. */
import type { Html } from '../http/html.ts';
import { createAdminKey, listAdminKeys, revokeAdminKey, rotateAdminKey } from '../people/admin-keys.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { personNameProblem, ROLES } from '../people/person.ts';
import { readOverlap } from './application-tab.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { systemContent } from './pages/system.page.ts';
import {
  ADMIN_KEYS,
  keyQuestion,
  keyTextContent,
  LIFETIMES,
  type NewKeyParts,
  newKeyContent,
} from './pages/system-admin-keys.page.ts';
import { freshGet, freshPost } from './routes.ts';

const NEW = `${ADMIN_KEYS}/new`;
const ONE = `${ADMIN_KEYS}/:keyId`;
const DAY_MS = 24 * 3_600_000;

export const adminKeyRoutes = (): DashboardRoute[] => [
  freshGet(NEW, 'people.manage', (visit) => showForm(visit, {})),
  freshPost(NEW, 'people.manage', createKey),
  freshGet(`${ONE}/rotate`, 'people.manage', (visit) => showQuestion(visit, 'rotate')),
  freshPost(`${ONE}/rotate`, 'people.manage', async (visit) => {
    const rotation = { keyId: visit.parameter('keyId'), overlapMs: readOverlap(visit) };
    const { secret, previousUntil } = await rotateAdminKey(visit.person, rotation, visit.deps);
    return showPage(visit, keyTextContent(secret, previousUntil));
  }),
  freshGet(`${ONE}/revoke`, 'people.manage', (visit) => showQuestion(visit, 'revoke')),
  freshPost(`${ONE}/revoke`, 'people.manage', async ({ reply, person, parameter, deps }) => {
    await revokeAdminKey(person, parameter('keyId'), deps);
    return goTo(reply, `${ADMIN_KEYS}?done=key_revoked`);
  }),
];

async function createKey(visit: DashboardVisit) {
  const { person, field, fields, deps } = visit;
  const [name, chosen] = [field('name'), fields('application')];
  const role = ROLES.find((one) => one === field('role')) ?? 'viewer';
  const days = LIFETIMES.find((one) => String(one) === field('days')) ?? 30;
  const clientIds = role === 'developer' ? chosen : [];
  const problem = findProblem(name, role === 'developer' && clientIds.length === 0);
  if (problem !== undefined) return showForm(visit, { name, role, days, chosen, problem });
  const lifetimeMs = days === 0 ? undefined : days * DAY_MS;
  const { secret } = await createAdminKey(person, { name, role, clientIds, lifetimeMs }, deps);
  return showPage(visit, keyTextContent(secret));
}

function findProblem(name: string, needsApplication: boolean): string | undefined {
  const problem = personNameProblem(name);
  if (problem !== undefined) return messages.text('admin_keys.name.bad', { problem });
  return needsApplication ? messages.text('admin_keys.applications.missing') : undefined;
}

async function showForm(visit: DashboardVisit, parts: Omit<NewKeyParts, 'applications'>) {
  const applications = await visit.deps.clients.listClients();
  const status = parts.problem === undefined ? 200 : 400;
  return showPage(visit, newKeyContent({ applications, ...parts }, visit.viewer), status);
}

async function showQuestion(visit: DashboardVisit, action: 'rotate' | 'revoke') {
  const { person, parameter, viewer, deps } = visit;
  const key = (await listAdminKeys(person, deps)).find(({ keyId }) => keyId === parameter('keyId'));
  if (key === undefined) throw new PeopleRefusal('not_there');
  return showPage(visit, keyQuestion(key, action, viewer));
}

function showPage({ show, deps }: DashboardVisit, content: Html, status = 200) {
  const whole = systemContent(deps.program, { page: 'admin-keys', said: false, content });
  return show({ title: messages.text('admin_keys.title'), content: whole }, status);
}
