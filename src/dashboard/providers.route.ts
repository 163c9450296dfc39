/** An application's own apps at Google and Microsoft. */
import { APP_KINDS, type AppKind } from '../access/provider-apps.ts';
import { checkOwnApp, ownApps, removeOwnApp, setOwnApp } from '../administration/application-apps.ts';
import type { Html } from '../http/html.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { readClient, showTab } from './application-tab.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { APPLICATIONS, applicationPath } from './pages/applications.page.ts';
import {
  appFormContent,
  PROVIDERS_DONE,
  PROVIDERS_TAB,
  type ProvidersParts,
  providersContent,
  removeAppContent,
} from './pages/providers.page.ts';
import { freshGet, freshPost, get, post } from './routes.ts';

const TAB = `${APPLICATIONS}/:clientId${PROVIDERS_TAB}`;

export const providersRoutes = (): DashboardRoute[] => [
  get(TAB, 'application.read', (visit) => showProviders(visit)),
  ...APP_KINDS.flatMap(appRoutes),
];

const appRoutes = (kind: AppKind): DashboardRoute[] => [
  freshGet(`${TAB}/${kind}`, 'application.secrets', (visit) => showForm(visit, kind, {})),
  freshPost(`${TAB}/${kind}`, 'application.secrets', async (visit) => {
    const { person, parameter, field, deps } = visit;
    const appClientId = field('app_client_id').trim();
    const clientSecret = field('app_client_secret').trim();
    const typed = { clientId: parameter('clientId'), kind, appClientId, clientSecret };
    const problems = await setOwnApp(person, typed, deps);
    if (Object.keys(problems).length > 0) return showForm(visit, kind, { appClientId, problems });
    return backToTab(visit, 'set');
  }),
  freshGet(`${TAB}/${kind}/remove`, 'application.secrets', async (visit) => {
    const { client, apps } = await readOwnApps(visit);
    if (apps[kind] === undefined) throw new PeopleRefusal('not_there');
    return showProvidersTab(visit, { client, content: removeAppContent(client, kind, visit.viewer) });
  }),
  freshPost(`${TAB}/${kind}/remove`, 'application.secrets', async (visit) => {
    const { person, parameter, deps } = visit;
    await removeOwnApp(person, { clientId: parameter('clientId'), kind }, deps);
    return backToTab(visit, 'removed');
  }),
  post(`${TAB}/${kind}/check`, 'application.change', async (visit) => {
    const { person, parameter, deps } = visit;
    const check = await checkOwnApp(person, { clientId: parameter('clientId'), kind }, deps);
    return showProviders(visit, { kind, check });
  }),
];

const backToTab = ({ reply, parameter }: DashboardVisit, done: string) =>
  goTo(reply, `${applicationPath(parameter('clientId'))}${PROVIDERS_TAB}?done=${done}`);

async function showProviders(visit: DashboardVisit, checked?: ProvidersParts['checked']) {
  const { viewer, deps } = visit;
  const { appRegistrations: registrations } = deps;
  const apps = await readOwnApps(visit);
  const content = providersContent({ ...apps, registrations, checked }, viewer);
  const status = checked !== undefined && 'wait' in checked.check ? 429 : 200;
  return showProvidersTab(visit, { client: apps.client, content, status });
}

type TypedForm = Pick<Parameters<typeof appFormContent>[0], 'appClientId' | 'problems'>;

async function showForm(visit: DashboardVisit, kind: AppKind, typed: TypedForm) {
  const { client, apps } = await readOwnApps(visit);
  const content = appFormContent({ client, kind, own: apps[kind], ...typed }, visit.viewer);
  return showProvidersTab(visit, { client, content, status: typed.problems === undefined ? 200 : 400 });
}

async function readOwnApps(visit: DashboardVisit) {
  const client = await readClient(visit);
  return { client, apps: await ownApps(visit.person, client.clientId, visit.deps) };
}

const showProvidersTab = (visit: DashboardVisit, { client, ...shown }: Shown) => {
  const title = `${client.name} – ${messages.text('application.tab.providers')}`;
  return showTab(visit, { client, tab: PROVIDERS_TAB, title, done: PROVIDERS_DONE, ...shown });
};

type Shown = Pick<ProvidersParts, 'client'> & { readonly content: Html; readonly status?: number };
