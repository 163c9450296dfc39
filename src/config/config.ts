/** The only reader of the environment. The tables define what can be set; `loadConfig` reports all problems together. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defaultPrivateNetwork } from '../lib/egress/private-network.ts';
import { nearestOf } from '../lib/nearest.ts';
import { ALERTS } from './alert-options.ts';
import { ADMINISTRATION, DASHBOARD, SIGN_IN, SUPPORT } from './dashboard-options.ts';
import { LIMITS } from './limit-options.ts';
import { MAIL } from './mail-options.ts';
import type { Option, ValuesOf } from './option.ts';
import { APPLE, GOOGLE, MICROSOFT, PROVIDERS } from './provider-options.ts';
import { BACKUPS, NETWORK, OPERATION, SECURITY, STORAGE, TRACING } from './server-options.ts';
import { readTracing } from './tracing-settings.ts';

/** Every setting, in the order of `docs/configuration.md`. */
const TABLES = {
  network: NETWORK,
  storage: STORAGE,
  backups: BACKUPS,
  operation: OPERATION,
  tracing: TRACING,
  mail: MAIL,
  alerts: ALERTS,
  security: SECURITY,
  providers: PROVIDERS,
  google: GOOGLE,
  microsoft: MICROSOFT,
  apple: APPLE,
  limits: LIMITS,
  dashboard: DASHBOARD,
  administration: ADMINISTRATION,
  signIn: SIGN_IN,
  support: SUPPORT,
};

export const OPTIONS: readonly Option[] = Object.values(TABLES).flatMap((table) =>
  Object.values<Option>(table),
);

type Environment = Readonly<Record<string, string | undefined>>;
/** The values by table and property, such as `values.network.port`. */
type Values = { readonly [T in keyof typeof TABLES]: ValuesOf<(typeof TABLES)[T]> };

/** The settings as they are read, before the program starts. */
type Given = {
  /** undefined for a value with a problem. */
  readonly values: { readonly [T in keyof Values]: Partial<Values[T]> };
  readonly isSet: (option: Option) => boolean;
};
/** Returns the problem with settings that contradict each other, if there is one. */
type Rule = (given: Given) => string | undefined | false;

const SINGLE_SIGN_ON = [SIGN_IN.issuer, SIGN_IN.clientId, SIGN_IN.clientSecret, SIGN_IN.rules];

const RULES: readonly Rule[] = [
  requires(GOOGLE.clientSecret, [GOOGLE.clientId]),
  requires(GOOGLE.clientId, [GOOGLE.clientSecret]),
  requires(MICROSOFT.clientSecret, [MICROSOFT.clientId]),
  requires(MICROSOFT.clientId, [MICROSOFT.clientSecret]),
  requires(MAIL.server, [MAIL.from, ALERTS.emails]),
  requires(ALERTS.webhookUrl, [ALERTS.webhookSecret]),
  requires(MAIL.from, [MAIL.server]),
  requires(SIGN_IN.issuer, SINGLE_SIGN_ON),
  requires(SIGN_IN.clientId, SINGLE_SIGN_ON),
  requires(SIGN_IN.clientSecret, SINGLE_SIGN_ON),
  ({ values: { signIn }, isSet }) =>
    (signIn.ways?.size ?? 2) < 2 &&
    !SINGLE_SIGN_ON.some(isSet) &&
    'KALENDS_DASHBOARD_SIGN_IN turns a sign-in method off, but single sign-on is not set up: set KALENDS_DASHBOARD_OIDC_ISSUER',
  ({ values: { backups }, isSet }) =>
    backups.everyMs !== undefined &&
    isSet(STORAGE.databaseUrl) &&
    'KALENDS_BACKUP_EVERY is set, but the database is PostgreSQL: use pg_dump for backups',
  previousKeyProblem,
  applicationHostsProblem,
];

/** Returns the rule that `option` is set if one of the others is. */
function requires(option: Option, others: readonly Option[]): Rule {
  return ({ isSet }) => {
    const other = others.find(isSet);
    return other !== undefined && !isSet(option) && `${option.name} is missing, but ${other.name} is set`;
  };
}

