/** The options of `client create` and `client update`. Secrets come from files, since arguments are visible to others. */

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer, text as readStream } from 'node:stream/consumers';
import {
  APP_KINDS,
  APP_NAMES,
  type AppKind,
  checkProviderApp,
  type ProviderAppStore,
} from '../access/provider-apps.ts';
import { FACTS, TEXT_SETTINGS } from '../administration/documents/application-settings.ts';
import { type Fact, THEMES } from '../branding/branding.ts';
import type { LogoImage, LookChange } from '../branding/branding-store.ts';
import { fetchLogo } from '../branding/fetch-logo.ts';
import { logoImage, MOST_LOGO_BYTES } from '../branding/logo-image.ts';
import { readFact, readPrimaryColor } from '../branding/look-input.ts';
import { PROVIDER_KINDS, type ProviderKind, parseProviderKind } from '../calendars/provider-facts.ts';
import type { Config } from '../config/config.ts';
import { lazyEgress } from '../lib/egress/lazy-egress.ts';
import {
  type ClientChange,
  type ClientSettings,
  PUSHED_REQUESTS,
  REFRESH_REPLAY_WINDOW,
  RETURNING_USERS,
} from '../oauth/client.ts';
import { verifyNow, withdrawVerification } from '../verification/reviews.ts';
import type { Verification } from '../verification/verification.ts';
import type { EndpointStore } from '../webhooks/endpoint-store.ts';
import { unreachableProblem } from '../webhooks/endpoint-url.ts';
import { refuseElsewhere } from '../webhooks/endpoints.ts';
import {
  CommandError,
  type CommandOption,
  type Context,
  type Input,
  type Io,
  type Storage,
  unreadableFile,
  usageError,
} from './command.ts';
import { choiceIn, readSwitch, text } from './option-values.ts';

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
    name: 'pushed-requests',
    value: PUSHED_REQUESTS.join('|'),
    doc: '`accepted`, the default: `/authorize` takes its parameters from the URL or from a request pushed to `/par`. `required`: only from a pushed request.',
  },
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
  { name: REFRESH_REPLAY_WINDOW.option, value: 'SECONDS', doc: REFRESH_REPLAY_WINDOW.about },
];

type Options = Input['options'];
type FlowChange = Pick<ClientChange, keyof ClientSettings>;

/** Reads the options; an absent one is undefined. Throws a usage error for the first invalid one. */
export function readFlowChange(options: Options): FlowChange {
  return {
    pushedRequests: choiceIn(options, 'pushed-requests', PUSHED_REQUESTS),
    returningUsers: choiceIn(options, 'returning-users', RETURNING_USERS),
    providers: readProviders(options.providers),
    refreshReplayWindow: readReplayWindow(options[REFRESH_REPLAY_WINDOW.option]),
  };
}

/** Returns the notices for a change of these settings. */
export function flowNotices({ returningUsers }: FlowChange): string[] {
  return returningUsers === 'continue'
    ? [
        'Returning users now continue without proof: everyone who knows a user id can use the accounts of that user, at any scope.',
      ]
    : [];
}

function readReplayWindow(value: Options[string] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const seconds = REFRESH_REPLAY_WINDOW.parse(value);
  if (seconds !== undefined) return seconds;
  throw usageError(`--${REFRESH_REPLAY_WINDOW.option} ${REFRESH_REPLAY_WINDOW.problem}.`);
}

