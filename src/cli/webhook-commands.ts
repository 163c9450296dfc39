/** `kalends webhook …`: endpoints, and the keys that sign deliveries. */

import { ENDPOINT, TOPICS, toTopics } from '../administration/documents/endpoint.ts';
import {
  addEndpointOperation,
  listAllEndpoints,
  listApplicationEndpoints,
  pauseEndpoint,
  removeEndpointOperation,
  resumeEndpoint,
  rotateEndpointSecretOperation,
  showEndpoint,
  testEndpoint,
  updateEndpoint,
} from '../administration/operations/endpoint-operations.ts';
import {
  rotateApplicationWebhookKeys,
  rotateInstanceWebhookKeys,
  setWebhookKeys,
} from '../administration/operations/signing-key-operations.ts';
import type { ListedEndpoint } from '../webhooks/endpoint-store.ts';
import { CLIENT_ID, clientInput, HOUR_MS } from './client-commands.ts';
import { SHARE_ADDRESS } from './client-options.ts';
import { type Command, type Input, type Positional, usageError } from './command.ts';
import { INDENT, tabulate } from './help.ts';
import { listOutput, operationCommand, runAndPrint } from './operation-command.ts';
import { overlapIn, overlapOption, readSwitch, text, YES } from './option-values.ts';
import { type Operations, rendering } from './rendering.ts';

const ENDPOINT_ID: Positional = {
  name: 'ENDPOINT_ID',
  doc: 'The id of an endpoint, see `webhook list`.',
};

const endpointInput = ({ positionals: { ENDPOINT_ID: endpointId = '' } }: Input) => ({
  endpoint_id: endpointId,
});

const render = ({ subjects }: { readonly subjects: readonly ListedEndpoint[] }) => {
  const columns = ['endpoint_id', 'state', 'hears', 'waiting', 'url'];
  const none =
    'No endpoints yet. "kalends client update CLIENT_ID --webhook-url URL" adds the first one of an application.';
  return listOutput(ENDPOINT, { columns, none }, subjects);
};
const ofClient = rendering({ operation: listApplicationEndpoints, render });
const ofAll = rendering({ operation: listAllEndpoints, render });

const list: Command = {
  name: 'webhook list',
  summary: 'List the endpoints of one application, or of all',
  positionals: [{ ...CLIENT_ID, optional: true }],
  renderings: [ofClient, ofAll],
  run: (input, context) =>
    context.withOperations((operations) =>
      input.positionals.CLIENT_ID === undefined
        ? runAndPrint(ofAll, {}, operations)
        : runAndPrint(ofClient, clientInput(input), operations),
    ),
};

const add = operationCommand({
  name: 'webhook add',
  summary: 'Add a webhook endpoint to an application',
  positionals: [CLIENT_ID],
  options: [
    {
      name: 'url',
      value: 'URL',
      doc: 'The URL that receives deliveries: https, or http on this machine.',
      required: true,
    },
    {
      name: 'hears',
      value: 'TOPICS',
      doc: 'Topics, separated by commas: events, calendars, connections; events by default.',
    },
    { name: 'own', doc: 'Also deliver changes that the application made itself.' },
    SHARE_ADDRESS,
  ],
  notes: ['Changes from now on are delivered. The secret is shown only once.'],
  operation: addEndpointOperation,
  input: (parsed) => ({
    ...{ ...clientInput(parsed), ...urlInput(parsed) },
    hears: toHears(topicsIn(text(parsed.options.hears) ?? 'events'), parsed.options.own === true),
  }),
  render({ endpointId, secret }) {
    const rows = Object.entries({ endpoint_id: endpointId, secret });
    return {
      text: `${tabulate(rows, { indent: INDENT })}\n\nSave the secret now: it is not shown again. Test the endpoint: kalends webhook test ${endpointId}`,
    };
  },
});

const urlInput = ({ options }: Input) => ({
  url: text(options.url),
  share_address: options['share-address'] === true || undefined,
});

