/** `kalends client …`: applications. */
import { LOAD_ORDERS } from '../activity/activity-store.ts';
import { readSettings } from '../administration/application-subject.ts';
import { APPLICATION, APPLICATION_LINES } from '../administration/documents/application.ts';
import { toDocument, toRows, toTable } from '../administration/documents/field.ts';
import { LOAD, LOAD_PERIODS } from '../administration/load.ts';
import {
  deleteApplicationOperation,
  listApplications,
  rotateApplicationSecret,
  showApplication,
} from '../administration/operations/application-operations.ts';
import { showLoad } from '../administration/operations/observation-operations.ts';
import { instantText } from '../lib/rendered-json.ts';
import type { Client, ClientChange } from '../oauth/client.ts';
import { changeClient, registerClient } from '../oauth/client-registration.ts';
import { firstEndpointId, makeFirstSecret } from '../webhooks/endpoints.ts';
import {
  CLIENT_OPTIONS,
  checkAppChanges,
  checkWebhookUrl,
  flowNotices,
  isGiven,
  NAME,
  REDIRECT_URI,
  readExtras,
  readFlowChange,
  SHARE_ADDRESS,
  saveExtras,
  unreviewedNotices,
} from './client-options.ts';
import {
  type Command,
  type CommandError,
  type Input,
  type Positional,
  type Storage,
  usageError,
} from './command.ts';
import { INDENT, tabulate } from './help.ts';
import { listOutput, missing, operationCommand } from './operation-command.ts';
import { choiceIn, overlapIn, overlapOption, text, YES } from './option-values.ts';

export const CLIENT_ID: Positional = {
  name: 'CLIENT_ID',
  doc: 'The id of an application, see `client list`.',
};

const create: Command = {
  name: 'client create',
  summary: 'Create an application',
  options: [
    { ...NAME, required: true },
    { ...REDIRECT_URI, required: true },
    ...CLIENT_OPTIONS,
    { name: 'own-webhook-keys', doc: 'Sign its webhooks with its own keys; see `webhook own-keys`.' },
  ],
  notes: ['The secret is shown only once: Kalends stores its hash.'],
  async run({ options }, context) {
    const { config, deps, withStorage } = context;
    const flowChange = readFlowChange(options);
    const extras = await readExtras(options, context);
    return withStorage(async (storage) => {
      const { clients, providerApps, endpoints, webhookKeys, by } = storage;
      await checkAppChanges(undefined, extras.apps, providerApps);
      const webhookUrl = text(options['webhook-url']);
      const shared = options['share-address'] === true;
      await checkWebhookUrl({ url: webhookUrl, clientId: '', shared }, config(), endpoints);
      const input = {
        name: String(options.name),
        redirectUri: String(options['redirect-uri']),
        displayName: text(options['display-name']),
        webhookUrl,
        settings: presentSettings(flowChange),
      };
      const { client, clientSecret } = await registerClient(input, { clients, now: deps.now, by });
      if (options['own-webhook-keys'] === true)
        await webhookKeys.switchWebhookKeys({ ...client, keys: 'own', overlapUntil: deps.now(), by });
      const webhookSecret = await makeFirstSecret(firstEndpointId(client.clientId), storage);
      await saveExtras(client.clientId, extras, { ...storage, now: deps.now });
      const subject = await readSettings(client, storage);
      const [idRow = [], ...otherRows] = toRows(APPLICATION_LINES, subject);
      const { url } = await storage.addresses();
      const authorizeUrl = `${url}/authorize?client_id=${client.clientId}&user_id=test-user`;
      return {
        json: {
          client_id: client.clientId,
          client_secret: clientSecret,
          ...(webhookSecret !== undefined && { webhook_secret: webhookSecret }),
          ...toDocument(APPLICATION, subject),
        },
        text: [
          `Created ${client.name}.`,
          '',
          tabulate([idRow, ['client_secret', clientSecret], ...secretRow(webhookSecret), ...otherRows], {
            indent: INDENT,
          }),
          '',
          ...nameNotice(client),
          ...flowNotices(flowChange),
          'Save the secret now: it is not shown again. To try the flow, start the server and open',
          `  ${authorizeUrl}`,
        ].join('\n'),
      };
    });
  },
};

const list = operationCommand({
  name: 'client list',
  summary: 'List the applications',
  operation: listApplications,
  input: () => ({}),
  render: ({ subjects }) =>
    listOutput(
      APPLICATION,
      {
        columns: ['client_id', 'name', 'redirect_uri'],
        none: 'No applications yet. "kalends client create --help" shows how to create one.',
      },
      subjects,
    ),
});

const clientInput = ({ positionals: { CLIENT_ID: clientId = '' } }: Input) => ({ client_id: clientId });

const show = operationCommand({
  name: 'client show',
  summary: 'Show one application',
  positionals: [CLIENT_ID],
  operation: showApplication,
  input: clientInput,
  render: (subject) => ({ text: tabulate(toRows(APPLICATION_LINES, subject)) }),
});