function previousKeyProblem({ values, isSet }: Given): string | undefined {
  const { masterKey, masterKeyPrevious: previous } = values.storage;
  const { name } = STORAGE.masterKeyPrevious;
  if (previous === undefined) return undefined;
  if (masterKey === 'generate')
    return `KALENDS_MASTER_KEY is generate, but ${name} is set: generate cannot replace a previous key`;
  if (!isSet(STORAGE.masterKey))
    return `KALENDS_MASTER_KEY is missing, but ${name} is set, which is only for the previous key`;
  if (masterKey?.equals(previous))
    return `${name} is the same key as KALENDS_MASTER_KEY: it must be the previous key`;
  return undefined;
}

function applicationHostsProblem({ values: { network, dashboard }, isSet }: Given): string | undefined {
  const { name } = NETWORK.applicationHosts;
  if (network.applicationHosts === undefined) return undefined;
  const { protocol, hostname } = new URL(network.applicationHosts);
  if (protocol === 'http:' && network.url?.startsWith('https:'))
    return `${name} must be https, because KALENDS_URL is`;
  const suffix = hostname.slice('id'.length);
  const isLocal = !isSet(NETWORK.url) && network.port !== undefined;
  const conflict = [isLocal ? localOrigin(network) : network.url, dashboard.url].find(
    (origin) => origin !== undefined && new URL(origin).hostname.endsWith(suffix),
  );
  return conflict === undefined ? undefined : `${name} must not include the host of ${conflict}`;
}

export type Config = Readonly<ReturnType<typeof toConfig>> &
  ReturnType<typeof readTracing> & {
    /** Every setting that is in force, in the order of the tables. */
    readonly settings: readonly SettingInForce[];
    /** Names in the environment that look like settings but are not. */
    readonly unknownNames: readonly UnknownName[];
  };

/** A setting and its source: the environment, the file that `NAME_FILE` names, `PORT`, or a command-line option. */
export type SettingInForce = {
  readonly name: string;
  /** Empty if nothing is set; undefined for a secret that is set. */
  readonly value: string | undefined;
  readonly from: 'default' | 'environment' | 'file' | 'PORT' | 'option';
};

/** Thrown with every problem of the environment, each naming its variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Reads and checks every setting. Throws one ConfigError that lists all problems. */
export function loadConfig(env: Environment): Config {
  const problems: string[] = [];
  const texts = new Map(OPTIONS.map((option) => [option.name, readText(option, { env, problems })]));
  const parse = (option: Option): unknown => {
    try {
      return option.parse(texts.get(option.name) ?? '');
    } catch (reason) {
      problems.push(`${option.name} ${reason instanceof Error ? reason.message : String(reason)}`);
      return undefined;
    }
  };
  // Each value is what its row's `parse` returned, or undefined beside a problem.
  const values = mapValues(TABLES, (table) => mapValues(table, parse)) as Given['values'];
  const isSet = ({ name }: Option) => texts.get(name) !== '';
  problems.push(
    ...RULES.map((rule) => rule({ values, isSet })).filter((problem) => typeof problem === 'string'),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({
    ...toConfig(values as Values), // without a problem, none is missing
    ...readTracing({
      ...{ env, values: (values as Values).tracing },
      isSet: ({ name }) => findSource(name, env) !== 'default',
    }),
    settings: OPTIONS.map(({ name, secret }) => {
      const value = texts.get(name) ?? '';
      return Object.freeze({
        name,
        value: secret && value !== '' ? undefined : value,
        from: findSource(name, env),
      });
    }),
    unknownNames: unknownNames(env, OPTIONS),
  });
}

function toConfig({ network, storage, backups, operation, security, ...values }: Values) {
  const { masterKey, dataDir, databaseUrl } = storage;
  const { host, url = localOrigin(network) } = network;
  const { hostname } = new URL(url);
  const { dashboard, signIn } = values;
  const { issuer, clientId, clientSecret, rules, ways } = signIn;
  return {
    ...network,
    ...storage,
    ...operation,
    ...security,
    ...values.providers,
    ...values.apple,
    ...values.support,
    ...values.administration,
    url,
    /** 32 bytes; undefined selects the file `master.key` in `dataDir`. */
    masterKey: masterKey === 'generate' ? undefined : masterKey,
    /** Whether a start without any master key creates that file. */
    createsMasterKey: masterKey === 'generate' || databaseUrl === undefined,
    /** On SQLite there is no other instance that could take the requests. */
    drainSeconds: operation.drainSeconds ?? (databaseUrl === undefined ? 0 : 5),
    backups: Object.freeze({
      ...backups,
      folder: path.resolve(backups.folder || path.join(dataDir, 'backups')),
    }),
    /** undefined: nothing is mailed. */
    mail: toMail(values.mail),
    privateNetwork: security.privateNetwork ?? defaultPrivateNetwork(host, hostname),
    google: provider(values.google),
    microsoft: provider(values.microsoft),
    limits: values.limits,
    alerts: values.alerts,
    /** An origin, which may be `url` itself; undefined: there is no dashboard. */
    dashboardUrl: dashboard.isOn ? (dashboard.url ?? url) : undefined,
    isDashboardNetwork: dashboard.isDashboardNetwork,
    dashboardSignIn: Object.freeze({
      singleSignOn:
        issuer === undefined ? undefined : Object.freeze({ issuer, clientId, clientSecret, rules }),
      usesPasswords: ways.has('password'),
      usesPasskeys: ways.has('passkey'),
    }),
  };
}

const toMail = ({ server, from }: Values['mail']) => server && from && Object.freeze({ server, from });

/** Returns the settings of a provider; `app` is undefined if applications have to bring their own. */
function provider<T>({ clientId, clientSecret, ...others }: T & { clientId: string; clientSecret: string }) {
  const app = clientId === '' ? undefined : Object.freeze({ clientId, clientSecret });
  return Object.freeze({ app, ...others });
}

const localOrigin = ({ host, port }: Partial<Values['network']>): string =>
  `http://${host?.includes(':') ? `[${host}]` : host}:${port}`;

const mapValues = <T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T) => U,
): Readonly<Record<string, U>> =>
  Object.freeze(Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)])));

