/** Arguments and checks that the webhook commands share. */

import { ENDPOINT, TOPICS, toTopics } from '../administration/documents/endpoint.ts';
import { listApplicationEndpoints } from '../administration/operations/application-operations.ts';
import { lazyEgress } from '../lib/egress/lazy-egress.ts';
import { webhookUrlProblem } from '../oauth/redirect-uri.ts';
import type { EndpointHears } from '../webhooks/endpoint.ts';
import type { EndpointStore, ListedEndpoint } from '../webhooks/endpoint-store.ts';
import { addEndpoint, rotateEndpointSecret } from '../webhooks/endpoints.ts';
import { sendTest } from '../webhooks/test-message.ts';
import { openWebhookSigner, rotateWebhookKeys } from '../webhooks/webhook-signer.ts';
import { administrationDeps } from './administration-deps.ts';
import { CLIENT_ID, requireClient, unknownClient } from './client-commands.ts';
import { checkWebhookUrl, SHARE_ADDRESS } from './client-options.ts';
import { type Command, CommandError, type Positional, usageError } from './command.ts';
import { INDENT, tabulate } from './help.ts';
import { confirm, listResult, overlapIn, overlapOption, readSwitch, text, YES } from './option-values.ts';

const ENDPOINT_ID: Positional = {
  name: 'ENDPOINT_ID',
  doc: 'The id of an endpoint, see `webhook list`.',
};

/** Returns an endpoint. Throws CommandError if it does not exist. */
async function findEndpoint(
  endpoints: Pick<EndpointStore, 'findEndpoint'>,
  endpointId: string,
): Promise<ListedEndpoint> {
  const endpoint = await endpoints.findEndpoint(endpointId);
  if (endpoint === undefined) throw unknownEndpoint(endpointId);
  return endpoint;
}

const unknownEndpoint = (endpointId: string): CommandError =>
  new CommandError(
    'not_found',
    `There is no endpoint "${endpointId}"; "kalends webhook list" lists the endpoints.`,
  );

const list: Command = {
  name: 'webhook list',
  summary: 'List the endpoints of one application, or of all',
  positionals: [{ ...CLIENT_ID, optional: true }],
  run: ({ positionals: { CLIENT_ID: only } }, context) =>
    context.withStorage(async (storage) => {
      if (only !== undefined) await requireClient(only, storage.clients);
      const all = { limit: Number.POSITIVE_INFINITY, after: undefined };
      const deps = administrationDeps(storage, context);
      return listResult({
        name: 'endpoints',
        fields: ENDPOINT,
        columns: ['endpoint_id', 'state', 'hears', 'waiting', 'url'],
        subjects:
          only === undefined
            ? await storage.endpoints.listEndpoints(undefined)
            : (await listApplicationEndpoints.run({ client_id: only, ...all }, deps)).subjects,
        none: 'No endpoints yet. "kalends client update CLIENT_ID --webhook-url URL" adds the first one of an application.',
      });
    }),
};

const add: Command = {
  name: 'webhook add',
  summary: 'Add a webhook endpoint to an application',
  positionals: [CLIENT_ID],
  options: [
    { name: 'url', value: 'URL', doc: 'The https URL that receives deliveries.', required: true },
    {
      name: 'hears',
      value: 'TOPICS',
      doc: 'Topics, separated by commas: events, calendars, connections; events by default.',
    },
    { name: 'own', doc: 'Also deliver changes that the application made itself.' },
    SHARE_ADDRESS,
  ],
  notes: ['Changes from now on are delivered. The secret is shown only once.'],
  run: ({ positionals: { CLIENT_ID: clientId = '' }, options }, { config, withStorage, deps: { now } }) => {
    const topics = { ...topicsIn(text(options.hears) ?? 'events'), own: options.own === true };
    const url = String(options.url);
    const shared = options['share-address'] === true;
    return withStorage(async ({ clients, endpoints, by }) => {
      await requireClient(clientId, clients);
      await checkWebhookUrl({ url, clientId, shared }, config(), endpoints);
      const added = await addEndpoint({ clientId, url, hears: topics, shared }, { endpoints, now, by });
      const json = { endpoint_id: added.endpointId, secret: added.secret };
      return {
        json,
        text: `${tabulate(Object.entries(json), { indent: INDENT })}\n\nSave the secret now: it is not shown again. Test the endpoint: kalends webhook test ${added.endpointId}`,
      };
    });
  },
};

