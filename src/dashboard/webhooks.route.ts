/** The endpoints of an application: list, add, change, test, pause, remove, and rotate the secret. */
import type { FastifyReply } from 'fastify';
import { readApplication } from '../administration/applications.ts';
import {
  addWebhook,
  changeWebhook,
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
import { type DashboardRoute, type DashboardVisit, goTo } from './guard.ts';
import { dashboardMessages as messages } from './messages/messages.ts';
import { applicationPage, OVERLAP_HOURS } from './pages/application.page.ts';
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

const LIST = `${APPLICATIONS}/:clientId${WEBHOOKS_TAB}`;
const ONE = `${LIST}/:endpointId`;
const HOUR_MS = 3_600_000;
const HEARS_EVENTS = { events: true, calendars: false, connections: false, own: false };

export const webhooksRoutes = (): DashboardRoute[] => [
  ...listing(),
  ...adding(),
  ...changing(),
  ...doing(),
  ...ending(),
];

async function showTab(visit: DashboardVisit, content: Html, status = 200): Promise<FastifyReply> {
  const { person, parameter, viewer, query, show, deps } = visit;
  const client = await readApplication(person, parameter('clientId'), deps);
  const notice = status === 200 ? renderNotice(query('done')) : undefined;
  return show(
    {
      title: client.name,
      content: applicationPage({ client, tab: WEBHOOKS_TAB, content, said: notice }, viewer),
    },
    status,
  );
}

const DONE = ['changed', 'paused', 'resumed', 'removed', 'keys'] as const;

function renderNotice(done: string): Html | undefined {
  const what = DONE.find((one) => one === done);
  return what && html`${messages.text(`webhooks.done.${what}`)}`;
}

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
  parts: Omit<EndpointParts, 'endpoint'> = {},
  status = 200,
) {
  const endpoint = await readEndpoint(visit.person, namedIn(visit), visit.deps);
  return showTab(visit, endpointContent({ endpoint, ...parts }, visit.viewer), status);
}

const listing = (): DashboardRoute[] => [
  {
    method: 'GET',
    path: LIST,
    needs: 'application.read',
    async handle(visit) {
      const clientId = visit.parameter('clientId');
      const { person, viewer, deps } = visit;
      const endpoints = await readEndpoints(person, clientId, deps);
      const [use] = await deps.webhookKeys.listKeyUses(clientId);
      const url = `${deps.publicUrl}/.well-known/webhook-keys/${clientId}`;
      const keys = use && signingKeys(use, { url, now: deps.now() }, viewer);
      return showTab(visit, html`${webhooksContent({ clientId, endpoints }, viewer)}${keys}`);
    },
  },
  {
    method: 'POST',
    path: `${LIST}/keys`,
    needs: 'application.signing_keys',
    isFresh: true,
    async handle({ parameter, field, reply, deps: { webhookKeys, now, by } }) {
      const clientId = parameter('clientId');
      const keys = field('keys') === 'own' ? 'own' : 'instance';
      await webhookKeys.switchWebhookKeys({ clientId, keys, overlapUntil: now() + 168 * HOUR_MS, by });
      return goTo(reply, `${webhooksPath(clientId)}?done=keys`);
    },
  },
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
    return showTab(visit, content, problem === undefined ? 200 : 400);
  };
  return [
    {
      method: 'GET',
      path: `${LIST}/new`,
      needs: 'application.change',
      handle: (visit) => showForm(visit, { url: '', hears: HEARS_EVENTS }),
    },
    {
      method: 'POST',
      path: `${LIST}/new`,
      needs: 'application.change',
      async handle(visit) {
        const clientId = visit.parameter('clientId');
        await readApplication(visit.person, clientId, visit.deps);
        const typed = typedIn(visit);
        const added = await addWebhook(visit.person, { clientId, typed }, visit.deps);
        if ('problem' in added) return showForm(visit, typed, added.problem);
        const { endpointId, secret: webhookSecret } = added;
        return showTab(visit, newSecretContent({ clientId, endpointId, webhookSecret }));
      },
    },
  ];
}

const changing = (): DashboardRoute[] => [
  { method: 'GET', path: ONE, needs: 'application.read', handle: (visit) => showEndpoint(visit) },
  {
    method: 'POST',
    path: ONE,
    needs: 'application.change',
    async handle(visit) {
      const typed = typedIn(visit);
      const wrong = await changeWebhook(visit.person, { ...namedIn(visit), typed }, visit.deps);
      if (wrong !== undefined) return showEndpoint(visit, { typed, ...wrong }, 400);
      return goTo(visit.reply, `${endpointPath(namedIn(visit))}?done=changed`);
    },
  },
];

const doing = (): DashboardRoute[] => [
  {
    method: 'POST',
    path: `${ONE}/test`,
    needs: 'application.change',
    async handle(visit) {
      return showEndpoint(visit, { test: await testWebhook(visit.person, namedIn(visit), visit.deps) });
    },
  },
  {
    method: 'POST',
    path: `${ONE}/pause`,
    needs: 'application.change',
    async handle(visit) {
      await pauseWebhook(visit.person, namedIn(visit), visit.deps);
      return goTo(visit.reply, `${endpointPath(namedIn(visit))}?done=paused`);
    },
  },
  {
    method: 'POST',
    path: `${ONE}/resume`,
    needs: 'application.change',
    async handle(visit) {
      await resumeWebhook(visit.person, namedIn(visit), visit.deps);
      return goTo(visit.reply, `${endpointPath(namedIn(visit))}?done=resumed`);
    },
  },
];

const ending = (): DashboardRoute[] => [
  {
    method: 'GET',
    path: `${ONE}/rotate`,
    needs: 'application.secrets',
    isFresh: true,
    async handle(visit) {
      const endpoint = await readEndpoint(visit.person, namedIn(visit), visit.deps);
      return showTab(visit, rotateEndpointContent(endpoint, visit.viewer));
    },
  },
  {
    method: 'POST',
    path: `${ONE}/rotate`,
    needs: 'application.secrets',
    isFresh: true,
    async handle(visit) {
      const { person, field, deps } = visit;
      const hours = OVERLAP_HOURS.find((one) => String(one) === field('overlap')) ?? OVERLAP_HOURS[0];
      const overlapMs = (hours ?? 0) * HOUR_MS;
      const until = deps.now() + overlapMs;
      const webhookSecret = await rotateWebhookSecret(person, { ...namedIn(visit), overlapMs }, deps);
      return showTab(visit, newSecretContent({ ...namedIn(visit), webhookSecret, until }));
    },
  },
  {
    method: 'GET',
    path: `${ONE}/remove`,
    needs: 'application.change',
    isFresh: true,
    async handle(visit) {
      const endpoint = await readEndpoint(visit.person, namedIn(visit), visit.deps);
      return showTab(visit, removeEndpointContent(endpoint, visit.viewer));
    },
  },
  {
    method: 'POST',
    path: `${ONE}/remove`,
    needs: 'application.change',
    isFresh: true,
    async handle(visit) {
      if (!(await removeWebhook(visit.person, namedIn(visit), visit.deps)))
        return goTo(visit.reply, endpointPath(namedIn(visit)));
      return goTo(visit.reply, `${webhooksPath(visit.parameter('clientId'))}?done=removed`);
    },
  },
];