/** Parses a list of providers. Null, for an empty text, removes the limit. */
function readProviders(value: Options[string] | undefined): readonly ProviderKind[] | null | undefined {
  if (typeof value !== 'string') return undefined;
  if (value === '') return null;
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

/** Verifies the application or withdraws its verification. Does nothing for `undefined`. */
async function setVerified(
  clientId: string,
  isVerified: boolean | undefined,
  deps: Pick<ExtrasDeps, 'verification' | 'now' | 'by'>,
): Promise<void> {
  if (isVerified === undefined) return;
  const input = { clientId, note: `--verified ${isVerified ? 'on' : 'off'}` };
  if (isVerified) await verifyNow(input, deps);
  else if ((await deps.verification.findVerification(clientId))?.verifiedAt !== undefined)
    await withdrawVerification(input, deps);
}

/** Returns a notice if reviewed values changed that users do not see yet. */
export const unreviewedNotices = ({ clientId, status, approved }: Verification): string[] =>
  approved === undefined || status === 'approved'
    ? []
    : [
        `Users see the approved values until the new ones are approved: kalends client verification submit ${clientId}, or client update ${clientId} --verified on.`,
      ];

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

/** Reads the options and their logos; an absent option is `undefined`. Throws an error about the first invalid one. */
async function readLookChange(options: Options, config: () => Config): Promise<LookChange> {
  const color = text(options['primary-color']);
  return {
    enabled: readSwitch(options, 'branding'),
    primaryColor: color === '' ? null : color && readPrimaryColor(color),
    theme: choiceIn(options, 'theme', THEMES),
    hideFooter: readSwitch(options, 'footer', 'off'),
    ...readFacts(options),
    // Last: downloads take longest.
    logo: await readLogo(options.logo, 'logo', config),
    darkLogo: await readLogo(options['dark-logo'], 'dark logo', config),
  };
}

function readFacts(options: Options): Pick<LookChange, Fact> {
  const read = (key: Fact) => readFact(key, text(options[TEXT_SETTINGS[key].name.replaceAll('_', '-')]));
  return Object.fromEntries(FACTS.map((key) => [key, read(key)]));
}

async function readLogo(
  value: Options[string] | undefined,
  name: string,
  config: () => Config,
): Promise<LogoImage | null | undefined> {
  if (typeof value !== 'string') return undefined;
  if (value === '') return null;
  if (!/^https?:/i.test(value)) return logoImage(await readLogoFile(value), name);
  const egress = lazyEgress({ privateNetwork: config().privateNetwork });
  try {
    return await logoImage(await fetchLogo({ url: value }, name, egress), name);
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

/** Throws a usage error for a new secret without an app. */
export async function checkAppChanges(
  clientId: string | undefined,
  changes: readonly AppChange[],
  apps: ProviderAppStore,
): Promise<void> {
  const set = clientId === undefined ? {} : await apps.listProviderApps(clientId);
  for (const { kind, appClientId } of changes) {
    if (appClientId === undefined && set[kind] === undefined)
      throw usageError(`--${idOption(kind)} ID is missing: no ${APP_NAMES[kind]} app is set.`);
  }
}

/** Saves or removes the apps. */
async function applyAppChanges(
  clientId: string,
  changes: readonly AppChange[],
  { providerApps, now, by }: Pick<ExtrasDeps, 'providerApps' | 'now' | 'by'>,
): Promise<void> {
  for (const { kind, appClientId, clientSecret } of changes) {
    if (clientSecret === undefined) {
      await providerApps.removeProviderApp(clientId, kind, by);
      continue;
    }
    const id = appClientId ?? (await providerApps.listProviderApps(clientId))[kind] ?? '';
    await providerApps.setProviderApp({ clientId, kind }, { clientId: id, clientSecret }, { now: now(), by });
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

/** The options of both commands, besides the name and the redirect URI. */
export const CLIENT_OPTIONS: readonly CommandOption[] = [
  DISPLAY_NAME,
  WEBHOOK_URL,
  SHARE_ADDRESS,
  ...FLOW_OPTIONS,
  ...BRANDING_OPTIONS,
  VERIFIED,
  ...PROVIDER_APP_OPTIONS,
];

/** The values that the commands store besides the application itself. */
export type Extras = {
  readonly apps: readonly AppChange[];
  readonly isVerified: boolean | undefined;
  readonly look: LookChange;
};

/** Reads the options, secrets and logos. Throws an error about the first invalid one. */
export const readExtras = async (options: Options, { config, io }: Context): Promise<Extras> => ({
  apps: await readAppChanges(options, io),
  isVerified: readSwitch(options, 'verified'),
  look: await readLookChange(options, config),
});

type ExtrasDeps = Pick<Storage, 'branding' | 'providerApps' | 'verification' | 'by'> & {
  readonly now: () => number;
};

/** Saves what was given. */
export async function saveExtras(
  clientId: string,
  { apps, isVerified, look }: Extras,
  { branding, providerApps, verification, now, by }: ExtrasDeps,
): Promise<void> {
  if (isGiven(look)) await branding.changeLook(clientId, look, { now: now(), by });
  await applyAppChanges(clientId, apps, { providerApps, now, by });
  await setVerified(clientId, isVerified, { verification, now, by });
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
