/** One application: settings, first steps, credentials, and its deletion. */

import {
  changeSettings,
  countApplicationContents,
  deleteApplication,
  MOST_COUNTED,
  rotateSecret,
  SETTINGS_FIELDS,
} from '../administration/applications.ts';
import { readReview } from '../administration/reviews.ts';
import { type Html, html } from '../http/html.ts';
import type { Client } from '../oauth/client.ts';
import { may } from '../people/permission.ts';
import { readClient, readOverlap, showTab } from './application-tab.ts';
import { typedFields, typedUris } from './applications.route.ts';
import type { OpenDashboard } from './dashboard-deps.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import {
  credentialsContent,
  deleteContent,
  rotateContent,
  rotatedContent,
  settingsContent,
  settingsSecretContent,
} from './pages/application.page.ts';
import { postmanEnvironment } from './pages/application-code.ts';
import { APPLICATIONS, applicationPath, firstSteps } from './pages/applications.page.ts';
import type { Viewer } from './pages/layout.page.ts';
import { playgroundPath } from './pages/playground.page.ts';
import { editNotice } from './pages/verification.page.ts';
import { freshGet, freshPost, get, post } from './routes.ts';
import { securityRoutes } from './security.route.ts';

const ONE = `${APPLICATIONS}/:clientId`;

export const applicationRoutes = (deps: OpenDashboard): DashboardRoute[] => [
  ...settings(deps),
  ...credentials(deps),
  ...securityRoutes(),
  ...deletion(),
];

/** Renders what a change of reviewed values does to the application's review. */
async function renderEditNotice(visit: DashboardVisit): Promise<Html | undefined> {
  const { verification } = await readReview(
    visit.person,
    { clientId: visit.parameter('clientId') },
    visit.deps,
  );
  return editNotice(verification, visit.viewer);
}

const DONE = { saved: 'saved' } as const;

const settings = ({ publicUrl }: OpenDashboard): DashboardRoute[] => [
  get(ONE, 'application.read', async (visit) => {
    const client = await readClient(visit);
    const { facts } = await visit.deps.branding.findLook(client.clientId);
    const content = html`${await renderEditNotice(visit)}${settingsContent({ client, facts }, visit.viewer)}`;
    return showTab(visit, { client, tab: '', content, done: DONE });
  }),
  post(ONE, 'application.change', async (visit) => {
    const { person, viewer, reply, field, deps } = visit;
    const client = await readClient(visit);
    const { clientId } = client;
    const typed = typedFields(SETTINGS_FIELDS, field);
    const redirectUris = typedUris(field);
    const changed = await changeSettings(
      person,
      { clientId, typed, redirectUris: { all: redirectUris } },
      deps,
    );
    if ('problems' in changed) {
      const { facts } = await deps.branding.findLook(clientId);
      const filled = { values: typed, redirectUris, problems: changed.problems };
      const form = settingsContent({ client, facts, ...filled }, viewer);
      const content = html`${await renderEditNotice(visit)}${form}`;
      return showTab(visit, { client, tab: '', content, status: 400 });
    }
    if (changed.webhookSecret === undefined) return goTo(reply, `${applicationPath(clientId)}?done=saved`);
    return showTab(visit, { client, tab: '', content: settingsSecretContent(changed, clientId) });
  }),
  get(`${ONE}/start`, 'application.read', async (visit) => {
    const client = await readClient(visit);
    const mayTry = may(visit.person, 'playground.use', client.clientId);
    const tryAt = mayTry ? playgroundPath(client.clientId) : undefined;
    const content = firstSteps({ ...client, url: publicUrl }, tryAt);
    return showTab(visit, { client, tab: '/start', content });
  }),
];

/** Returns the handler of a page that shows a tab. */
const tabPage =
  (tab: string, render: (client: Client, viewer: Viewer) => Html): DashboardRoute['handle'] =>
  async (visit) => {
    const client = await readClient(visit);
    return showTab(visit, { client, tab, content: render(client, visit.viewer), done: DONE });
  };

const credentials = ({ publicUrl, now }: OpenDashboard): DashboardRoute[] => [
  get(`${ONE}/credentials`, 'application.read', tabPage('/credentials', credentialsContent)),
  get(`${ONE}/postman-environment`, 'application.read', async (visit) => {
    const client = await readClient(visit);
    return visit.reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .header('content-disposition', 'attachment; filename="kalends.postman_environment.json"')
      .send(postmanEnvironment(client.name, { ...client, url: publicUrl }));
  }),
  freshGet(`${ONE}/credentials/rotate`, 'application.secrets', tabPage('/credentials', rotateContent)),
  freshPost(`${ONE}/credentials/rotate`, 'application.secrets', async (visit) => {
    const rotation = { clientId: visit.parameter('clientId'), overlapMs: readOverlap(visit) };
    const rotated = await rotateSecret(visit.person, rotation, visit.deps);
    return showTab(visit, { tab: '/credentials', content: rotatedContent(rotated, now()) });
  }),
];

const deletion = (): DashboardRoute[] => {
  const showForm = async (
    visit: DashboardVisit,
    typed: { typed?: string; problem?: string },
    status = 200,
  ) => {
    const client = await readClient(visit);
    const contents = await countApplicationContents(visit.person, client.clientId, visit.deps);
    const isOpened = typed.problem !== undefined || visit.query('confirm') !== '';
    const content = deleteContent({ client, contents, most: MOST_COUNTED, isOpened, ...typed }, visit.viewer);
    return showTab(visit, { client, tab: '/delete', content, status });
  };
  return [
    freshGet(`${ONE}/delete`, 'application.delete', (visit) => showForm(visit, {})),
    freshPost(`${ONE}/delete`, 'application.delete', async (visit) => {
      const { person, parameter, field, reply, deps } = visit;
      const typedName = field('name');
      if (await deleteApplication(person, { clientId: parameter('clientId'), typedName }, deps))
        return goTo(reply, `${APPLICATIONS}?done=deleted`);
      return showForm(visit, { typed: typedName, problem: messages.text('delete.wrong') }, 400);
    }),
  ];
};
