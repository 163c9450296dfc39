/** The operations on the webhook endpoints of applications. */
import { SETTINGS } from '../../branding/settings-error.ts';
import { flag, parsed, required, text } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import type { EndpointHears } from '../../webhooks/endpoint.ts';
import type { EndpointPage, EndpointPlace, ListedEndpoint } from '../../webhooks/endpoint-store.ts';
import { readApplication } from '../applications.ts';
import { ENDPOINT, TOPICS, toTopics } from '../documents/endpoint.ts';
import { toDocument } from '../documents/field.ts';
import { readableClientIds } from '../users.ts';
import { ADDRESS_TAKEN } from '../webhook-address.ts';
import {
  addWebhook,
  changeWebhook,
  type EndpointProblem,
  findWebhook,
  HEARS_EVENTS,
  pauseWebhook,
  removeWebhook,
  resumeWebhook,
  rotateWebhookSecret,
  testWebhook,
} from '../webhooks.ts';
import { ENDPOINTS } from './administration-error.ts';
import { visibleUrl } from './application-operations.ts';
import {
  type AdministrationDeps,
  CLIENT,
  DRY_RUN,
  lists,
  operation,
  overlapField,
  overlapMsOf,
  PAGE,
  type Page,
  readPage,
} from './operation.ts';

const GROUP = 'Endpoints';
const PATH = '/endpoints/{endpoint_id}';
const OF_APPLICATION = '/applications/{client_id}/endpoints';
const MOST_CHARACTERS = 2_000;
const FIELDS = {
  endpoint_id: required(text({ max: 100, doc: 'The id of the endpoint.', example: 'we_Zk3nQ0vTx1' })),
};

const ALL_TOPICS = [...TOPICS, 'own'];
const isTopics = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.every((topic) => ALL_TOPICS.includes(topic)) &&
  TOPICS.some((topic) => value.includes(topic));

function readTopics(value: unknown): EndpointHears | undefined {
  if (!isTopics(value)) return undefined;
  return {
    events: value.includes('events'),
    calendars: value.includes('calendars'),
    connections: value.includes('connections'),
    own: value.includes('own'),
  };
}

const topics = parsed(readTopics, {
  doc: `The topics: at least one of ${TOPICS.join(', ')}. With \`own\`, it also receives changes that the application made itself.`,
  schema: { type: 'array', items: { enum: ALL_TOPICS }, contains: { enum: [...TOPICS] } },
  example: ['events'],
  problem: `must be a list of ${TOPICS.join(', ')}, and of own if there is another one`,
});
const url = text({
  ...{ max: MOST_CHARACTERS, example: 'https://app.example/hook' },
  doc: 'The https URL that receives deliveries.',
});
const share_address = flag({
  doc: '`true`: the URL may be one that another application uses. Only owners can set it.',
});
const REFUSED_URLS = [SETTINGS.invalid_client_metadata, SETTINGS.address_in_use];

const toError = ({ problem }: EndpointProblem): ApiError =>
  problem === ADDRESS_TAKEN
    ? new ApiError(SETTINGS.address_in_use)
    : new ApiError(SETTINGS.invalid_client_metadata, problem);

/** Returns the endpoint as the actor may read it. */
const visibleEndpoint = (
  endpoint: ListedEndpoint,
  deps: Pick<AdministrationDeps, 'actor'>,
): ListedEndpoint => ({ ...endpoint, url: visibleUrl(endpoint, deps) });

const LIST = {
  method: 'get',
  group: GROUP,
  fields: PAGE,
  command: 'webhook list',
  ...lists('endpoints', ENDPOINT),
} as const;

type EndpointList = {
  readonly clientId: string | readonly string[] | undefined;
  readonly limit: number | undefined;
  readonly after: string | undefined;
};

async function listPage(
  { clientId, ...page }: EndpointList,
  deps: AdministrationDeps,
): Promise<Page<ListedEndpoint>> {
  const list = {
    list: 'endpoints',
    read: (place: EndpointPage) => deps.endpoints.listEndpoints(clientId, place),
    toPosition: ({ clientId: owner, isFirst, createdAt, endpointId }: ListedEndpoint): EndpointPlace => ({
      ...{ clientId: owner, isFirst, createdAt, endpointId },
    }),
  };
  const { subjects, next } = await readPage(page, list, deps);
  return { subjects: subjects.map((endpoint) => visibleEndpoint(endpoint, deps)), next };
}

