/** The options of `client create` and `client update`. Secrets come from files, since arguments are visible to others. */

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer, text as readStream } from 'node:stream/consumers';
import { APP_KINDS, APP_NAMES, type AppKind, checkProviderApp } from '../access/provider-apps.ts';
import { FACTS, TEXT_SETTINGS } from '../administration/documents/application-settings.ts';
import {
  removeLogoOperation,
  setLogoOperation,
  updateBranding,
} from '../administration/operations/branding-operations.ts';
import type { AdminOperation } from '../administration/operations/operation.ts';
import {
  removeProviderApp,
  setProviderAppOperation,
} from '../administration/operations/provider-app-operations.ts';
import { REVIEW_STEP_OPERATIONS, verifyApplication } from '../administration/operations/review-operations.ts';
import { THEMES } from '../branding/branding.ts';
import { fetchLogo } from '../branding/fetch-logo.ts';
import { logoImage, MOST_LOGO_BYTES } from '../branding/logo-image.ts';
import { readFact, readPrimaryColor } from '../branding/look-input.ts';
import { PROVIDER_KINDS, parseProviderKind } from '../calendars/provider-facts.ts';
import type { Config } from '../config/config.ts';
import type { Members } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import { lazyEgress } from '../lib/egress/lazy-egress.ts';
import { RETURNING_USERS } from '../oauth/client.ts';
import { MOST_REDIRECT_URIS } from '../oauth/redirect-uri.ts';
import { REVIEWS } from '../verification/reviews.ts';
import type { EndpointStore } from '../webhooks/endpoint-store.ts';
import { unreachableProblem } from '../webhooks/endpoint-url.ts';
import { refuseElsewhere } from '../webhooks/endpoints.ts';
import {
  CommandError,
  type CommandOption,
  type Context,
  type Input,
  type Io,
  unreadableFile,
  usageError,
} from './command.ts';
import { choiceIn, readSwitch, text } from './option-values.ts';
import type { Operations } from './rendering.ts';
import { readSwitches, SWITCH_OPTIONS } from './switch-options.ts';

export const NAME: CommandOption = {
  name: 'name',
  value: 'NAME',
  doc: 'The name that operators see; users never see it.',
};

export const REDIRECT_URI: CommandOption = {
  name: 'redirect-uri',
  value: 'URI',
  doc: 'Where browsers return with the authorization code: https, http on this machine, or a private-use scheme.',
};

/** All redirect URIs of an application. */
export const REDIRECT_URIS: CommandOption = {
  ...REDIRECT_URI,
  doc: `${REDIRECT_URI.doc} Repeat it for up to ${MOST_REDIRECT_URIS}, the default first. With several, requests with an unregistered \`redirect_uri\` are refused.`,
  repeatable: true,
};

/** The options that change the list, as in `--add-redirect-uri`. */
export const REDIRECT_URI_CHANGES: readonly CommandOption[] = [
  { ...REDIRECT_URIS, doc: `${REDIRECT_URIS.doc} The given ones replace all others.` },
  { name: 'add-redirect-uri', value: 'URI', doc: 'A redirect URI to add at the end.', repeatable: true },
  {
    name: 'remove-redirect-uri',
    value: 'URI',
    doc: 'A redirect URI to remove. The last one cannot be removed.',
    repeatable: true,
  },
];

const DISPLAY_NAME: CommandOption = {
  name: 'display-name',
  value: 'NAME',
  doc: 'The name on the Connect pages; "This application" by default.',
};

export const WEBHOOK_URL: CommandOption = {
  name: 'webhook-url',
  value: 'URL',
  doc: 'The URL that receives deliveries: https, or http on this machine.',
};