const toHears = (topics: readonly unknown[], own: boolean) => [...topics, ...(own ? ['own'] : [])];

const update = operationCommand({
  name: 'webhook update',
  summary: 'Change the topics or the URL of an endpoint',
  positionals: [ENDPOINT_ID],
  options: [
    {
      name: 'url',
      value: 'URL',
      doc: 'The new URL: https, or http on this machine. Waiting deliveries go there too.',
    },
    { name: 'hears', value: 'TOPICS', doc: 'The new topics: events, calendars, connections.' },
    {
      name: 'own',
      value: 'on|off',
      doc: 'Whether changes that the application made itself are delivered too.',
    },
    SHARE_ADDRESS,
  ],
  notes: ['Options that you omit keep their values. The secret does not change.'],
  operation: updateEndpoint,
  input: async (parsed, operations) => ({
    ...{ ...endpointInput(parsed), ...urlInput(parsed) },
    hears: await changedHears(parsed, operations),
  }),
  render: ({ endpointId, hears }) => ({
    text: `Changed ${endpointId}. Topics: ${toTopics({ hears }).join(', ')}.`,
  }),
});

/** Returns the topics after the change, `undefined` if they stay. */
async function changedHears(parsed: Input, operations: Operations) {
  const [topics, own] = [text(parsed.options.hears), readSwitch(parsed.options, 'own')];
  if ((topics ?? own ?? parsed.options.url) === undefined)
    throw usageError('Nothing to change: give --url, --hears or --own.');
  if ((topics ?? own) === undefined) return undefined;
  const selected = topics === undefined ? undefined : topicsIn(topics);
  const { hears } = await operations.read(showEndpoint, endpointInput(parsed));
  const before = Array.isArray(hears) ? hears : [];
  return toHears(selected ?? before.filter((topic) => topic !== 'own'), own ?? before.includes('own'));
}

/** Parses a list of topics. Throws a usage error for an unknown topic. */
function topicsIn(list: string): readonly string[] {
  const topics = list.split(',').map((topic) => topic.trim());
  if (topics.every((topic) => TOPICS.some((candidate) => candidate === topic))) return topics;
  throw usageError(`--hears must be a list of ${TOPICS.join(', ')}.`);
}

const pause = operationCommand({
  name: 'webhook pause',
  summary: 'Pause deliveries to an endpoint',
  positionals: [ENDPOINT_ID],
  notes: ['Deliveries wait for `webhook resume`, at most 30 days.'],
  operation: pauseEndpoint,
  input: endpointInput,
  render: ({ endpoint_id: endpointId }) => ({ text: `Paused ${endpointId}.` }),
});

const resume = operationCommand({
  name: 'webhook resume',
  summary: 'Resume deliveries to a paused endpoint',
  positionals: [ENDPOINT_ID],
  operation: resumeEndpoint,
  input: endpointInput,
  render: ({ endpoint_id: endpointId }) => ({
    text: `Resumed ${endpointId}: waiting deliveries are sent now.`,
  }),
});

const remove = operationCommand({
  name: 'webhook remove',
  summary: 'Remove an added endpoint with its waiting deliveries and its log',
  positionals: [ENDPOINT_ID],
  options: [YES],
  operation: removeEndpointOperation,
  async confirmation(parsed, operations) {
    return `Removing ${(await operations.read(showEndpoint, endpointInput(parsed))).url}`;
  },
  input: endpointInput,
  render: ({ endpoint_id: endpointId }) => ({ text: `Removed ${endpointId}.` }),
});

const rotateSecret = operationCommand({
  name: 'webhook rotate-secret',
  summary: 'Replace the secret of an endpoint',
  positionals: [ENDPOINT_ID],
  options: [overlapOption('How long deliveries are also signed with the previous secret', '24h')],
  notes: [
    'Configure the new secret in the receiver before the overlap ends. Until then, deliveries are signed with both.',
  ],
  operation: rotateEndpointSecretOperation,
  input: (parsed) => ({
    ...endpointInput(parsed),
    overlap_hours: overlapIn(parsed.options, '24h') / HOUR_MS,
  }),
  render: ({ secret }) => ({
    text: `${tabulate([['secret', secret]], { indent: INDENT })}\n\nSave it now: it is not shown again.`,
  }),
});

