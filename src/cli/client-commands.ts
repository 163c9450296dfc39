/** `kalends client …`: applications. */
import { LOAD_ORDERS } from '../activity/activity-store.ts';
import {
  APPLICATION,
  APPLICATION_LINES,
  type ApplicationSubject,
} from '../administration/documents/application.ts';
import { CLIENT_SETTINGS } from '../administration/documents/application-settings.ts';
import { toRows, toTable } from '../administration/documents/field.ts';
import { LOAD, LOAD_PERIODS } from '../administration/load.ts';
import {
  createApplicationOperation,
  deleteApplicationOperation,
  listApplications,
  rotateApplicationSecret,
  showApplication,
  updateApplication,
} from '../administration/operations/application-operations.ts';
import { showLoad } from '../administration/operations/observation-operations.ts';
import { checkApplicationOperation } from '../administration/operations/security-operations.ts';
import { asObject, type Members } from '../http/fields.ts';
import { instantText } from '../lib/rendered-json.ts';
import type { Client } from '../oauth/client.ts';
import { SWITCHES } from '../oauth/switches.ts';
import { KEY_OPTIONS, newSecrets, readKeyOptions, secretRow } from './client-keys-options.ts';
import {
  CLIENT_OPTIONS,
  checkAppCalls,
  flowNotices,
  isGiven,
  NAME,
  REDIRECT_URI_CHANGES,
  REDIRECT_URIS,
  readCalls,
  readFacts,
  readFlow,
  runCalls,
  SHARE_ADDRESS,
} from './client-options.ts';
import { type Command, CommandError, type Input, type Positional, usageError } from './command.ts';
import { INDENT, tabulate } from './help.ts';
import { listOutput, missing, operationCommand, runAndPrint } from './operation-command.ts';
import { choiceIn, overlapIn, overlapOption, YES } from './option-values.ts';
import { rendering } from './rendering.ts';
import { grantsText, printEffects } from './switch-options.ts';

export const CLIENT_ID: Positional = {
  name: 'CLIENT_ID',
  doc: 'The id of an application, see `client list`.',
};

const created = rendering({
  operation: createApplicationOperation,
  async render({ client, clientSecret, webhookSecret }, { input, deps }) {
    const { url } = await deps.addresses();
    const ids = [
      ['client_id', client.clientId],
      ...secretRow('client_secret', clientSecret),
      ...secretRow('webhook secret', webhookSecret),
    ];
    return {
      text: [
        `Created ${client.name}.`,
        '',
        tabulate([...ids, ...toRows(CLIENT_SETTINGS, client)], { indent: INDENT }),
        '',
        ...nameNotice(client),
        ...flowNotices(input.returning_users),
        `${clientSecret === undefined ? '' : 'Save the secret now: it is not shown again. '}To try the flow, start the server and open`,
        `  ${url}/authorize?client_id=${client.clientId}&user_id=test-user`,
      ].join('\n'),
    };
  },
});

const create: Command = {
  name: 'client create',
  summary: 'Create an application',
  options: [
    { ...NAME, required: true },
    { ...REDIRECT_URIS, required: true },
    ...[...CLIENT_OPTIONS, ...KEY_OPTIONS],
    { name: 'own-webhook-keys', doc: 'Sign its webhooks with its own keys; see `webhook own-keys`.' },
  ],
  notes: ['The secret is shown only once: Kalends stores its hash.'],
  renderings: [created],
  async run({ options, lists }, context) {
    const fields = {
      ...readFields(options),
      ...(await readKeyOptions(options)),
      redirect_uris: lists['redirect-uri'],
      own_webhook_keys: options['own-webhook-keys'],
    };
    const facts = readFacts(options);
    const calls = await readCalls(options, context);
    checkAppCalls(calls);
    return context.withOperations(async (operations) => {
      const result = await runAndPrint(created, fields, operations);
      const document = asObject(result.json) ?? {};
      const clientId = String(document.client_id);
      const all = isGiven(facts) ? [{ operation: updateApplication, fields: facts }, ...calls] : calls;
      if (all.length === 0) return result;
      try {
        await runCalls(clientId, all, operations);
        const input = { client_id: clientId };
        return { ...result, json: { ...document, ...(await operations.read(showApplication, input)) } };
      } catch (reason) {
        throw incomplete(clientId, reason);
      }
    });
  },
};

/** Returns the error for an application that was created without some of its options. Its secret is lost. */
const incomplete = (clientId: string, reason: unknown): CommandError =>
  new CommandError(
    'incomplete',
    `The application ${clientId} was created, but not all options were saved: ${reason instanceof Error ? reason.message : reason}. Set them with "kalends client update", and create a secret with "kalends client rotate-secret".`,
  );

/** Returns the fields that both operations have. */
const readFields = (options: Input['options']) => ({
  name: options.name,
  display_name: options['display-name'],
  webhook_url: options['webhook-url'],
  share_address: options[SHARE_ADDRESS.name],
  ...readFlow(options),
});

const list = operationCommand({
  name: 'client list',
  summary: 'List the applications',
  operation: listApplications,
  input: () => ({}),
  render: ({ subjects }) =>
    listOutput(
      APPLICATION,
      {
        columns: ['client_id', 'name', 'redirect_uris'],
        none: 'No applications yet. "kalends client create --help" shows how to create one.',
      },
      subjects,
    ),
});