export const listAllEndpoints = operation({
  ...{ id: 'listAllEndpoints', path: '/endpoints', ...LIST },
  summary: 'List the webhook endpoints of all applications that the key may read',
  ...{ permission: 'application.list', pathFields: {} },
  async run(page, deps) {
    return listPage({ ...page, clientId: await readableClientIds(deps.actor, deps) }, deps);
  },
});

export const listApplicationEndpoints = operation({
  ...{ id: 'listEndpoints', path: OF_APPLICATION, ...LIST },
  summary: 'List the webhook endpoints of an application',
  ...{ permission: 'application.read', pathFields: CLIENT },
  async run({ client_id: clientId, ...page }, deps) {
    await readApplication(deps.actor, clientId, deps);
    return listPage({ ...page, clientId }, deps);
  },
});

export const addEndpointOperation = operation({
  ...{ id: 'addEndpoint', method: 'post', path: OF_APPLICATION, group: GROUP, status: 201 },
  summary: 'Add a webhook endpoint to an application',
  description: 'Changes from now on are delivered. Only this response has `secret`.',
  permission: 'application.change',
  errors: [...REFUSED_URLS, SETTINGS.too_many_endpoints],
  pathFields: CLIENT,
  fields: { url: required(url), hears: topics, share_address },
  ...{ command: 'webhook add', result: ['endpoint_id', 'secret'] },
  async run({ client_id: clientId, url, hears = HEARS_EVENTS, share_address: isShared = false }, deps) {
    await readApplication(deps.actor, clientId, deps);
    const added = await addWebhook(deps.actor, { clientId, typed: { url, hears, isShared } }, deps);
    if ('problem' in added) throw toError(added);
    return added;
  },
  toDocument: ({ endpointId, secret }) => ({ endpoint_id: endpointId, secret }),
});

export const showEndpoint = operation({
  ...{ id: 'showEndpoint', method: 'get', path: PATH, group: GROUP },
  ...{ summary: 'Show a webhook endpoint', permission: 'application.read' },
  ...{ pathFields: FIELDS, fields: {}, command: 'webhook list', result: ENDPOINT.map(({ name }) => name) },
  async run({ endpoint_id: endpointId }, deps) {
    const endpoint = await findWebhook(deps.actor, { endpointId }, { needs: 'application.read', ...deps });
    return visibleEndpoint(endpoint, deps);
  },
  toDocument: (endpoint) => toDocument(ENDPOINT, endpoint),
});

export const updateEndpoint = operation({
  ...{ id: 'updateEndpoint', method: 'patch', path: PATH, group: GROUP },
  summary: 'Change the topics or the URL of a webhook endpoint',
  description:
    'Absent fields keep their values; the secret does not change. A new URL ends a pause, and waiting deliveries go there.',
  permission: 'application.change',
  errors: [...REFUSED_URLS, ENDPOINTS.is_listener, ENDPOINTS.is_webhook_url],
  pathFields: FIELDS,
  fields: { url, hears: topics, share_address },
  ...{ command: 'webhook update', result: ['endpoint_id', 'url', 'hears'] },
  async run({ endpoint_id: endpointId, url, hears, share_address: isShared = false }, deps) {
    const needs = { needs: 'application.change' as const, ...deps };
    const endpoint = await findWebhook(deps.actor, { endpointId }, needs);
    if (endpoint.expiresAt !== undefined) throw new ApiError(ENDPOINTS.is_listener);
    if (endpoint.isFirst && url !== undefined) throw new ApiError(ENDPOINTS.is_webhook_url);
    const typed = { url: url ?? endpoint.url, hears: hears ?? endpoint.hears, isShared };
    const refused = await changeWebhook(deps.actor, { endpointId, typed }, deps);
    if (refused !== undefined) throw toError(refused);
    return { endpointId, ...typed };
  },
  toDocument: ({ endpointId, url, hears }) => ({ endpoint_id: endpointId, url, hears: toTopics({ hears }) }),
});