const update: Command = {
  name: 'webhook update',
  summary: 'Change the topics or the URL of an endpoint',
  positionals: [ENDPOINT_ID],
  options: [
    { name: 'url', value: 'URL', doc: 'The new https URL. Waiting deliveries go there too.' },
    { name: 'hears', value: 'TOPICS', doc: 'The new topics: events, calendars, connections.' },
    {
      name: 'own',
      value: 'on|off',
      doc: 'Whether changes that the application made itself are delivered too.',
    },
    SHARE_ADDRESS,
  ],
  notes: ['Options that you omit keep their values. The secret does not change.'],
  run: ({ positionals: { ENDPOINT_ID: endpointId = '' }, options }, { config, withStorage }) => {
    const [url, kinds, own] = [text(options.url), text(options.hears), readSwitch(options, 'own')];
    if ((url ?? kinds ?? own) === undefined)
      throw usageError('Nothing to change: give --url, --hears or --own.');
    const changes = { ...(kinds !== undefined && topicsIn(kinds)), ...(own !== undefined && { own }) };
    return withStorage(async ({ endpoints, by }) => {
      const endpoint = await findEndpoint(endpoints, endpointId);
      const { expiresAt, isFirst, clientId } = endpoint;
      if (expiresAt !== undefined)
        throw isListener('This endpoint is a listener. The client that created it sets its topics.');
      if (url !== undefined) {
        if (isFirst) throw isWebhookUrl(`kalends client update ${clientId} --webhook-url ${url} changes it`);
        const problem = webhookUrlProblem(url);
        if (problem !== undefined)
          throw new CommandError('invalid_client_metadata', `The webhook URL ${problem}.`);
        const shared = options['share-address'] === true;
        await checkWebhookUrl({ url, clientId, shared }, config(), endpoints);
      }
      const topics = { hears: { ...endpoint.hears, ...changes } };
      await endpoints.changeEndpoint(endpointId, { ...topics, ...(url !== undefined && { url }) }, by);
      const changed = { endpoint_id: endpointId, url: url ?? endpoint.url, hears: toTopics(topics) };
      return { json: changed, text: `Changed ${endpointId}. Topics: ${changed.hears.join(', ')}.` };
    });
  },
};

/** Parses a list of topics. Throws a usage error for an unknown topic. */
function topicsIn(list: string): Omit<EndpointHears, 'own'> {
  const topics = list.split(',').map((topic) => topic.trim());
  if (!topics.every((topic) => TOPICS.some((candidate) => candidate === topic)))
    throw usageError(`--hears must be a list of ${TOPICS.join(', ')}.`);
  return {
    events: topics.includes('events'),
    calendars: topics.includes('calendars'),
    connections: topics.includes('connections'),
  };
}

const isListener = (message: string): CommandError => new CommandError('is_listener', message);

const isWebhookUrl = (how: string): CommandError =>
  new CommandError('is_webhook_url', `This is the webhook URL of the application: ${how}.`);

const pause: Command = {
  name: 'webhook pause',
  summary: 'Pause deliveries to an endpoint',
  positionals: [ENDPOINT_ID],
  notes: ['Deliveries wait for `webhook resume`, at most 30 days.'],
  run: ({ positionals: { ENDPOINT_ID: endpointId = '' } }, { withStorage, deps: { now } }) =>
    withStorage(async ({ endpoints, by }) => {
      if (!(await endpoints.pauseEndpoint(endpointId, now(), by))) throw unknownEndpoint(endpointId);
      return { json: { endpoint_id: endpointId, state: 'paused' }, text: `Paused ${endpointId}.` };
    }),
};

const resume: Command = {
  name: 'webhook resume',
  summary: 'Resume deliveries to a paused endpoint',
  positionals: [ENDPOINT_ID],
  run: ({ positionals: { ENDPOINT_ID: endpointId = '' } }, { withStorage }) =>
    withStorage(async ({ endpoints, by }) => {
      if (!(await endpoints.resumeEndpoint(endpointId, by))) throw unknownEndpoint(endpointId);
      const document = { endpoint_id: endpointId, state: 'active' };
      return { json: document, text: `Resumed ${endpointId}: waiting deliveries are sent now.` };
    }),
};

const remove: Command = {
  name: 'webhook remove',
  summary: 'Remove an added endpoint with its waiting deliveries and its log',
  positionals: [ENDPOINT_ID],
  options: [YES],
  run: (input, context) =>
    context.withStorage(async ({ endpoints, by }) => {
      const { ENDPOINT_ID: endpointId = '' } = input.positionals;
      const { isFirst, clientId, url } = await findEndpoint(endpoints, endpointId);
      if (isFirst) throw isWebhookUrl(`kalends client update ${clientId} --webhook-url "" removes it`);
      await confirm(`Removing ${url}`, input, context);
      await endpoints.removeEndpoint(endpointId, by);
      return { json: { removed: true, endpoint_id: endpointId }, text: `Removed ${endpointId}.` };
    }),
};

const rotateSecret: Command = {
  name: 'webhook rotate-secret',
  summary: 'Replace the secret of an endpoint',
  positionals: [ENDPOINT_ID],
  options: [overlapOption('How long deliveries are also signed with the previous secret', '24h')],
  notes: [
    'Configure the new secret in the receiver before the overlap ends. Until then, deliveries are signed with both.',
  ],
  run: ({ positionals: { ENDPOINT_ID: endpointId = '' }, options }, { withStorage, deps: { now } }) => {
    const overlapMs = overlapIn(options, '24h');
    return withStorage(async ({ endpoints, by }) => {
      const secret = await rotateEndpointSecret({ endpointId, overlapMs }, { endpoints, now, by });
      if (secret === undefined) throw unknownEndpoint(endpointId);
      return {
        json: { endpoint_id: endpointId, secret },
        text: `${tabulate([['secret', secret]], { indent: INDENT })}\n\nSave it now: it is not shown again.`,
      };
    });
  },
};

