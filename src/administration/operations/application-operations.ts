/** The operations on applications. */
import { auditedUrl } from '../../audit/audited-url.ts';
import { SETTINGS } from '../../branding/settings-error.ts';
import { flag, refuseMistakes, required, text } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import { MOST_REDIRECT_URIS } from '../../oauth/redirect-uri.ts';
import { may } from '../../people/permission.ts';
import { countUsers, readListed, readSettings } from '../application-subject.ts';
import {
  changeSettings,
  countApplicationContents,
  createApplication,
  deleteApplication,
  readApplication,
  readableApplications,
  rotateSecret,
  type SettingsProblems,
} from '../applications.ts';
import { APPLICATION, type ApplicationSubject } from '../documents/application.ts';
import { TEXT_SETTINGS, type TextSettingKey } from '../documents/application-settings.ts';
import { toDocument, toTime } from '../documents/field.ts';
import { ADDRESS_TAKEN } from '../webhook-address.ts';
import { readSentKeys } from './key-fields.ts';
import {
  type AdministrationDeps,
  CLIENT,
  DRY_RUN,
  lists,
  operation,
  overlapField,
  overlapMsOf,
  PAGE,
  texts,
  toPage,
} from './operation.ts';
import { givenSettings, SETTINGS_FIELDS } from './settings-fields.ts';

const GROUP = 'Applications';
const NAMES = APPLICATION.map(({ name }) => name);
const SECRETS = ['client_secret', 'webhook_secret'];
const MOST_CHARACTERS = 2_000;

/** The errors of settings that are refused. */
const REFUSED_SETTINGS = [
  SETTINGS.invalid_client_metadata,
  SETTINGS.invalid_redirect_uri,
  SETTINGS.address_in_use,
];
const REMOVABLE = 'An empty text removes it.';
const change = (doc: string) => text({ max: MOST_CHARACTERS, absent: 'never', doc });
const name = text({ max: MOST_CHARACTERS, doc: 'The name that operators see.', example: 'Tideline' });
const redirectUri = text({
  ...{
    max: MOST_CHARACTERS,
    doc: 'The default redirect URI: where browsers return with the authorization code.',
  },
  example: 'https://app.example/callback',
});
const redirectUris = texts(
  `All redirect URIs, at most ${MOST_REDIRECT_URIS}, the default first. With several, a request can name one of them.`,
);
/** The fields of redirect URIs. Errors name the first one that is given. */
const URI_FIELDS = ['redirect_uris', 'add_redirect_uris', 'remove_redirect_uris', 'redirect_uri'] as const;
type SentUris = {
  readonly redirect_uri: string | undefined;
  readonly redirect_uris: readonly string[] | undefined;
};

/** Throws 400 if the default is another one than the first of all. */
function refuseOtherFirst({ redirect_uri: first, redirect_uris: all }: SentUris): void {
  if (first !== undefined && all !== undefined && all[0] !== first)
    refuseMistakes([{ field: 'redirect_uri', problem: 'must be the first of redirect_uris' }]);
}

/** Returns a webhook URL as the actor may read it: its query can contain a secret of the receiver. */
export const visibleUrl = (
  { clientId, url }: { readonly clientId: string; readonly url: string },
  { actor }: Pick<AdministrationDeps, 'actor'>,
): string => (may(actor, 'application.change', clientId) ? url : auditedUrl(url));

/** Returns the application as the actor may read it. */
function visibleSubject<T extends ApplicationSubject>(
  subject: T,
  deps: Pick<AdministrationDeps, 'actor'>,
): T {
  const { clientId, webhookUrl } = subject.client;
  const url = webhookUrl === undefined ? undefined : visibleUrl({ clientId, url: webhookUrl }, deps);
  const { keys } = subject;
  const address = keys?.jwksUri;
  const visible =
    address === undefined ? keys : { ...keys, jwksUri: visibleUrl({ clientId, url: address }, deps) };
  return { ...subject, keys: visible, client: { ...subject.client, webhookUrl: url } };
}

export const listApplications = operation({
  ...{ id: 'listApplications', method: 'get', path: '/applications', group: GROUP },
  summary: 'List the applications that the key may read',
  permission: 'application.list',
  ...{ pathFields: {}, fields: PAGE, command: 'client list', ...lists('clients', APPLICATION) },
  async run(page, deps) {
    const all = await readableApplications(deps.actor, deps);
    const { subjects, next } = toPage(all, ({ clientId }) => clientId, page);
    const listed = await Promise.all(subjects.map((client) => readListed(client, deps)));
    return { subjects: listed.map((subject) => visibleSubject(subject, deps)), next };
  },
});

