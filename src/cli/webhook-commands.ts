/** `kalends webhook …`: the endpoints that changes are told to, and what webhooks are signed with. */
import { ENDPOINT, TOPICS, toTopics } from '../administration/documents/endpoint.ts';
import { toDocument, toTable } from '../administration/documents/field.ts';
import { lazyEgress } from '../lib/egress/lazy-egress.ts';
import { webhookUrlProblem } from '../oauth/redirect-uri.ts';
import type { EndpointHears } from '../webhooks/endpoint.ts';
import type { ListedEndpoint } from '../webhooks/endpoint-store.ts';
import { addEndpoint, rotateEndpointSecret } from '../webhooks/endpoints.ts';
import { sendTest } from '../webhooks/test-message.ts';
import { openWebhookSigner } from '../webhooks/webhook-signer.ts';
import { CLIENT_ID, unknownClient } from './client-commands.ts';
import { type Command, CommandError, usageError } from './command.ts';
import { confirm, YES } from './confirm.ts';
import { overlapIn, overlapOption, text } from './option-values.ts';
import { INDENT, tabulate } from './table.ts';
import { ownKeys, rotateKeys } from './webhook-keys-command.ts';
import {
  checkWebhookUrl,
  ENDPOINT_ID,
  findEndpoint,
  SHARE_ADDRESS,
  unknownEndpoint,
} from './webhook-options.ts';

const list: Command = {
  name: 'webhook list',
  summary: 'List the endpoints of one application, or of all',
  positionals: [{ ...CLIENT_ID, optional: true }],
  options: [],
  run: ({ positionals: { CLIENT_ID: only } }, { withStorage }) =>
    withStorage(async ({ clients, endpoints }) => {
      if (only !== undefined && (await clients.findClient(only)) === undefined) throw unknownClient(only);
      const all = await endpoints.listEndpoints(only);
      const none =
        'There are no endpoints. "kalends client update CLIENT_ID --webhook-url URL" adds the first one of an application.';
      const table = toTable(ENDPOINT, ['endpoint_id', 'state', 'hears', 'waiting', 'url'], all);
      return {
        json: { endpoints: all.map((endpoint) => toDocument(ENDPOINT, endpoint)) },
        text: all.length === 0 ? none : tabulate(table),
      };
    }),
};

const add: Command = {
  name: 'webhook add',
  summary: 'Tell a further address of the changes of an application',
  positionals: [CLIENT_ID],
  options: [
    { name: 'url', value: 'URL', doc: 'Where deliveries go: https.', required: true },
    {
      name: 'hears',
      value: 'KINDS',
      doc: 'What it hears, separated by commas: events, calendars, connections; events by default.',
    },
    { name: 'own', doc: 'Also tell it of changes that the application made itself.' },
    SHARE_ADDRESS,
  ],
  notes: ['It hears of what changes from now on. The secret is shown this once.'],
  run: ({ positionals: { CLIENT_ID: clientId = '' }, options }, { config, withStorage, deps: { now } }) => {
    const hears = { ...kindsIn(text(options.hears) ?? 'events'), own: options.own === true };
    const url = String(options.url);
    const shared = options['share-address'] === true;
    return withStorage(async ({ clients, endpoints }) => {
      if ((await clients.findClient(clientId)) === undefined) throw unknownClient(clientId);
      const { privateNetwork } = config();
      await checkWebhookUrl({ url, clientId, shared }, { endpoints, privateNetwork });
      const added = await addEndpoint({ clientId, url, hears, shared }, { endpoints, now });
      const rows = [
        ['endpoint_id', added.endpointId],
        ['secret', added.secret],
      ];
      return {
        json: { endpoint_id: added.endpointId, secret: added.secret },
        text: `${tabulate(rows, { indent: INDENT })}\n\nKeep the secret now: it is not shown again. Try it: kalends webhook test ${added.endpointId}`,
      };
    });
  },
};