const test: Command = {
  name: 'webhook test',
  summary: 'Send a signed test delivery to an endpoint now',
  positionals: [ENDPOINT_ID],
  notes: [
    'The delivery has `metadata.test: true`. This command sends it once, also if the endpoint is paused.',
  ],
  run: ({ positionals }, { config, withStorage, deps: { now } }) =>
    withStorage(async ({ endpoints, webhookKeys, sealer }) => {
      const endpoint = await findEndpoint(endpoints, positionals.ENDPOINT_ID ?? '');
      const { endpointId, url, expiresAt } = endpoint;
      if (expiresAt !== undefined)
        throw isListener(
          'This endpoint is a listener: it polls for deliveries, so nothing can be sent to it.',
        );
      const secrets = (await endpoints.secretsOf(endpointId)) ?? [];
      const log = { error() {} };
      const webhookSigner = await openWebhookSigner({ webhookKeys, sealer, now, log });
      const webhookEgress = lazyEgress({ privateNetwork: config().privateNetwork });
      try {
        const { attempt } = await sendTest({ ...endpoint, secrets }, { webhookEgress, webhookSigner, now });
        const { status = null, fault = null, durationMs } = attempt;
        const ok = fault === null;
        return {
          json: { endpoint_id: endpointId, url, ok, status, fault, duration_ms: durationMs },
          text: ok
            ? `${url} returned ${status} after ${durationMs} ms.`
            : `The delivery to ${url} failed after ${durationMs} ms: ${fault}.`,
          exitCode: ok ? 0 : 1,
        };
      } finally {
        await webhookEgress.close();
      }
    }),
};

const rotateKeys: Command = {
  name: 'webhook rotate-keys',
  summary: 'Sign webhooks with a new key of the deployment, or of an application with own keys',
  positionals: [{ ...CLIENT_ID, optional: true }],
  options: [overlapOption('How long the previous key also signs', '7d')],
  notes: [
    'Servers can run meanwhile: they use the new key within 30 seconds. Receivers cache fetched keys for a day at most. A receiver with the key in its settings needs the new key before the overlap ends.',
  ],
  run: ({ positionals: { CLIENT_ID: clientId }, options }, { withStorage, deps: { now } }) => {
    const overlapMs = overlapIn(options, '7d');
    return withStorage(async ({ webhookKeys, sealer, by }) => {
      if (clientId !== undefined && (await webhookKeys.listKeyUses(clientId)).length === 0)
        throw unknownClient(clientId);
      const rotated = await rotateWebhookKeys(overlapMs, { webhookKeys, sealer, now, by }, clientId);
      if (rotated === undefined)
        throw new CommandError('instance_keys', `${clientId} has no own keys: run "webhook own-keys" first.`);
      const ends = new Date(rotated.retiresAt).toISOString();
      const old =
        overlapMs === 0 ? 'The previous key no longer signs.' : `The previous key also signs until ${ends}.`;
      return {
        json: { id: rotated.keyId, client_id: clientId ?? null, previous_retires_at: ends },
        text: `Webhooks are signed with key ${rotated.keyId} from now on. ${old}`,
      };
    });
  },
};

const ownKeys: Command = {
  name: 'webhook own-keys',
  summary: 'Sign the webhooks of an application with its own keys, or with the keys of the deployment',
  positionals: [CLIENT_ID, { name: 'on|off', doc: '`on`: its own keys. `off`: the keys of the deployment.' }],
  options: [overlapOption('How long the keys used before also sign', '7d')],
  notes: [
    'Servers can run meanwhile: they use the other keys within 30 seconds. `/.well-known/webhook-keys/CLIENT_ID` lists the keys of the application. Its receivers need them before the overlap ends. If the application uses these keys already, the command can only end an overlap earlier.',
  ],
  run: ({ positionals, options }, { withStorage, deps: { now } }) => {
    const { CLIENT_ID: clientId = '', 'on|off': mode } = positionals;
    if (mode !== 'on' && mode !== 'off') throw usageError('Write on or off after the client id.');
    const keys = mode === 'on' ? 'own' : 'instance';
    const overlapUntil = now() + overlapIn(options, '7d');
    return withStorage(async ({ webhookKeys, by }) => {
      const use = await webhookKeys.switchWebhookKeys({ clientId, keys, overlapUntil, by });
      if (use === undefined) throw unknownClient(clientId);
      const ends = use.overlapUntil > now() ? new Date(use.overlapUntil).toISOString() : null;
      const overlap = ends === null ? '' : ` The keys used before also sign until ${ends}.`;
      return {
        json: { client_id: clientId, own_webhook_keys: mode === 'on', overlap_until: ends },
        text: `Webhooks of ${clientId} are signed with ${mode === 'on' ? 'its own keys' : 'the keys of the deployment'} from now on.${overlap}`,
      };
    });
  },
};

export const webhookCommands: readonly Command[] = [
  list,
  add,
  update,
  test,
  pause,
  resume,
  rotateSecret,
  remove,
  rotateKeys,
  ownKeys,
];