/** Returns the application that a command names. */
export const clientInput = ({ positionals: { CLIENT_ID: clientId = '' } }: Input) => ({
  client_id: clientId,
});

const showText = (subject: ApplicationSubject) => ({ text: tabulate(toRows(APPLICATION_LINES, subject)) });

const show = operationCommand({
  name: 'client show',
  summary: 'Show one application',
  positionals: [CLIENT_ID],
  operation: showApplication,
  input: clientInput,
  render: showText,
});

const details = rendering({
  operation: showApplication,
  render: showText,
});

const update: Command = {
  name: 'client update',
  summary: 'Change an application',
  positionals: [CLIENT_ID],
  options: [NAME, ...REDIRECT_URI_CHANGES, ...CLIENT_OPTIONS, ...KEY_OPTIONS],
  notes: [
    'Options that you omit keep their values. An empty display name, webhook URL, logo, primary color, application URL, support email, support URL, privacy policy, terms of service, or provider client id removes the value: `--display-name ""`. `--providers ""` removes the limit.',
    'Accounts that users connected with another provider app need that app to refresh their tokens. Once neither the application nor the deployment has it, these users must reconnect.',
  ],
  renderings: [details],
  async run(parsed, context) {
    const { options, lists } = parsed;
    const input = clientInput(parsed);
    const { share_address: isShared, ...settings } = {
      ...readFields(options),
      ...readFacts(options),
      ...(await readKeyOptions(options)),
      ...readUriChange(lists),
    };
    const calls = await readCalls(options, context);
    if (!isGiven(settings) && calls.length === 0) {
      const names = (update.options ?? []).filter(({ name }) => name !== SHARE_ADDRESS.name);
      const list = names.map(({ name }) => `--${name}`).join(', ');
      throw usageError(`Nothing to change: give at least one of ${list}.`);
    }
    return context.withOperations(async (operations) => {
      const before = await operations.read(showApplication, input);
      checkAppCalls(calls, before);
      await printEffects({ before, change: settings }, operations, context);
      const fields = { ...input, ...settings, share_address: isShared };
      const changed = isGiven(settings) ? await operations.read(updateApplication, fields) : {};
      await runCalls(input.client_id, calls, operations);
      const { json, text } = await runAndPrint(details, input, operations);
      const secrets = newSecrets(changed);
      return {
        json: { ...asObject(json), ...secrets.json },
        text: [
          ...[text, ...secrets.text],
          ...flowNotices(settings.returning_users),
          ...unreviewedNotices(asObject(json) ?? {}),
        ].join('\n\n'),
      };
    });
  },
};

/** Returns the change of the redirect URIs. Throws a usage error for a new list that is changed too. */
function readUriChange(lists: Input['lists']) {
  const change = {
    redirect_uris: lists['redirect-uri'],
    add_redirect_uris: lists['add-redirect-uri'],
    remove_redirect_uris: lists['remove-redirect-uri'],
  };
  if (change.redirect_uris && (change.add_redirect_uris ?? change.remove_redirect_uris))
    throw usageError(
      '--redirect-uri replaces the list: use it without --add-redirect-uri and --remove-redirect-uri.',
    );
  return change;
}

/** Returns a notice if reviewed values of the document differ from those that users see. */
const unreviewedNotices = ({ client_id: clientId, verified, review_status: status }: Members): string[] =>
  verified === true && status !== 'approved'
    ? [
        `Users see the approved values until the new ones are approved: kalends client verification submit ${clientId}, or client update ${clientId} --verified on.`,
      ]
    : [];

export const HOUR_MS = 3_600_000;

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

const { values: PROFILES } = SWITCHES.profile;

const check = operationCommand({
  name: 'client check',
  summary: 'List what an application lacks for a security profile',
  positionals: [CLIENT_ID],
  options: [
    {
      name: 'profile',
      value: PROFILES.join('|'),
      doc: 'The profile to check for, by default that of the application.',
    },
  ],
  notes: ['Exit code 1 if something is missing.'],
  operation: checkApplicationOperation,
  input: (parsed) => ({ ...clientInput(parsed), profile: choiceIn(parsed.options, 'profile', PROFILES) }),
  render({ client, profile, requirements, livingGrants }) {
    const missing = requirements.filter((one) => one.missing !== undefined).length;
    const rows = requirements.map(({ text, missing }) => [
      missing === undefined ? 'met' : 'missing',
      missing === undefined ? text : `${text}: ${missing}`,
    ]);
    const end = missing === 0 ? 'Nothing is missing' : `${missing} missing`;
    return {
      text: `${tabulate(rows, { width: 110 })}\n\n${end} for the profile ${profile} of ${client.name}, which has ${grantsText(livingGrants)}.`,
      exitCode: missing === 0 ? 0 : 1,
    };
  },
});

export const clientCommands: readonly Command[] = [
  ...[create, list, show, check, load, update, rotateSecret, remove],
];

/** Returns the error for an application that does not exist. */
export const unknownClient = (clientId: string): CommandError =>
  missing('client_id', { client_id: clientId });

const nameNotice = ({ clientId, displayName }: Client): string[] =>
  displayName === undefined
    ? [
        `Its users see "This application" instead of a name. To set one: kalends client update ${clientId} --display-name "NAME".`,
      ]
    : [];