const update: Command = {
  name: 'webhook update',
  summary: 'Change what an endpoint hears, or where it is',
  positionals: [ENDPOINT_ID],
  options: [
    { name: 'url', value: 'URL', doc: 'Where deliveries go from now on: https. What waits goes there too.' },
    { name: 'hears', value: 'KINDS', doc: 'What it hears: events, calendars, connections.' },
    {
      name: 'own',
      value: 'on|off',
      doc: 'Whether it is also told of changes that the application made itself.',
    },
    SHARE_ADDRESS,
  ],
  notes: ['What is not named stays. Its secret stays too.'],
  run: ({ positionals: { ENDPOINT_ID: endpointId = '' }, options }, { config, withStorage }) => {
    const [url, kinds, own] = [text(options.url), text(options.hears), text(options.own)];
    if ((url ?? kinds ?? own) === undefined) throw usageError('Say what changes: --url, --hears or --own.');
    if (own !== undefined && own !== 'on' && own !== 'off') throw usageError('--own must be on or off.');
    const named = {
      ...(kinds !== undefined && kindsIn(kinds)),
      ...(own !== undefined && { own: own === 'on' }),
    };
    return withStorage(async ({ endpoints }) => {
      const endpoint = await findEndpoint(endpoints, endpointId);
      if (endpoint.expiresAt !== undefined)
        throw new CommandError('is_listener', 'It is a listener: whoever listens says what it hears.');
      if (url !== undefined) await checkMove(url, endpoint);
      const hears = { ...endpoint.hears, ...named };
      await endpoints.changeEndpoint(endpointId, { hears, ...(url !== undefined && { url }) });
      const changed = { endpoint_id: endpointId, url: url ?? endpoint.url, hears: toTopics({ hears }) };
      return { json: changed, text: `Changed ${endpointId}: it hears ${changed.hears.join(', ')}.` };

      async function checkMove(to: string, { isFirst, clientId }: ListedEndpoint): Promise<void> {
        if (isFirst) throw isWebhookUrl(`kalends client update ${clientId} --webhook-url ${to} changes it`);
        const problem = webhookUrlProblem(to);
        if (problem !== undefined)
          throw new CommandError('invalid_client_metadata', `The webhook URL ${problem}.`);
        const { privateNetwork } = config();
        const shared = options['share-address'] === true;
        await checkWebhookUrl({ url: to, clientId, shared }, { endpoints, privateNetwork });
      }
    });
  },
};

/** Throws unless it is a list of kinds, with one at least. */
function kindsIn(list: string): Omit<EndpointHears, 'own'> {
  const kinds = list.split(',').map((kind) => kind.trim());
  if (!kinds.every((kind) => TOPICS.some((one) => one === kind)))
    throw usageError(`--hears must be a list of ${TOPICS.join(', ')}.`);
  return {
    events: kinds.includes('events'),
    calendars: kinds.includes('calendars'),
    connections: kinds.includes('connections'),
  };
}

const isWebhookUrl = (how: string): CommandError =>
  new CommandError('is_webhook_url', `It is the webhook URL of its application: ${how}.`);

const pause: Command = {
  name: 'webhook pause',
  summary: 'Send nothing to an endpoint until it is resumed',
  positionals: [ENDPOINT_ID],
  options: [],
  notes: ['What changes meanwhile waits, for 30 days at most.'],
  run: ({ positionals: { ENDPOINT_ID: endpointId = '' } }, { withStorage, deps: { now } }) =>
    withStorage(async ({ endpoints }) => {
      if (!(await endpoints.pauseEndpoint(endpointId, now()))) throw unknownEndpoint(endpointId);
      return { json: { endpoint_id: endpointId, state: 'paused' }, text: `Paused ${endpointId}.` };
    }),
};