const FLOW_OPTIONS: readonly CommandOption[] = [
  {
    name: 'returning-users',
    value: RETURNING_USERS.join('|'),
    doc: '`prove`, the default: a returning user in an unknown browser signs in to an account again. `continue`: no sign-in is needed, so everyone who knows a user id can use its accounts.',
  },
  {
    name: 'providers',
    value: 'KIND,…',
    doc: `The providers that it offers, of ${PROVIDER_KINDS.join(', ')}; by default all providers of the deployment.`,
  },
  ...SWITCH_OPTIONS,
];

type Options = Input['options'];

/** Reads the options as fields of operations; an absent one is undefined. Throws a usage error for the first invalid one. */
export const readFlow = (options: Options) => ({
  returning_users: choiceIn(options, 'returning-users', RETURNING_USERS),
  providers: readProviders(options.providers),
  ...readSwitches(options),
});

/** Returns the notices for a change of these settings. */
export const flowNotices = (returningUsers: string | undefined): string[] =>
  returningUsers === 'continue'
    ? [
        'Returning users now continue without proof: everyone who knows a user id can use the accounts of that user, at any scope.',
      ]
    : [];

/** Parses a list of providers. An empty text is an empty list. */
function readProviders(value: Options[string] | undefined): readonly string[] | undefined {
  if (typeof value !== 'string') return undefined;
  if (value === '') return [];
  const kinds = value.split(',').map((name) => {
    const kind = parseProviderKind(name);
    if (kind !== undefined) return kind;
    throw usageError(`--providers must be a list of ${PROVIDER_KINDS.join(', ')}, not "${name.trim()}".`);
  });
  return PROVIDER_KINDS.filter((kind) => kinds.includes(kind));
}

const VERIFIED: CommandOption = {
  name: 'verified',
  value: 'on|off',
  doc: '`on` approves the current values without a submission; `off` withdraws the verification. Has an effect if KALENDS_OPERATOR_NAME is set.',
};

/** An operation on an existing application, with its fields besides `client_id`. */
export type Call = { readonly operation: AdminOperation; readonly fields: Members };

function readVerified(options: Options): Call[] {
  const isVerified = readSwitch(options, 'verified');
  if (isVerified === undefined) return [];
  const operation = isVerified ? verifyApplication : REVIEW_STEP_OPERATIONS.withdraw;
  return [{ operation, fields: { note: `--verified ${isVerified ? 'on' : 'off'}` } }];
}

const BRANDING_OPTIONS: readonly CommandOption[] = [
  {
    name: 'logo',
    value: 'FILE|URL',
    doc: 'PNG, JPEG, WebP or SVG of at most 5 MB, or an https URL of at most 2 MB that is downloaded now; square looks best.',
  },
  { name: 'dark-logo', value: 'FILE|URL', doc: 'The logo for dark pages; by default the same logo.' },
  {
    name: 'primary-color',
    value: "'#RRGGBB'",
    doc: 'The color of buttons and links; its lightness is adapted for contrast. Quote the value: # starts a comment.',
  },
  {
    name: 'theme',
    value: THEMES.join('|'),
    doc: "`auto`, the default, follows the user's choice or device.",
  },
  { name: 'footer', value: 'on|off', doc: 'Whether pages mention Kalends in the footer; `on` by default.' },
  { name: 'branding', value: 'on|off', doc: '`off` shows the default appearance and keeps all settings.' },
  { name: 'application-url', value: 'URL', doc: 'The https page of the application; required for a review.' },
  { name: 'support-email', value: 'ADDRESS', doc: 'Shown on error pages as the contact for help.' },
  { name: 'support-url', value: 'URL', doc: 'An https page with help, instead of the address.' },
  {
    name: 'privacy-url',
    value: 'URL',
    doc: 'The https page of the privacy policy, linked on the consent page.',
  },
  { name: 'terms-url', value: 'URL', doc: 'The https page of the terms of service, linked beside it.' },
];

/** Reads the branding besides logos. Throws an error about the first invalid option. */
function readBranding(options: Options): Call[] {
  const color = text(options['primary-color']);
  const fields = {
    enabled: readSwitch(options, 'branding'),
    primary_color: color && readPrimaryColor(color),
    theme: choiceIn(options, 'theme', THEMES),
    hide_footer: readSwitch(options, 'footer', 'off'),
  };
  return isGiven(fields) ? [{ operation: updateBranding, fields }] : [];
}