export const createApplicationOperation = operation({
  ...{ id: 'createApplication', method: 'post', path: '/applications', group: GROUP, status: 201 },
  summary: 'Create an application',
  description:
    'Only this response has `client_secret`, unless the application authenticates otherwise, and `webhook_secret` if there is a webhook URL.',
  permission: 'application.create',
  errors: REFUSED_SETTINGS,
  pathFields: {},
  fields: {
    name: required(name),
    ...{ redirect_uri: redirectUri, redirect_uris: redirectUris },
    display_name: text({ max: MOST_CHARACTERS, doc: 'The name on the Connect pages.', example: 'Tideline' }),
    webhook_url: text({ max: MOST_CHARACTERS, doc: 'The URL that receives deliveries.' }),
    own_webhook_keys: flag({ doc: '`true`: its webhooks are signed with keys of its own.' }),
    ...SETTINGS_FIELDS,
  },
  ...{ command: 'client create', result: [...SECRETS, ...NAMES] },
  async run(input, deps) {
    refuseOtherFirst(input);
    const { redirect_uri: first = '', redirect_uris: redirectUris = [first] } = input;
    if (redirectUris.every((uri) => uri === ''))
      refuseMistakes([{ field: 'redirect_uri', problem: 'is missing' }]);
    const typed = {
      ...{ name: input.name, redirectUris },
      ...{ displayName: input.display_name ?? '', webhookUrl: input.webhook_url ?? '' },
    };
    const keys = await readSentKeys(input, deps.actor, '');
    const options = { settings: givenSettings(input), isShared: input.share_address === true, keys };
    const created = await createApplication(deps.actor, { ...typed, ...options }, deps);
    if ('problems' in created) throw problemsError(created.problems, input);
    const { clientId } = created.client;
    if (input.own_webhook_keys === true)
      await deps.webhookKeys.switchWebhookKeys({
        clientId,
        keys: 'own',
        overlapUntil: deps.now(),
        by: deps.by,
      });
    return { ...created, subject: await readSettings(created.client, deps) };
  },
  toDocument: ({ clientSecret, webhookSecret, subject }) => ({
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(webhookSecret !== undefined && { webhook_secret: webhookSecret }),
    ...toDocument(APPLICATION, subject),
  }),
});

export const showApplication = operation({
  ...{ id: 'showApplication', method: 'get', path: '/applications/{client_id}', group: GROUP },
  summary: 'Show an application',
  permission: 'application.read',
  ...{ pathFields: CLIENT, fields: {}, command: 'client show', result: NAMES },
  run: ({ client_id: clientId }, deps) => readShown(clientId, deps),
  version: ({ version }) => version,
  toDocument: (subject) => toDocument(APPLICATION, subject),
});

async function readShown(clientId: string, deps: AdministrationDeps) {
  // Read first: the version is never newer than the values.
  const version = await deps.branding.findVersion(clientId);
  const client = await readApplication(deps.actor, clientId, deps);
  const record = await deps.clients.findClientWithSecrets(clientId, deps.now());
  const userCount = await countUsers(clientId, deps);
  const liveSecrets = record?.secretHashes.length ?? 0;
  return visibleSubject({ ...(await readSettings(client, deps)), liveSecrets, userCount, version }, deps);
}