const resume: Command = {
  name: 'webhook resume',
  summary: 'Go on sending to an endpoint that was paused, where it stood',
  positionals: [ENDPOINT_ID],
  options: [],
  run: ({ positionals: { ENDPOINT_ID: endpointId = '' } }, { withStorage }) =>
    withStorage(async ({ endpoints }) => {
      if (!(await endpoints.resumeEndpoint(endpointId))) throw unknownEndpoint(endpointId);
      return {
        json: { endpoint_id: endpointId, state: 'active' },
        text: `Resumed ${endpointId}: what waits for it is sent now.`,
      };
    }),
};

const remove: Command = {
  name: 'webhook remove',
  summary: 'Remove a further endpoint with all that waits for it and its log',
  positionals: [ENDPOINT_ID],
  options: [YES],
  run: (input, context) =>
    context.withStorage(async ({ endpoints }) => {
      const { endpointId, isFirst, clientId, url } = await findEndpoint(
        endpoints,
        input.positionals.ENDPOINT_ID ?? '',
      );
      if (isFirst) throw isWebhookUrl(`kalends client update ${clientId} --webhook-url "" removes it`);
      await confirm(`Removing ${url}`, input, context);
      await endpoints.removeEndpoint(endpointId);
      return { json: { removed: true, endpoint_id: endpointId }, text: `Removed ${endpointId}.` };
    }),
};

const rotateSecret: Command = {
  name: 'webhook rotate-secret',
  summary: 'Give an endpoint a new secret',
  positionals: [ENDPOINT_ID],
  options: [overlapOption('How long the secret before it goes on signing beside it', '24h')],
  notes: [
    'Put the new one into the receiver before the old one ends: until then every delivery is signed with both.',
  ],
  run: ({ positionals: { ENDPOINT_ID: endpointId = '' }, options }, { withStorage, deps: { now } }) => {
    const overlapMs = overlapIn(options, '24h');
    return withStorage(async ({ endpoints }) => {
      const secret = await rotateEndpointSecret({ endpointId, overlapMs }, { endpoints, now });
      if (secret === undefined) throw unknownEndpoint(endpointId);
      return {
        json: { endpoint_id: endpointId, secret },
        text: `${tabulate([['secret', secret]], { indent: INDENT })}\n\nKeep it now: it is not shown again.`,
      };
    });
  },
};

const test: Command = {
  name: 'webhook test',
  summary: 'Send a signed test delivery to an endpoint now',
  positionals: [ENDPOINT_ID],
  options: [],
  notes: ['Its `metadata.test` is true. It is sent from here, once, whether the endpoint is paused or not.'],
  run: ({ positionals }, { config, withStorage, deps: { now } }) =>
    withStorage(async ({ endpoints, webhookKeys, sealer }) => {
      const found = await findEndpoint(endpoints, positionals.ENDPOINT_ID ?? '');
      const { endpointId, url } = found;
      if (found.expiresAt !== undefined)
        throw new CommandError(
          'is_listener',
          'It is a listener, which asks for its deliveries: nothing can be sent to it.',
        );
      const secrets = (await endpoints.secretsOf(endpointId)) ?? [];
      const log = { error() {} };
      const webhookSigner = await openWebhookSigner({ webhookKeys, sealer, now, log });
      const webhookEgress = lazyEgress({ privateNetwork: config().privateNetwork });
      try {
        const { attempt } = await sendTest({ ...found, secrets }, { webhookEgress, webhookSigner, now });
        const { status = null, fault = null, durationMs } = attempt;
        const document = {
          endpoint_id: endpointId,
          url,
          ok: fault === null,
          status,
          fault,
          duration_ms: durationMs,
        };
        if (fault === null) return { json: document, text: `${url} answered ${status} in ${durationMs} ms.` };
        const failed = `${url} did not take it after ${durationMs} ms: ${fault}.`;
        return { json: document, text: failed, exitCode: 1 };
      } finally {
        await webhookEgress.close();
      }
    }),
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