/** Reads the facts as fields of `updateApplication`. Throws an error about the first invalid one. */
export function readFacts(options: Options): Members {
  const facts = FACTS.map((key) => {
    const { name } = TEXT_SETTINGS[key];
    const fact = text(options[name.replaceAll('_', '-')]);
    readFact(key, fact);
    return [name, fact] as const;
  });
  return Object.fromEntries(facts);
}

/** Reads or downloads a logo. On the local database, a logo that cannot be rendered is refused before anything changes. */
async function readLogo(
  value: Options[string] | undefined,
  scheme: 'light' | 'dark',
  { config, isRemote }: Context,
): Promise<Call[]> {
  if (typeof value !== 'string') return [];
  if (value === '') return [{ operation: removeLogoOperation, fields: { scheme } }];
  const name = scheme === 'light' ? 'logo' : 'dark logo';
  const bytes = await (/^https?:/i.test(value) ? downloadLogo(value, name, config()) : readLogoFile(value));
  if (!isRemote) await logoImage(bytes, name);
  return [
    { operation: setLogoOperation, fields: { scheme, picture: Buffer.from(bytes).toString('base64') } },
  ];
}

async function downloadLogo(url: string, name: string, { privateNetwork }: Config): Promise<Uint8Array> {
  const egress = lazyEgress({ privateNetwork });
  try {
    return await fetchLogo({ url }, name, egress);
  } finally {
    await egress.close();
  }
}

/** Reads at most one byte more than the limit, which is enough to detect a file that is too large. */
const readLogoFile = (file: string): Promise<Uint8Array> =>
  buffer(createReadStream(file, { end: MOST_LOGO_BYTES })).catch((cause: unknown) => {
    throw unreadableFile('unreadable_logo', file, cause);
  });

const idOption = (kind: AppKind): string => `${kind}-client-id`;
const secretOption = (kind: AppKind): string => `${kind}-client-secret-file`;

const PROVIDER_APP_OPTIONS: readonly CommandOption[] = APP_KINDS.flatMap((kind) => [
  {
    name: idOption(kind),
    value: 'ID',
    doc: `The client id of its own provider app at ${APP_NAMES[kind]}, used instead of the deployment's.`,
  },
  {
    name: secretOption(kind),
    value: 'FILE',
    doc: 'A file with the secret of that provider app; `-` is standard input.',
  },
]);

/** The change for one provider: a new app, a new secret, or, without a secret, the removal of the app. */
type AppChange = {
  readonly kind: AppKind;
  readonly appClientId: string | undefined;
  readonly clientSecret: string | undefined;
};

/** Reads the options and the secrets. Throws a usage error for options that contradict each other. */
async function readAppChanges(options: Options, io: Io): Promise<AppChange[]> {
  const changes: AppChange[] = [];
  const fromInput = APP_KINDS.filter((kind) => options[secretOption(kind)] === '-');
  if (fromInput.length > 1)
    throw usageError('Standard input can have only one secret: use a file for the other.');
  for (const kind of APP_KINDS) {
    const [appClientId, file] = [options[idOption(kind)], options[secretOption(kind)]];
    if (typeof appClientId !== 'string' && typeof file !== 'string') continue;
    const removes = appClientId === '';
    if (removes && file !== undefined) {
      throw usageError(`--${secretOption(kind)} cannot be used if --${idOption(kind)} "" removes the app.`);
    }
    if (!removes && typeof file !== 'string') throw usageError(`--${secretOption(kind)} FILE is missing.`);
    const clientSecret = typeof file === 'string' ? await readSecret(file, io) : undefined;
    const change = { kind, appClientId: appClientId === true ? undefined : appClientId, clientSecret };
    checkProviderApp(change);
    changes.push(change);
  }
  return changes;
}