function readText(option: Option, { env, problems }: { env: Environment; problems: string[] }): string {
  const { name, default: fallback = '' } = option;
  const file = env[`${name}_FILE`];
  if (env[name] && file) problems.push(`${name} and ${name}_FILE are both set; keep one`);
  if (env[name]) return env[name];
  if (!file) return (name === 'KALENDS_PORT' && env.PORT) || fallback;
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text !== '') return text;
    problems.push(`${name}_FILE names an empty file: ${file}`);
  } catch {
    problems.push(`${name}_FILE names a file that cannot be read: ${file}`);
  }
  return fallback;
}

function findSource(name: string, env: Environment): SettingInForce['from'] {
  if (env[name]) return 'environment';
  if (env[`${name}_FILE`]) return 'file';
  return name === 'KALENDS_PORT' && env.PORT ? 'PORT' : 'default';
}

export type UnknownName = { readonly name: string; readonly nearest: string | undefined };

/** Read by `kalends listen`, by the tests, and by compose.yaml. */
const OTHERS = /^KALENDS_(CLIENT_ID|CLIENT_SECRET|WEBHOOK_SECRET|DOMAIN|TEST_.*)$/;
/** Names that Kubernetes and container links set for a service named kalends. */
const OF_SERVICE = /^KALENDS_(SERVICE_.*|PORT_\d+_.*)$/;
const MOST_CHARACTERS = 100;
const MOST_NAMES = 50;

/** Returns at most fifty names, in the order of the environment. `options` are the existing settings. */
export function unknownNames(
  env: Readonly<Record<string, string | undefined>>,
  options: readonly { readonly name: string }[],
): readonly UnknownName[] {
  const settingNames = options.flatMap(({ name }) => [name, `${name}_FILE`]);
  return Object.keys(env)
    .filter((name) => name.startsWith('KALENDS_') && !settingNames.includes(name))
    .filter((name) => !OTHERS.test(name) && !OF_SERVICE.test(name))
    .slice(0, MOST_NAMES)
    .map((name) => ({ name: name.slice(0, MOST_CHARACTERS), nearest: nearestOf(name, settingNames) }));
}