const test = operationCommand({
  name: 'webhook test',
  summary: 'Send a signed test delivery to an endpoint now',
  positionals: [ENDPOINT_ID],
  notes: [
    'The delivery has `metadata.test: true`. This command sends it once, also if the endpoint is paused.',
  ],
  operation: testEndpoint,
  input: endpointInput,
  render: ({ url, ok, status, fault, duration_ms: durationMs }) => ({
    text: ok
      ? `${url} returned ${status} after ${durationMs} ms.`
      : `The delivery to ${url} failed after ${durationMs} ms: ${fault}.`,
    exitCode: ok ? 0 : 1,
  }),
});

const WEEK = '7d';

const overlapHours = ({ options }: Input) => ({ overlap_hours: overlapIn(options, WEEK) / HOUR_MS });

const renderRotation = (
  { keyId, retiresAt }: { readonly keyId: string; readonly retiresAt: number },
  { input }: { readonly input: { readonly overlap_hours: number | undefined } },
) => {
  const until = `also signs until ${new Date(retiresAt).toISOString()}`;
  const previous = input.overlap_hours === 0 ? 'no longer signs' : until;
  return {
    text: `Webhooks are signed with key ${keyId} from now on. The previous key ${previous}.`,
  };
};
const ofInstance = rendering({ operation: rotateInstanceWebhookKeys, render: renderRotation });
const ofApplication = rendering({ operation: rotateApplicationWebhookKeys, render: renderRotation });

const rotateKeys: Command = {
  name: 'webhook rotate-keys',
  summary: 'Sign webhooks with a new key of the deployment, or of an application with own keys',
  positionals: [{ ...CLIENT_ID, optional: true }],
  options: [overlapOption('How long the previous key also signs', WEEK)],
  notes: [
    'Servers can run meanwhile: they use the new key within 30 seconds. Receivers cache fetched keys for a day at most. A receiver with the key in its settings needs the new key before the overlap ends.',
  ],
  renderings: [ofInstance, ofApplication],
  run: (input, context) =>
    context.withOperations((operations) =>
      input.positionals.CLIENT_ID === undefined
        ? runAndPrint(ofInstance, overlapHours(input), operations)
        : runAndPrint(ofApplication, { ...clientInput(input), ...overlapHours(input) }, operations),
    ),
};

const ownKeys = operationCommand({
  name: 'webhook own-keys',
  summary: 'Sign the webhooks of an application with its own keys, or with the keys of the deployment',
  positionals: [CLIENT_ID, { name: 'on|off', doc: '`on`: its own keys. `off`: the keys of the deployment.' }],
  options: [overlapOption('How long the keys used before also sign', WEEK)],
  notes: [
    'Servers can run meanwhile: they use the other keys within 30 seconds. `/.well-known/webhook-keys/CLIENT_ID` lists the keys of the application. Its receivers need them before the overlap ends. If the application uses these keys already, the command can only end an overlap earlier.',
  ],
  operation: setWebhookKeys,
  input(parsed) {
    const mode = parsed.positionals['on|off'];
    if (mode !== 'on' && mode !== 'off') throw usageError('Write on or off after the client id.');
    return { ...clientInput(parsed), ...overlapHours(parsed), own_webhook_keys: mode === 'on' };
  },
  render({ client_id: clientId, own_webhook_keys: isOwn, overlap_until: until }) {
    const overlap = until === null ? '' : ` The keys used before also sign until ${until}.`;
    const keys = isOwn ? 'its own keys' : 'the keys of the deployment';
    return { text: `Webhooks of ${clientId} are signed with ${keys} from now on.${overlap}` };
  },
});

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
