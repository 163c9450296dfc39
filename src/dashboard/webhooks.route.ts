/** The endpoints of an application: list, add, change, test, pause, remove, and rotate the secret. */
import type { FastifyReply } from 'fastify';
import {
  addWebhook,
  changeWebhook,
  HEARS_EVENTS,
  pauseWebhook,
  readEndpoint,
  readEndpoints,
  removeWebhook,
  resumeWebhook,
  rotateWebhookSecret,
  type TypedEndpoint,
  testWebhook,
} from '../administration/webhooks.ts';
import { type Html, html } from '../http/html.ts';
import { readClient, readOverlap, showTab } from './application-tab.ts';
import { listUndelivered } from './deliveries.ts';
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { APPLICATIONS } from './pages/applications.page.ts';
import {
  type EndpointParts,
  endpointContent,
  newSecretContent,
  removeEndpointContent,
  rotateEndpointContent,
} from './pages/endpoint.page.ts';
import {
  endpointForm,
  endpointPath,
  readTopics,
  signingKeys,
  WEBHOOKS_TAB,
  webhooksContent,
  webhooksPath,
} from './pages/webhooks.page.ts';
import { freshGet, freshPost, get, post } from './routes.ts';

const LIST = `${APPLICATIONS}/:clientId${WEBHOOKS_TAB}`;
const ONE = `${LIST}/:endpointId`;
const HOUR_MS = 3_600_000;

export const webhooksRoutes = (): DashboardRoute[] => [
  ...listing(),
  ...adding(),
  ...changing(),
  ...doing(),
  ...ending(),
];

const DONE = {
  changed: 'webhooks.done.changed',
  paused: 'webhooks.done.paused',
  resumed: 'webhooks.done.resumed',
  removed: 'webhooks.done.removed',
  keys: 'webhooks.done.keys',
} as const;

const showWebhooks = (visit: DashboardVisit, content: Html, status = 200): Promise<FastifyReply> =>
  showTab(visit, { tab: WEBHOOKS_TAB, content, done: DONE, status });

const namedIn = ({ parameter }: DashboardVisit) => ({
  clientId: parameter('clientId'),
  endpointId: parameter('endpointId'),
});

const typedIn = ({ field, fields }: DashboardVisit): TypedEndpoint => ({
  url: field('url').trim(),
  hears: readTopics(fields('hears')),
  isShared: field('shared') === 'yes',
});

async function showEndpoint(
  visit: DashboardVisit,
  parts: Omit<EndpointParts, 'endpoint' | 'undelivered'> = {},
  status = 200,
) {
  const { person, viewer, deps } = visit;
  const endpoint = await readEndpoint(person, namedIn(visit), deps);
  const undelivered = await listUndelivered(person, namedIn(visit), deps);
  return showWebhooks(visit, endpointContent({ endpoint, undelivered, ...parts }, viewer), status);
}

const listing = (): DashboardRoute[] => [
  get(LIST, 'application.read', async (visit) => {
    const clientId = visit.parameter('clientId');
    const { person, viewer, deps } = visit;
    const endpoints = await readEndpoints(person, clientId, deps);
    const [use] = await deps.webhookKeys.listKeyUses(clientId);
    const url = `${deps.publicUrl}/.well-known/webhook-keys/${clientId}`;
    const keys = use && signingKeys(use, { url, now: deps.now() }, viewer);
    return showWebhooks(visit, html`${webhooksContent({ clientId, endpoints }, viewer)}${keys}`);
  }),
  freshPost(`${LIST}/keys`, 'application.signing_keys', async ({ parameter, field, reply, deps }) => {
    const clientId = parameter('clientId');
    const keys = field('keys') === 'own' ? 'own' : 'instance';
    const overlapUntil = deps.now() + 168 * HOUR_MS;
    await deps.webhookKeys.switchWebhookKeys({ clientId, keys, overlapUntil, by: deps.by });
    return goTo(reply, `${webhooksPath(clientId)}?done=keys`);
  }),
];