export const updateApplication = operation({
  ...{ id: 'updateApplication', method: 'patch', path: '/applications/{client_id}', group: GROUP },
  summary: 'Change an application',
  description:
    'Absent fields keep their values. All given fields are changed, or none. Only this response has a `client_secret`, which is new if the application authenticates by one again.',
  permission: 'application.change',
  errors: [...REFUSED_SETTINGS, SETTINGS.last_redirect_uri, SETTINGS.changed_meanwhile],
  pathFields: CLIENT,
  fields: {
    ...{ name, redirect_uri: redirectUri, redirect_uris: redirectUris },
    add_redirect_uris: texts('Redirect URIs to add at the end.'),
    remove_redirect_uris: texts('Redirect URIs to remove. The others keep their order.'),
    display_name: change(`The name on the Connect pages. ${REMOVABLE}`),
    webhook_url: change(`The URL that receives deliveries. ${REMOVABLE}`),
    application_url: change(`The website of the application. ${REMOVABLE}`),
    support_email: change(`The contact that users see. ${REMOVABLE}`),
    support_url: change(`The support page. ${REMOVABLE}`),
    privacy_url: change(`The privacy policy. ${REMOVABLE}`),
    terms_url: change(`The terms of service. ${REMOVABLE}`),
    ...SETTINGS_FIELDS,
  },
  ...{ command: 'client update', result: [...NAMES, ...SECRETS] },
  async run({ client_id: clientId, ...input }, deps) {
    const typed = Object.fromEntries(
      Object.entries(TEXT_SETTINGS).map(([key, { name }]) => [key, input[name]]),
    ) as Record<TextSettingKey, string | undefined>; // keys of the table
    const keys = await readSentKeys(input, deps.actor, clientId);
    const options = { settings: givenSettings(input), isShared: input.share_address === true, keys };
    refuseOtherFirst(input);
    const change = {
      ...{ all: input.redirect_uris, default: input.redirect_uri },
      ...{ added: input.add_redirect_uris, removed: input.remove_redirect_uris },
    };
    const redirectUris = URI_FIELDS.some((name) => input[name] !== undefined) ? change : undefined;
    const changed = await changeSettings(deps.actor, { clientId, typed, redirectUris, ...options }, deps);
    if ('problems' in changed) throw problemsError(changed.problems, input);
    return { ...changed, subject: await readShown(clientId, deps) };
  },
  version: ({ subject }) => subject.version,
  toDocument: ({ subject, webhookSecret, clientSecret }) => ({
    ...toDocument(APPLICATION, subject),
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(webhookSecret !== undefined && { webhook_secret: webhookSecret }),
  }),
});

/** Returns the error for problems by field, with the codes of dynamic registration (RFC 7591 §3.2.2). */
function problemsError({ redirectUris = [], ...texts }: SettingsProblems, input: SentUris): ApiError {
  const sentences: [string, readonly string[]][] = Object.entries(texts).map(
    ([key, problem]) => [TEXT_SETTINGS[key as TextSettingKey].name, [problem]], // keys of the table
  );
  const sent = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : name));
  const field = URI_FIELDS.find((name) => sent.includes(name)) ?? 'redirect_uris';
  if (redirectUris.length > 0) sentences.push([field, redirectUris]);
  const [[, [message] = []] = []] = sentences;
  const details = Object.fromEntries(sentences);
  if (message === ADDRESS_TAKEN) return new ApiError(SETTINGS.address_in_use, { details });
  const isUri = Object.keys(texts).length === 0;
  const row = isUri ? SETTINGS.invalid_redirect_uri : SETTINGS.invalid_client_metadata;
  return new ApiError(row, { message, details });
}

export const deleteApplicationOperation = operation({
  ...{ id: 'deleteApplication', method: 'delete', path: '/applications/{client_id}', group: GROUP },
  summary: 'Delete an application with its users, their grants and their accounts',
  permission: 'application.delete',
  ...{ pathFields: CLIENT, fields: DRY_RUN, command: 'client delete' },
  result: ['deleted', 'client_id', 'users', 'accounts', 'endpoints'],
  async run({ client_id: clientId, dry_run: isDryRun = false }, deps) {
    const { name } = await readApplication(deps.actor, clientId, deps);
    const contents = await countApplicationContents(deps.actor, clientId, deps);
    if (!isDryRun) await deleteApplication(deps.actor, { clientId, typedName: name }, deps);
    return { name, document: { deleted: !isDryRun, client_id: clientId, ...contents } };
  },
  toDocument: ({ document }) => document,
});

export const rotateApplicationSecret = operation({
  ...{ id: 'rotateApplicationSecret', method: 'post', group: GROUP },
  path: '/applications/{client_id}/secrets/rotate',
  summary: 'Replace the secret of an application',
  description: 'Only this response has `client_secret`. Two secrets can be valid at once.',
  permission: 'application.secrets',
  pathFields: CLIENT,
  fields: overlapField('secret'),
  ...{ command: 'client rotate-secret', result: ['client_id', 'client_secret', 'old_secret_expires_at'] },
  async run({ client_id: clientId, overlap_hours: hours }, deps) {
    const rotated = await rotateSecret(deps.actor, { clientId, overlapMs: overlapMsOf(hours) }, deps);
    return { clientId, ...rotated };
  },
  toDocument: ({ clientId, clientSecret, oldSecretExpiresAt }) => ({
    ...{ client_id: clientId, client_secret: clientSecret },
    old_secret_expires_at: toTime(oldSecretExpiresAt),
  }),
});