const update: Command = {
  name: 'client update',
  summary: 'Change an application',
  positionals: [CLIENT_ID],
  options: [NAME, REDIRECT_URI, ...CLIENT_OPTIONS],
  notes: [
    'Options that you omit keep their values. An empty display name, webhook URL, logo, primary color, application URL, support email, support URL, privacy policy, terms of service, or provider client id removes the value: `--display-name ""`. `--providers ""` removes the limit.',
    'Accounts that users connected with another provider app need that app to refresh their tokens. Once neither the application nor the deployment has it, these users must reconnect.',
  ],
  async run({ positionals: { CLIENT_ID: clientId = '' }, options }, context) {
    const { config, withStorage, deps } = context;
    const change: ClientChange = {
      name: text(options.name),
      redirectUri: text(options['redirect-uri']),
      displayName: options['display-name'] === '' ? null : text(options['display-name']),
      webhookUrl: options['webhook-url'] === '' ? null : text(options['webhook-url']),
      ...readFlowChange(options),
    };
    const extras = await readExtras(options, context);
    if (!isGiven({ ...change, ...extras.look, isVerified: extras.isVerified }) && extras.apps.length === 0) {
      const settings = (update.options ?? []).filter(({ name }) => name !== SHARE_ADDRESS.name);
      const names = settings.map(({ name }) => `--${name}`).join(', ');
      throw usageError(`Nothing to change: give at least one of ${names}.`);
    }
    return withStorage(async (storage) => {
      const { clients, providerApps, endpoints, by } = storage;
      const webhook = { url: change.webhookUrl, clientId, shared: options['share-address'] === true };
      await checkWebhookUrl(webhook, config(), endpoints);
      await requireClient(clientId, clients);
      await checkAppChanges(clientId, extras.apps, providerApps);
      const client = await changeClient({ clientId, change }, { clients, now: deps.now, by });
      if (client === undefined) throw unknownClient(clientId);
      const hasUrl = typeof change.webhookUrl === 'string';
      const webhookSecret = hasUrl ? await makeFirstSecret(firstEndpointId(clientId), storage) : undefined;
      await saveExtras(clientId, extras, { ...storage, now: deps.now });
      const subject = await readSettings(client, storage);
      return {
        json: {
          ...toDocument(APPLICATION, subject),
          ...(webhookSecret !== undefined && { webhook_secret: webhookSecret }),
        },
        text: [
          tabulate([...toRows(APPLICATION_LINES, subject), ...secretRow(webhookSecret)]),
          ...(webhookSecret === undefined ? [] : ['Save the webhook secret now: it is not shown again.']),
          ...flowNotices(change),
          ...(subject.verification === undefined ? [] : unreviewedNotices(subject.verification)),
        ].join('\n\n'),
      };
    });
  },
};

const HOUR_MS = 3_600_000;

const rotateSecret = operationCommand({
  name: 'client rotate-secret',
  summary: 'Replace the secret of an application',
  positionals: [CLIENT_ID],
  options: [overlapOption('How long the previous secret stays valid', '24h')],
  notes: [
    'Two secrets can be valid at once: configure the new one in the application before the overlap ends.',
  ],
  operation: rotateApplicationSecret,
  input: (parsed) => ({
    ...clientInput(parsed),
    overlap_hours: overlapIn(parsed.options, '24h') / HOUR_MS,
  }),
  render({ clientSecret, oldSecretExpiresAt }, { input }) {
    const ends = new Date(oldSecretExpiresAt).toISOString();
    const old = input.overlap_hours === 0 ? 'is not valid any more' : `is valid until ${ends}`;
    const table = tabulate([['client_secret', clientSecret]], { indent: INDENT });
    return { text: `${table}\n\nSave it now: it is not shown again. The previous secret ${old}.` };
  },
});

const remove = operationCommand({
  name: 'client delete',
  summary: 'Delete an application with its users, their grants and their accounts',
  positionals: [CLIENT_ID],
  options: [YES],
  operation: deleteApplicationOperation,
  async confirmation(parsed, operations) {
    const { name, user_count: users } = await operations.read(showApplication, clientInput(parsed));
    return `Deleting ${name} with its ${users} user(s)`;
  },
  input: clientInput,
  render: ({ name }) => ({ text: `Deleted ${name}.` }),
});

const load = operationCommand({
  name: 'client load',
  summary: 'List the applications that cause the most load',
  options: [
    { name: 'period', value: LOAD_PERIODS.join('|'), doc: 'The whole hours until now; 24h by default.' },
    { name: 'by', value: LOAD_ORDERS.join('|'), doc: 'The order, the most first; requests by default.' },
  ],
  notes: ['Times include long polls and the waits for providers. `deliveries` are attempts.'],
  operation: showLoad,
  input: ({ options }) => ({
    period: choiceIn(options, 'period', LOAD_PERIODS),
    by: choiceIn(options, 'by', LOAD_ORDERS),
  }),
  render: ({ since, applications }) => {
    const columns = LOAD.map(({ name }) => name);
    const none = 'No application has caused such load in this period.';
    const list = applications.length === 0 ? none : tabulate(toTable(LOAD, columns, applications));
    return { text: `Since ${instantText(since)}\n\n${list}` };
  },
});

export const clientCommands: readonly Command[] = [create, list, show, load, update, rotateSecret, remove];

/** Returns the error for an application that does not exist. */
export const unknownClient = (clientId: string): CommandError =>
  missing('client_id', { client_id: clientId });

/** Returns an application. Throws CommandError if it does not exist. */
export async function requireClient(clientId: string, clients: Storage['clients']): Promise<Client> {
  const client = await clients.findClient(clientId);
  if (client === undefined) throw unknownClient(clientId);
  return client;
}

/** Returns the settings that were given. The others keep their defaults. */
function presentSettings(change: ReturnType<typeof readFlowChange>) {
  const { pushedRequests, returningUsers, providers, refreshReplayWindow } = change;
  return {
    ...(pushedRequests && { pushedRequests }),
    ...(returningUsers && { returningUsers }),
    ...(providers && { providers }),
    ...(refreshReplayWindow !== undefined && { refreshReplayWindow }),
  };
}

const nameNotice = ({ clientId, displayName }: Client): string[] =>
  displayName === undefined
    ? [
        `Its users see "This application" instead of a name. To set one: kalends client update ${clientId} --display-name "NAME".`,
      ]
    : [];

const secretRow = (secret: string | undefined): string[][] =>
  secret === undefined ? [] : [['webhook secret', secret]];
