/** An application's own apps at Google and Microsoft. */
import { APP_KINDS, type AppKind } from '../access/provider-apps.ts';
import { checkOwnApp, ownApps, removeOwnApp, setOwnApp } from '../administration/application-apps.ts';
import { readApplication } from '../administration/applications.ts';
import type { Html } from '../http/html.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { applicationPage } from './pages/application.page.ts';
import { APPLICATIONS, applicationPath } from './pages/applications.page.ts';
import {
  appFormContent,
  PROVIDERS_TAB,
  type ProvidersParts,
  providersContent,
  providersSaid,
} from './pages/providers.page.ts';

const TAB = `${APPLICATIONS}/:clientId${PROVIDERS_TAB}`;

export const providersRoutes = (): DashboardRoute[] => [
  { method: 'GET', path: TAB, needs: 'application.read', handle: (visit) => showProviders(visit) },
  ...APP_KINDS.flatMap(appRoutes),
];

const appRoutes = (kind: AppKind): DashboardRoute[] => [
  {
    method: 'GET',
    path: `${TAB}/${kind}`,
    needs: 'application.secrets',
    isFresh: true,
    handle: (visit) => showForm(visit, kind, {}),
  },
  {
    method: 'POST',
    path: `${TAB}/${kind}`,
    needs: 'application.secrets',
    isFresh: true,
    async handle(visit) {
      const { person, parameter, field, deps } = visit;
      const appClientId = field('app_client_id').trim();
      const clientSecret = field('app_client_secret').trim();
      const typed = { clientId: parameter('clientId'), kind, appClientId, clientSecret };
      const problems = await setOwnApp(person, typed, deps);
      if (Object.keys(problems).length > 0) return showForm(visit, kind, { appClientId, problems });
      return backToTab(visit, 'set');
    },
  },
  {
    method: 'POST',
    path: `${TAB}/${kind}/remove`,
    needs: 'application.secrets',
    isFresh: true,
    async handle(visit) {
      const { person, parameter, deps } = visit;
      await removeOwnApp(person, { clientId: parameter('clientId'), kind }, deps);
      return backToTab(visit, 'removed');
    },
  },
  {
    method: 'POST',
    path: `${TAB}/${kind}/check`,
    needs: 'application.change',
    async handle(visit) {
      const { person, parameter, deps } = visit;
      const check = await checkOwnApp(person, { clientId: parameter('clientId'), kind }, deps);
      return showProviders(visit, { kind, check });
    },
  },
];

const backToTab = ({ reply, parameter }: DashboardVisit, done: string) =>
  goTo(reply, `${applicationPath(parameter('clientId'))}${PROVIDERS_TAB}?done=${done}`);

async function showProviders(visit: DashboardVisit, checked?: ProvidersParts['checked']) {
  const { viewer, query, deps } = visit;
  const { appRegistrations: registrations } = deps;
  const apps = await readOwnApps(visit);
  const content = providersContent({ ...apps, registrations, checked }, viewer);
  const status = checked !== undefined && 'wait' in checked.check ? 429 : 200;
  return showTab(visit, { client: apps.client, content, said: providersSaid(query('done')) }, status);
}

type TypedForm = Pick<Parameters<typeof appFormContent>[0], 'appClientId' | 'problems'>;

async function showForm(visit: DashboardVisit, kind: AppKind, typed: TypedForm) {
  const { client, apps } = await readOwnApps(visit);
  const content = appFormContent({ client, kind, own: apps[kind], ...typed }, visit.viewer);
  return showTab(visit, { client, content }, typed.problems === undefined ? 200 : 400);
}

async function readOwnApps({ person, parameter, deps }: DashboardVisit) {
  const clientId = parameter('clientId');
  const client = await readApplication(person, clientId, deps);
  return { client, apps: await ownApps(person, clientId, deps) };
}

type Shown = Pick<ProvidersParts, 'client'> & { readonly content: Html; readonly said?: Html | undefined };

const showTab = ({ viewer, show }: DashboardVisit, { client, ...shown }: Shown, status: number) =>
  show(
    {
      title: `${client.name} – ${messages.text('application.tab.providers')}`,
      content: applicationPage({ client, tab: PROVIDERS_TAB, ...shown }, viewer),
    },
    status,
  );