export const removeEndpointOperation = operation({
  ...{ id: 'removeEndpoint', method: 'delete', path: PATH, group: GROUP },
  summary: 'Remove an added webhook endpoint with its waiting deliveries and its log',
  description: 'A dry run has `waiting`, the number of calendars whose changes wait for delivery.',
  permission: 'application.change',
  errors: [ENDPOINTS.is_webhook_url],
  ...{ pathFields: FIELDS, fields: DRY_RUN, command: 'webhook remove' },
  result: ['removed', 'endpoint_id', 'waiting'],
  async run({ endpoint_id: endpointId, dry_run: isDryRun = false }, deps) {
    const needs = { needs: 'application.change' as const, ...deps };
    const { isFirst, waiting } = await findWebhook(deps.actor, { endpointId }, needs);
    if (isFirst) throw new ApiError(ENDPOINTS.is_webhook_url);
    if (isDryRun) return { removed: false, endpoint_id: endpointId, waiting };
    await removeWebhook(deps.actor, { endpointId }, deps);
    return { removed: true, endpoint_id: endpointId };
  },
  toDocument: (result) => result,
});

const STATE = {
  method: 'post',
  group: GROUP,
  permission: 'application.change',
  pathFields: FIELDS,
  fields: {},
  result: ['endpoint_id', 'state'],
  toDocument: (result: { readonly endpoint_id: string; readonly state: string }) => result,
} as const;

export const pauseEndpoint = operation({
  ...{ id: 'pauseEndpoint', path: `${PATH}/pause`, command: 'webhook pause', ...STATE },
  summary: 'Pause deliveries to a webhook endpoint',
  description: 'Deliveries wait until it is resumed, at most 30 days.',
  async run({ endpoint_id: endpointId }, deps) {
    await pauseWebhook(deps.actor, { endpointId }, deps);
    return { endpoint_id: endpointId, state: 'paused' };
  },
});

export const resumeEndpoint = operation({
  ...{ id: 'resumeEndpoint', path: `${PATH}/resume`, command: 'webhook resume', ...STATE },
  summary: 'Resume deliveries to a paused webhook endpoint',
  async run({ endpoint_id: endpointId }, deps) {
    await resumeWebhook(deps.actor, { endpointId }, deps);
    return { endpoint_id: endpointId, state: 'active' };
  },
});

export const testEndpoint = operation({
  ...{ id: 'testEndpoint', method: 'post', path: `${PATH}/test`, group: GROUP },
  summary: 'Send a signed test delivery to a webhook endpoint now',
  description: 'It has `metadata.test: true` and is sent once, also if the endpoint is paused.',
  permission: 'application.change',
  errors: [ENDPOINTS.is_listener],
  ...{ pathFields: FIELDS, fields: {}, command: 'webhook test' },
  result: ['endpoint_id', 'url', 'ok', 'status', 'fault', 'duration_ms'],
  async run({ endpoint_id: endpointId }, deps) {
    const webhookSigner = await deps.openSigner();
    const test = await testWebhook(deps.actor, { endpointId }, { ...deps, webhookSigner });
    if (test === undefined) throw new ApiError(ENDPOINTS.is_listener);
    const { status = null, fault = null, durationMs } = test.attempt;
    const result = { ok: fault === null, status, fault, duration_ms: durationMs };
    return { endpoint_id: endpointId, url: test.url, ...result };
  },
  toDocument: (result) => result,
});

export const rotateEndpointSecretOperation = operation({
  ...{ id: 'rotateEndpointSecret', method: 'post', path: `${PATH}/secrets/rotate`, group: GROUP },
  summary: 'Replace the secret of a webhook endpoint',
  description:
    'Only this response has `secret`. Until the overlap ends, deliveries are signed with both secrets.',
  permission: 'application.secrets',
  ...{ pathFields: FIELDS, fields: overlapField('secret'), command: 'webhook rotate-secret' },
  result: ['endpoint_id', 'secret'],
  async run({ endpoint_id: endpointId, overlap_hours: hours }, deps) {
    const rotation = { endpointId, overlapMs: overlapMsOf(hours) };
    return { endpoint_id: endpointId, secret: await rotateWebhookSecret(deps.actor, rotation, deps) };
  },
  toDocument: (result) => result,
});

export const ENDPOINT_OPERATIONS = [
  ...[listApplicationEndpoints, addEndpointOperation, listAllEndpoints, showEndpoint, updateEndpoint],
  ...[removeEndpointOperation, pauseEndpoint, resumeEndpoint, testEndpoint, rotateEndpointSecretOperation],
];