const toAppCall = ({ kind: provider, appClientId, clientSecret }: AppChange): Call =>
  clientSecret === undefined
    ? { operation: removeProviderApp, fields: { provider } }
    : {
        operation: setProviderAppOperation,
        fields: { provider, app_client_id: appClientId, client_secret: clientSecret },
      };

/** Throws a usage error for a new secret without an app. `application` is the document of an existing application. */
export function checkAppCalls(calls: readonly Call[], application: Members = {}): void {
  for (const kind of APP_KINDS) {
    const lacksApp = calls.some(
      ({ operation, fields }) =>
        operation.id === setProviderAppOperation.id &&
        fields.provider === kind &&
        fields.app_client_id === undefined,
    );
    if (lacksApp && typeof application[`${kind}_client_id`] !== 'string')
      throw usageError(`--${idOption(kind)} ID is missing: no ${APP_NAMES[kind]} app is set.`);
  }
}

/** Reads a secret from a file, or from standard input for `-`. Throws CommandError if it is empty. */
export async function readSecret(file: string, io: Io): Promise<string> {
  const content = file === '-' ? await readStream(io.stdin) : await readSecretFile(file);
  const secret = content.trim();
  if (secret !== '') return secret;
  throw new CommandError('empty_secret', `There is no secret in ${file === '-' ? 'standard input' : file}.`);
}

const readSecretFile = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    throw unreadableFile('unreadable_secret', file, cause);
  });

export const SHARE_ADDRESS: CommandOption = {
  name: 'share-address',
  doc: 'Allow an address that another application uses for its webhooks.',
};

/** The options of both commands, besides the name and the redirect URIs. */
export const CLIENT_OPTIONS: readonly CommandOption[] = [
  DISPLAY_NAME,
  WEBHOOK_URL,
  SHARE_ADDRESS,
  ...FLOW_OPTIONS,
  ...BRANDING_OPTIONS,
  VERIFIED,
  ...PROVIDER_APP_OPTIONS,
];

/** Reads the options of everything but the application itself, with secrets and logos. Throws an error about the first invalid one. */
export async function readCalls(options: Options, context: Context): Promise<readonly Call[]> {
  const apps = (await readAppChanges(options, context.io)).map(toAppCall);
  const calls = [...readBranding(options), ...apps, ...readVerified(options)];
  // Last: downloads take longest.
  const logos = [
    ...(await readLogo(options.logo, 'light', context)),
    ...(await readLogo(options['dark-logo'], 'dark', context)),
  ];
  return [...logos, ...calls];
}

/** Runs operations on an application, one after the other. Withdrawing a verification that does not exist does nothing. */
export async function runCalls(
  clientId: string,
  calls: readonly Call[],
  operations: Operations,
): Promise<void> {
  for (const { operation, fields } of calls) {
    try {
      await operations.read(operation, { client_id: clientId, ...fields });
    } catch (reason) {
      if (!(reason instanceof ApiError && reason.body.code === REVIEWS.not_verified.code)) throw reason;
    }
  }
}

/** Returns whether any value is defined. */
export const isGiven = (values: object): boolean =>
  Object.values(values).some((value) => value !== undefined);

export type UrlToCheck = {
  readonly url: string | null | undefined;
  readonly clientId: string;
  readonly shared: boolean;
};

/** Throws if deliveries cannot reach the URL, or if another application uses its address. Ignores values that are not URLs. */
export async function checkWebhookUrl(
  { url, clientId, shared }: UrlToCheck,
  { privateNetwork }: Config,
  endpoints: EndpointStore,
): Promise<void> {
  if (typeof url !== 'string' || !URL.canParse(url)) return;
  const problem = unreachableProblem(url, privateNetwork);
  if (problem !== undefined) throw new CommandError('invalid_client_metadata', `The webhook URL ${problem}.`);
  if (!shared) await refuseElsewhere(url, clientId, endpoints);
}