function adding(): DashboardRoute[] {
  const showForm = (visit: DashboardVisit, typed: Pick<TypedEndpoint, 'url' | 'hears'>, problem?: string) => {
    const clientId = visit.parameter('clientId');
    const path = `${webhooksPath(clientId)}/new`;
    const form = endpointForm(
      { path, clientId, ...typed, isFirst: false, problem, action: messages.text('webhooks.add') },
      visit.viewer,
    );
    const content = html`<section class="panel"><h2>${messages.text('webhooks.add')}</h2><p class="lead">${messages.text('webhooks.add.text')}</p>${form}</section>`;
    return showWebhooks(visit, content, problem === undefined ? 200 : 400);
  };
  return [
    get(`${LIST}/new`, 'application.change', (visit) => showForm(visit, { url: '', hears: HEARS_EVENTS })),
    post(`${LIST}/new`, 'application.change', async (visit) => {
      const clientId = visit.parameter('clientId');
      await readClient(visit);
      const typed = typedIn(visit);
      const added = await addWebhook(visit.person, { clientId, typed }, visit.deps);
      if ('problem' in added) return showForm(visit, typed, added.problem);
      const { endpointId, secret: webhookSecret } = added;
      return showWebhooks(visit, newSecretContent({ clientId, endpointId, webhookSecret }));
    }),
  ];
}

const changing = (): DashboardRoute[] => [
  get(ONE, 'application.read', (visit) => showEndpoint(visit)),
  post(ONE, 'application.change', async (visit) => {
    const typed = typedIn(visit);
    const wrong = await changeWebhook(visit.person, { ...namedIn(visit), typed }, visit.deps);
    if (wrong !== undefined) return showEndpoint(visit, { typed, ...wrong }, 400);
    return goTo(visit.reply, `${endpointPath(namedIn(visit))}?done=changed`);
  }),
];

const doing = (): DashboardRoute[] => [
  post(`${ONE}/test`, 'application.change', async (visit) => {
    const test = await testWebhook(visit.person, namedIn(visit), visit.deps);
    return showEndpoint(visit, { test: test?.attempt });
  }),
  post(`${ONE}/pause`, 'application.change', async (visit) => {
    await pauseWebhook(visit.person, namedIn(visit), visit.deps);
    return goTo(visit.reply, `${endpointPath(namedIn(visit))}?done=paused`);
  }),
  post(`${ONE}/resume`, 'application.change', async (visit) => {
    await resumeWebhook(visit.person, namedIn(visit), visit.deps);
    return goTo(visit.reply, `${endpointPath(namedIn(visit))}?done=resumed`);
  }),
];

const ending = (): DashboardRoute[] => [
  freshGet(`${ONE}/rotate`, 'application.secrets', async (visit) => {
    const endpoint = await readEndpoint(visit.person, namedIn(visit), visit.deps);
    return showWebhooks(visit, rotateEndpointContent(endpoint, visit.viewer));
  }),
  freshPost(`${ONE}/rotate`, 'application.secrets', async (visit) => {
    const { person, deps } = visit;
    const overlapMs = readOverlap(visit);
    const until = deps.now() + overlapMs;
    const webhookSecret = await rotateWebhookSecret(person, { ...namedIn(visit), overlapMs }, deps);
    return showWebhooks(visit, newSecretContent({ ...namedIn(visit), webhookSecret, until }));
  }),
  freshGet(`${ONE}/remove`, 'application.change', async (visit) => {
    const endpoint = await readEndpoint(visit.person, namedIn(visit), visit.deps);
    return showWebhooks(visit, removeEndpointContent(endpoint, visit.viewer));
  }),
  freshPost(`${ONE}/remove`, 'application.change', async (visit) => {
    if (!(await removeWebhook(visit.person, namedIn(visit), visit.deps)))
      return goTo(visit.reply, endpointPath(namedIn(visit)));
    return goTo(visit.reply, `${webhooksPath(visit.parameter('clientId'))}?done=removed`);
  }),
];
