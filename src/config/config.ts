/**
 * The only reader of the environment. One table says what can be set. `loadConfig` reports every problem at once, by
 * name, and answers a frozen object; each feature receives its part of it.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { addressRanges } from '../lib/address-ranges.ts';
import { type Network, type PrivateNetwork, parsePrivateNetwork } from '../lib/egress/private-network.ts';

import { claimRules, type DashboardSignIn, openIdIssuer, waysIn } from './dashboard-sign-in.ts';

import { type UnknownName, unknownNames } from './unknown-names.ts';

export type Config = {
  /** All that can be set, as it is in force here, in the table's order. */
  readonly settings: readonly SettingInForce[];
  readonly host: string;
  readonly port: number;
  /** The public origin, without a trailing slash. */
  readonly url: string;
  /** The application host of the client id `id`, as an origin; undefined: applications have no hosts. */
  readonly applicationHosts: string | undefined;
  /** Who runs this instance; undefined: the Connect pages say nothing of who has reviewed an application. */
  readonly operatorName: string | undefined;
  /** Number of trusted proxies in front, or the address ranges they come from; undefined trusts none. */
  readonly trustProxy: number | string[] | undefined;
  readonly dataDir: string;
  /** undefined: SQLite in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly databaseConnections: number;
  /** Whether statements are prepared by name on PostgreSQL. */
  readonly databasePrepares: boolean;
  /** 32 bytes; undefined: the file `master.key` in `dataDir`. */
  readonly masterKey: Buffer | undefined;
  /** Whether a start without any master key creates that file: on SQLite, or if `generate` says so. */
  readonly createsMasterKey: boolean;
  /** The one before it, while what is sealed is sealed anew. */
  readonly masterKeyPrevious: Buffer | undefined;
  /** Of the database in a file: where they are, how often one is made by itself, and how many of those are kept. */
  readonly backups: {
    readonly folder: string;
    /** undefined: none is made by itself. */
    readonly everyMs: number | undefined;
    readonly keep: number;
  };
  readonly role: 'all' | 'web' | 'worker';
  /** For how long requests are taken after the word to stop. */
  readonly drainSeconds: number;
  readonly logLevel: LogLevel;
  /** Whether each answer is a line of the log. */
  readonly logsAccess: boolean;
  /** How many days requests are kept for the request log; 0: none are. */
  readonly requestLogDays: number;
  /** How many days entries of the audit log are kept; 0: for ever. */
  readonly auditDays: number;
  /** undefined: there are no metrics at the port of requests. */
  readonly metricsToken: string | undefined;
  /** undefined: nothing is traced. */
  readonly tracing: Tracing | undefined;
  /** Where metrics are shown without a token; undefined: nowhere. */
  readonly metricsAddress: { readonly host: string; readonly port: number } | undefined;
  readonly tokenAlgorithm: 'HS256' | 'ES256';
  readonly privateNetwork: PrivateNetwork;
  readonly google: ProviderConfig & { readonly asksForCalendars: boolean };
  readonly microsoft: ProviderConfig & { readonly asksForShared: boolean };
  readonly appleUrl: string;
  /** A mailto: or https: address; undefined: none is told. */
  readonly securityContact: string | undefined;
  /** Whether refusals of the REST interface link to the index of errors. */
  readonly linksErrors: boolean;
  /** Where the dashboard is, without a trailing slash; undefined: nowhere. It may be `url` itself. */
  readonly dashboardUrl: string | undefined;
  /** Returns whether the dashboard can be reached from this network address. */
  readonly isDashboardNetwork: (address: string) => boolean;
  readonly dashboardSignIn: DashboardSignIn;
  /** The providers that this instance offers, in the order every list has. */
  readonly providers: readonly ProviderName[];
  /** What is set and means nothing. */
  readonly unknownNames: readonly UnknownName[];
  readonly limits: {
    readonly wrongSecretsPerMinute: number;
    readonly wrongCodesPerMinute: number;
    readonly wrongCodesOfUserPerMinute: number;
    readonly authorizePerMinute: number;
    readonly newUsersPerHour: number;
    readonly openTransactions: number;
    readonly passwordsPerTransaction: number;
    readonly passwordsPerAddress: number;
    readonly passwordsPerAccount: number;
    readonly connections: number;
    readonly connectionsPerAddress: number;
    readonly accountsPerGroup: number;
    readonly accountsPerUser: number;
    readonly endpointsPerApplication: number;
    readonly calendarHomes: number;
    readonly calendarsPerAccount: number;
    readonly eventsPerCalendar: number;
    readonly megabytesPerCalendar: number;
    readonly megabytesPerUser: number;
    readonly requestsPerForm: number;
    readonly requestLogRows: number;
  };
};

/** Where traces are sent, which, and who else is told of them. */
export type Tracing = {
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sampling: number;
  readonly tells: 'none' | 'webhooks' | 'all';
};

const PROVIDER_NAMES = ['google', 'microsoft', 'apple', 'caldav'] as const;
type ProviderName = (typeof PROVIDER_NAMES)[number];

/** A provider that users sign in to on its own pages. */
export type ProviderConfig = {
  /** The instance's app; undefined when there is none, and applications bring their own. */
  readonly app: { readonly clientId: string; readonly clientSecret: string } | undefined;
  /** The OpenID issuer, without a trailing slash. */
  readonly issuer: string;
  /** Where the calendar API begins, without a trailing slash. */
  readonly apiUrl: string;
};

export type LogLevel = 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** One setting: its name, how it is read, and the sentence `docs/configuration.md` shows. */
export type Option = {
  readonly name: string;
  readonly default: string;
  readonly secret?: true;
  readonly doc: string;
};

/** What a setting is, and where from: the environment, the file that `NAME_FILE` names, `PORT`, or an option of the command line. */
export type SettingInForce = {
  readonly name: string;
  /** Empty where nothing is set; undefined for a secret that is. */
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

export const OPTIONS = [
  { name: 'KALENDS_HOST', default: '127.0.0.1', doc: 'Address to listen on. `0.0.0.0` listens on all.' },
  { name: 'KALENDS_PORT', default: '8080', doc: 'Port to listen on. `PORT` is read when this is not set.' },
  {
    name: 'KALENDS_URL',
    default: '',
    doc: 'Public origin, such as `https://calendars.example.com`, without a path. Default: `http://HOST:PORT`.',
  },
  {
    name: 'KALENDS_APPLICATION_HOSTS',
    default: '',
    doc: 'A host for each application, such as `https://{client_id}.hooks.example.com`, where a published SDK finds the [webhook keys of its application](webhooks.md#a-host-for-each-application). `{client_id}` is the first label of an origin, which is https unless `KALENDS_URL` is http. Default: none.',
  },
  {
    name: 'KALENDS_OPERATOR_NAME',
    default: '',
    doc: 'Who runs this instance, at most 100 characters. With it, the Connect pages say of applications that are not [verified](branding.md#verification) that this operator has not reviewed them. Default: none, and nothing is said.',
  },
  {
    name: 'KALENDS_TRUST_PROXY',
    default: '',
    doc: 'Proxies whose `X-Forwarded-*` headers are believed: their number, or address ranges separated by commas. Default: none.',
  },
  {
    name: 'KALENDS_DATA_DIR',
    default: './data',
    doc: 'Folder of the SQLite database and of the key file; created at the first start.',
  },
  {
    name: 'KALENDS_DATABASE_URL',
    default: '',
    secret: true,
    doc: 'A PostgreSQL URL, `postgres://user:password@host/database`, with one host. Default: SQLite in the data folder.',
  },
  {
    name: 'KALENDS_DATABASE_CONNECTIONS',
    default: '10',
    doc: 'Most PostgreSQL connections one instance opens.',
  },
  {
    name: 'KALENDS_DATABASE_PREPARED_STATEMENTS',
    default: 'on',
    doc: '`off` behind a pooler in transaction mode that keeps no prepared statements, such as [pgbouncer](operations.md#pgbouncer) before 1.21.',
  },
  {
    name: 'KALENDS_MASTER_KEY',
    default: '',
    secret: true,
    doc: 'The key that seals credentials and signing keys: 32 bytes in base64 or hex. `generate`: the file `master.key` in the data folder, created at the first start. Default: the same file; only with SQLite is it created. With PostgreSQL a start without a key is refused ([keys](operations.md#keys)).',
  },
  {
    name: 'KALENDS_MASTER_KEY_PREVIOUS',
    default: '',
    secret: true,
    doc: 'The key that `KALENDS_MASTER_KEY` takes the place of, until `kalends keys rotate-master` has said that it is done ([changing the master key](operations.md#changing-the-master-key)). Default: none.',
  },
  {
    name: 'KALENDS_BACKUP_EVERY',
    default: 'off',
    doc: 'How often a backup of the SQLite database is made by itself, in hours or days, such as `6h` or `1d` ([scheduled backups](operations.md#scheduled-backups)). Default: none is.',
  },
  {
    name: 'KALENDS_BACKUP_KEEP',
    default: '7',
    doc: 'How many of those backups are kept, from 1 to 1000. An old one is deleted when a new one is whole.',
  },
  {
    name: 'KALENDS_BACKUP_DIR',
    default: '',
    doc: 'Folder of those backups and of the dashboard’s, best on another disk. Default: `backups` in the data folder.',
  },
  {
    name: 'KALENDS_ROLE',
    default: 'all',
    doc: 'What this instance does: `web` answers requests, `worker` works jobs, `all` does both. `--role` wins over it.',
  },
  {
    name: 'KALENDS_DRAIN_SECONDS',
    default: '',
    doc: 'How long this instance goes on taking requests after SIGTERM, while [`/ready`](operations.md#restarts-without-a-failed-request) sends load balancers elsewhere: 0 to 300. Default: 5 on PostgreSQL, 0 on SQLite.',
  },
  {
    name: 'KALENDS_LOG_LEVEL',
    default: 'info',
    doc: 'The least level that is logged: `silent`, `fatal`, `error`, `warn`, `info`, `debug` or `trace`.',
  },
  {
    name: 'KALENDS_ACCESS_LOG',
    default: 'off',
    doc: '`on` logs each answer at level `info`, as [`access`](log-events.md#the-program): method, route, status, time, application and address. Never what was called for: no query, no id, no token.',
  },
  {
    name: 'KALENDS_REQUEST_LOG',
    default: '7',
    doc: 'How many days the [request log](operations.md#request-log) keeps requests, from 1 to 90. `off` switches it off and deletes what it has.',
  },
  {
    name: 'KALENDS_AUDIT_DAYS',
    default: '730',
    doc: 'How many days entries of the [audit log](audit.md) are kept. `0` keeps them for ever.',
  },
  {
    name: 'KALENDS_METRICS_TOKEN',
    default: '',
    secret: true,
    doc: 'Switches [`GET /metrics`](operations.md#metrics) on, for whoever sends it as a Bearer token: 16 characters at least. Default: none.',
  },
  {
    name: 'KALENDS_METRICS_ADDRESS',
    default: '',
    doc: 'An address and port of their own for [metrics](operations.md#metrics), such as `127.0.0.1:9464`: whoever reaches it may read them at `/metrics`, without a token, also where the role is `worker`. Default: none. Without this and the token nothing is counted.',
  },
  {
    name: 'KALENDS_OTLP_ENDPOINT',
    default: '',
    doc: 'Where a collector takes [traces](operations.md#traces) as OTLP over HTTP, such as `http://127.0.0.1:4318`; `/v1/traces` is put behind it. Default: none, and nothing is traced.',
  },
  {
    name: 'KALENDS_OTLP_HEADERS',
    default: '',
    secret: true,
    doc: 'Headers that are sent with them, `NAME=VALUE` with commas between.',
  },
  {
    name: 'KALENDS_TRACE_SAMPLING',
    default: '0.1',
    doc: 'Which part of the traces that begin here is kept, from 0 to 1. One that a trusted proxy began is kept where it says so.',
  },
  {
    name: 'KALENDS_TRACE_HEADERS',
    default: 'none',
    doc: 'Who is told of the trace in the header `traceparent`: `none`, `webhooks` (the receivers of deliveries), or `all` (providers as well).',
  },
  {
    name: 'KALENDS_TOKEN_ALGORITHM',
    default: 'HS256',
    doc: 'How tokens are signed: `HS256`, or `ES256` with a public key set at `/.well-known/jwks.json`.',
  },
  {
    name: 'KALENDS_PRIVATE_NETWORK',
    default: '',
    doc: 'Private addresses that calendar servers may have, and webhook URLs and logos that an owner or the command line sets: `deny`, `loopback`, `allow`, or a list of hosts. Each but `deny` also permits plain http to what it opens. Default: `loopback` when both the host and the URL are loopback, else `deny`.',
  },
  {
    name: 'KALENDS_PROVIDERS',
    default: 'google,microsoft,apple,caldav',
    doc: 'Which providers users can connect here, separated by commas. An application can offer fewer of them (`client update --providers`).',
  },
  {
    name: 'KALENDS_GOOGLE_CLIENT_ID',
    default: '',
    doc: 'Client id of the [app registered with Google](providers.md#google). Default: none; applications can bring their own.',
  },
  {
    name: 'KALENDS_GOOGLE_CLIENT_SECRET',
    default: '',
    secret: true,
    doc: 'Client secret of that app.',
  },
  {
    name: 'KALENDS_GOOGLE_ISSUER',
    default: 'https://accounts.google.com',
    doc: 'The OpenID issuer users sign in at. Another one is for tests.',
  },
  {
    name: 'KALENDS_GOOGLE_API_URL',
    default: 'https://www.googleapis.com/calendar/v3',
    doc: 'Where the Google Calendar API begins. Another one is for tests.',
  },
  {
    name: 'KALENDS_GOOGLE_CALENDARS',
    default: 'off',
    doc: '`on` asks users who let events be written at Google for their calendars as well, so that applications [can create, change and delete them](providers.md#google).',
  },
  {
    name: 'KALENDS_MICROSOFT_CLIENT_ID',
    default: '',
    doc: 'Client id of the [app registered with Microsoft](providers.md#microsoft). Default: none; applications can bring their own.',
  },
  {
    name: 'KALENDS_MICROSOFT_CLIENT_SECRET',
    default: '',
    secret: true,
    doc: 'Client secret of that app.',
  },
  {
    name: 'KALENDS_MICROSOFT_ISSUER',
    default: 'https://login.microsoftonline.com/common/v2.0',
    doc: 'The OpenID issuer users sign in at. In place of `common`: `organizations`, `consumers` or a tenant id, for an app that is not for everybody.',
  },
  {
    name: 'KALENDS_MICROSOFT_API_URL',
    default: 'https://graph.microsoft.com/v1.0',
    doc: 'Where Microsoft Graph begins. Another one is for national clouds and tests.',
  },
  {
    name: 'KALENDS_MICROSOFT_SHARED_CALENDARS',
    default: 'off',
    doc: '`on` asks users for [calendars that others shared with them](providers.md#shared-calendars) as well. Users who connected before have to connect again.',
  },
  {
    name: 'KALENDS_APPLE_URL',
    default: 'https://caldav.icloud.com',
    doc: 'The CalDAV server of Apple accounts.',
  },
  {
    name: 'KALENDS_LIMIT_WRONG_SECRETS',
    default: '30',
    doc: 'Wrong client secrets a minute for one application from one address before 429. A right secret always passes.',
  },
  {
    name: 'KALENDS_LIMIT_WRONG_CODES',
    default: '300',
    doc: 'Wrong codes a minute for one application at `/token` before 429. A right code always passes.',
  },
  {
    name: 'KALENDS_LIMIT_WRONG_CODES_OF_USER',
    default: '20',
    doc: 'The same for one user of the application, whose id the code is.',
  },
  {
    name: 'KALENDS_LIMIT_AUTHORIZE',
    default: '300',
    doc: 'Flows started at `/authorize`, and sign-ins begun at Google and Microsoft, a minute for one application from one address before 429.',
  },
  {
    name: 'KALENDS_LIMIT_NEW_USERS',
    default: '300',
    doc: 'Users that `/authorize` makes an hour for one application from one address before 429. Users that are known always pass.',
  },
  {
    name: 'KALENDS_LIMIT_OPEN_TRANSACTIONS',
    default: '20000',
    doc: 'Open authorization requests one application may have. Beyond it the oldest in which nothing was done make room; nobody is refused.',
  },
  {
    name: 'KALENDS_LIMIT_PASSWORDS_PER_TRANSACTION',
    default: '10',
    doc: 'Wrong provider passwords in 10 minutes within one authorization request before 429.',
  },
  {
    name: 'KALENDS_LIMIT_PASSWORDS_PER_ADDRESS',
    default: '30',
    doc: 'Wrong provider passwords in 10 minutes from one address before 429.',
  },
  {
    name: 'KALENDS_LIMIT_PASSWORDS_PER_ACCOUNT',
    default: '10',
    doc: 'Wrong provider passwords in 10 minutes for one linked account that somebody confirms to be theirs before 429.',
  },
  {
    name: 'KALENDS_LIMIT_CONNECTIONS',
    default: '1000',
    doc: 'Connections that are open at once. Beyond it a new one is closed at once.',
  },
  {
    name: 'KALENDS_LIMIT_CONNECTIONS_PER_ADDRESS',
    default: '200',
    doc: 'The same of one address. Trusted proxies and loopback count against the whole only.',
  },
  {
    name: 'KALENDS_LIMIT_ACCOUNTS_PER_GROUP',
    default: '20',
    doc: 'Accounts that one person can link for one user.',
  },
  {
    name: 'KALENDS_LIMIT_ACCOUNTS_PER_USER',
    default: '100',
    doc: 'Accounts of one user in all, whoever linked them, unfinished ones included.',
  },
  {
    name: 'KALENDS_LIMIT_ENDPOINTS_PER_APPLICATION',
    default: '50',
    doc: 'Webhook endpoints of one application, without listeners. Existing ones above the limit keep working.',
  },
  {
    name: 'KALENDS_LIMIT_CALENDAR_HOMES',
    default: '10',
    doc: 'Places with calendars (homes) that are read of one CalDAV account.',
  },
  {
    name: 'KALENDS_LIMIT_CALENDARS_PER_ACCOUNT',
    default: '500',
    doc: 'Calendars that are read of one account.',
  },
  {
    name: 'KALENDS_LIMIT_EVENTS_PER_CALENDAR',
    default: '100000',
    doc: 'Events that are kept of one calendar.',
  },
  {
    name: 'KALENDS_LIMIT_MEGABYTES_PER_CALENDAR',
    default: '200',
    doc: 'Megabytes that are kept of one calendar.',
  },
  {
    name: 'KALENDS_LIMIT_MEGABYTES_PER_USER',
    default: '1000',
    doc: 'Megabytes that are kept of all calendars of one user.',
  },
  {
    name: 'KALENDS_LIMIT_REQUESTS_PER_FORM',
    default: '30',
    doc: 'Requests that are sent to calendar servers for one form on the Connect pages.',
  },
  {
    name: 'KALENDS_LIMIT_REQUEST_LOG_ROWS',
    default: '50000',
    doc: 'Rows that the [request log](operations.md#request-log) keeps for one application, and for all unknown callers together; the whole log keeps ten times as many. Every ten minutes the oldest rows above these limits are deleted.',
  },
  {
    name: 'KALENDS_DASHBOARD',
    default: 'on',
    doc: '`off` takes the [dashboard](dashboard.md) away.',
  },
  {
    name: 'KALENDS_DASHBOARD_URL',
    default: '',
    doc: 'An origin for the dashboard alone, such as `https://admin.example.com`. Elsewhere the dashboard returns 404. Kalends reads the origin from the `Host` header, which callers choose: this [keeps nobody out](dashboard.md#an-origin-for-the-dashboard). Default: `/dashboard` under `KALENDS_URL`.',
  },
  {
    name: 'KALENDS_DASHBOARD_NETWORKS',
    default: '',
    doc: 'Address ranges, separated by commas, from which the dashboard can be reached, such as `10.0.0.0/8,fd00::/8`. From elsewhere it returns 404. Behind a proxy, [`KALENDS_TRUST_PROXY`](operations.md#reverse-proxy) must be right. Default: all.',
  },
  {
    name: 'KALENDS_DASHBOARD_OIDC_ISSUER',
    default: '',
    doc: 'The OpenID issuer of [single sign-on](dashboard.md#single-sign-on), exactly as it writes itself. Default: none.',
  },
  {
    name: 'KALENDS_DASHBOARD_OIDC_CLIENT_ID',
    default: '',
    doc: 'Client id that this issuer gave the dashboard.',
  },
  {
    name: 'KALENDS_DASHBOARD_OIDC_CLIENT_SECRET',
    default: '',
    secret: true,
    doc: 'Its client secret.',
  },
  {
    name: 'KALENDS_DASHBOARD_OIDC_ALLOWED',
    default: '',
    doc: 'Who comes in by single sign-on without an invitation, as `CLAIM=VALUE:ROLE` with semicolons between, such as `groups=admins:owner; email_domain=example.com:viewer` ([all that it can say](dashboard.md#roles-from-claims)). Default: nobody.',
  },
  {
    name: 'KALENDS_DASHBOARD_SIGN_IN',
    default: 'password,passkey',
    doc: 'The ways into the dashboard beside single sign-on: `password`, `passkey`, both, or `none`. What is left out is off [once an owner has signed in by single sign-on](dashboard.md#without-passwords).',
  },
  {
    name: 'KALENDS_SECURITY_CONTACT',
    default: '',
    doc: 'Where weaknesses of this instance are to be reported, as `mailto:security@example.com` or an https address: served at `/.well-known/security.txt`. Default: none, and nothing is served there.',
  },
  {
    name: 'KALENDS_ERROR_LINKS',
    default: 'off',
    doc: '`on`: each refusal of the REST interface has in `documentation` the address of its place in the [index of errors](errors.md) that this server has under `/docs`.',
  },
] as const satisfies readonly Option[];

export type OptionName = (typeof OPTIONS)[number]['name'];
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads and checks everything. Each `NAME` may come from a file named by `NAME_FILE` instead.
 * Throws one ConfigError that lists all problems.
 */
export function loadConfig(env: Environment): Config {
  const problems: string[] = [];
  const raw = readOptions(env, problems);
  const check = <T>(name: OptionName, parse: (text: string) => T, fallback: T): T => {
    try {
      return parse(raw[name]);
    } catch (reason) {
      problems.push(`${name} ${reason instanceof Error ? reason.message : String(reason)}`);
      return fallback;
    }
  };
  const limit = (name: OptionName) => check(name, wholeNumber(1, 1_000_000), 1);

  const provider = (kind: 'GOOGLE' | 'MICROSOFT'): ProviderConfig => {
    const [id, secret] = [`KALENDS_${kind}_CLIENT_ID`, `KALENDS_${kind}_CLIENT_SECRET`] as const;
    const clientId = check(id, printable, '');
    const clientSecret = check(secret, printable, '');
    if (raw[id] !== '' && raw[secret] === '') problems.push(`${secret} is missing, but ${id} is set`);
    if (raw[id] === '' && raw[secret] !== '') problems.push(`${id} is missing, but ${secret} is set`);
    return Object.freeze({
      app: clientId === '' ? undefined : Object.freeze({ clientId, clientSecret }),
      issuer: check(`KALENDS_${kind}_ISSUER`, endpoint, 'https://invalid'),
      apiUrl: check(`KALENDS_${kind}_API_URL`, endpoint, 'https://invalid'),
    });
  };

  const dashboardSignIn = (): DashboardSignIn => {
    const issuer = check('KALENDS_DASHBOARD_OIDC_ISSUER', openIdIssuer, '');
    const clientId = check('KALENDS_DASHBOARD_OIDC_CLIENT_ID', printable, '');
    const clientSecret = check('KALENDS_DASHBOARD_OIDC_CLIENT_SECRET', printable, '');
    const rules = check('KALENDS_DASHBOARD_OIDC_ALLOWED', claimRules, []);
    const ways = check('KALENDS_DASHBOARD_SIGN_IN', waysIn, new Set(['password', 'passkey'] as const));
    const [first] = [...SINGLE_SIGN_ON, 'KALENDS_DASHBOARD_OIDC_ALLOWED' as const].filter(
      (name) => raw[name] !== '',
    );
    for (const name of SINGLE_SIGN_ON)
      if (first !== undefined && raw[name] === '') problems.push(`${name} is missing, but ${first} is set`);
    if (first === undefined && ways.size < 2)
      problems.push(
        'KALENDS_DASHBOARD_SIGN_IN switches a way in off, but there is no single sign-on: set KALENDS_DASHBOARD_OIDC_ISSUER',
      );
    return Object.freeze({
      singleSignOn: issuer === '' ? undefined : Object.freeze({ issuer, clientId, clientSecret, rules }),
      usesPasswords: ways.has('password'),
      usesPasskeys: ways.has('passkey'),
    });
  };

  const generates = raw.KALENDS_MASTER_KEY === 'generate';
  const currentKey = generates ? undefined : check('KALENDS_MASTER_KEY', masterKey, undefined);
  const previousMasterKey = (): Buffer | undefined => {
    const name = 'KALENDS_MASTER_KEY_PREVIOUS';
    const previous = check(name, masterKey, undefined);
    if (previous === undefined) return undefined;
    if (generates)
      problems.push(`KALENDS_MASTER_KEY is generate, but ${name} is set: it replaces no key that is set`);
    else if (raw.KALENDS_MASTER_KEY === '')
      problems.push(`KALENDS_MASTER_KEY is missing, but ${name} is set: it is the key before that one`);
    else if (currentKey?.equals(previous))
      problems.push(`${name} is the same key as KALENDS_MASTER_KEY: it is the key before that one`);
    return previous;
  };

  const backupEvery = (): number | undefined => {
    const everyMs = check('KALENDS_BACKUP_EVERY', hoursOrDays, undefined);
    if (everyMs !== undefined && raw.KALENDS_DATABASE_URL !== '')
      problems.push('KALENDS_BACKUP_EVERY is set, but the database is PostgreSQL: pg_dump makes its backups');
    return everyMs;
  };

  const tracing = (): Tracing | undefined => {
    const set = {
      endpoint: check('KALENDS_OTLP_ENDPOINT', (text) => (text === '' ? '' : endpoint(text)), ''),
      headers: check('KALENDS_OTLP_HEADERS', headerList, {}),
      sampling: check('KALENDS_TRACE_SAMPLING', share, 0),
      tells: check('KALENDS_TRACE_HEADERS', oneOf('none', 'webhooks', 'all'), 'none'),
    };
    return set.endpoint === '' ? undefined : Object.freeze(set);
  };

  const host = raw.KALENDS_HOST;
  const port = check('KALENDS_PORT', wholeNumber(1, 65_535), 8080);
  const url = check('KALENDS_URL', (text) => publicOrigin(text, host, port), 'http://invalid');
  const dashboardOrigin = (text: string) => (text === '' ? url : publicOrigin(text, host, port));
  const dashboardUrl = check('KALENDS_DASHBOARD_URL', dashboardOrigin, url);
  const hosts = (text: string) => applicationHosts(text, url, dashboardUrl);
  const database = check('KALENDS_DATABASE_URL', databaseUrl, undefined);
  const network: Network = { host, publicHost: new URL(url).hostname };
  const config: Config = {
    settings: settingsInForce(env, raw),
    host,
    port,
    url,
    applicationHosts: check('KALENDS_APPLICATION_HOSTS', hosts, undefined),
    operatorName: check('KALENDS_OPERATOR_NAME', operatorName, undefined),
    trustProxy: check('KALENDS_TRUST_PROXY', trustProxy, undefined),
    dataDir: path.resolve(raw.KALENDS_DATA_DIR),
    databaseUrl: database,
    databasePrepares: check('KALENDS_DATABASE_PREPARED_STATEMENTS', oneOf('on', 'off'), 'on') === 'on',
    databaseConnections: check('KALENDS_DATABASE_CONNECTIONS', wholeNumber(2, 1000), 10),
    masterKey: currentKey,
    createsMasterKey: generates || database === undefined,
    masterKeyPrevious: previousMasterKey(),
    backups: Object.freeze({
      folder: path.resolve(raw.KALENDS_BACKUP_DIR || path.join(raw.KALENDS_DATA_DIR, 'backups')),
      everyMs: backupEvery(),
      keep: check('KALENDS_BACKUP_KEEP', wholeNumber(1, 1000), 7),
    }),
    role: check('KALENDS_ROLE', oneOf('all', 'web', 'worker'), 'all'),
    drainSeconds: check('KALENDS_DRAIN_SECONDS', (text) => drainSeconds(text, database), 0),
    logLevel: check(
      'KALENDS_LOG_LEVEL',
      oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
      'info',
    ),
    logsAccess: check('KALENDS_ACCESS_LOG', oneOf('off', 'on'), 'off') === 'on',
    requestLogDays: check('KALENDS_REQUEST_LOG', daysOrOff(90), 7),
    auditDays: check('KALENDS_AUDIT_DAYS', wholeNumber(0, 36_500), 730),
    metricsToken: check('KALENDS_METRICS_TOKEN', metricsToken, undefined),
    tracing: tracing(),
    metricsAddress: check('KALENDS_METRICS_ADDRESS', addressAndPort, undefined),
    tokenAlgorithm: check('KALENDS_TOKEN_ALGORITHM', oneOf('HS256', 'ES256'), 'HS256'),
    privateNetwork: check('KALENDS_PRIVATE_NETWORK', (text) => parsePrivateNetwork(text, network), {
      mode: 'deny',
    }),
    google: Object.freeze({
      ...provider('GOOGLE'),
      asksForCalendars: check('KALENDS_GOOGLE_CALENDARS', oneOf('off', 'on'), 'off') === 'on',
    }),
    microsoft: Object.freeze({
      ...provider('MICROSOFT'),
      asksForShared: check('KALENDS_MICROSOFT_SHARED_CALENDARS', oneOf('off', 'on'), 'off') === 'on',
    }),
    appleUrl: check('KALENDS_APPLE_URL', (text) => httpUrl(text).href, 'https://caldav.icloud.com'),
    dashboardUrl: check('KALENDS_DASHBOARD', oneOf('on', 'off'), 'on') === 'off' ? undefined : dashboardUrl,
    isDashboardNetwork: check('KALENDS_DASHBOARD_NETWORKS', networks, () => false),
    linksErrors: check('KALENDS_ERROR_LINKS', oneOf('off', 'on'), 'off') === 'on',
    dashboardSignIn: dashboardSignIn(),
    securityContact: check('KALENDS_SECURITY_CONTACT', securityContact, undefined),
    providers: check('KALENDS_PROVIDERS', providers, PROVIDER_NAMES),
    unknownNames: unknownNames(env, OPTIONS),
    limits: Object.freeze({
      wrongSecretsPerMinute: limit('KALENDS_LIMIT_WRONG_SECRETS'),
      wrongCodesPerMinute: limit('KALENDS_LIMIT_WRONG_CODES'),
      wrongCodesOfUserPerMinute: limit('KALENDS_LIMIT_WRONG_CODES_OF_USER'),
      authorizePerMinute: limit('KALENDS_LIMIT_AUTHORIZE'),
      newUsersPerHour: limit('KALENDS_LIMIT_NEW_USERS'),
      openTransactions: limit('KALENDS_LIMIT_OPEN_TRANSACTIONS'),
      passwordsPerTransaction: limit('KALENDS_LIMIT_PASSWORDS_PER_TRANSACTION'),
      passwordsPerAddress: limit('KALENDS_LIMIT_PASSWORDS_PER_ADDRESS'),
      passwordsPerAccount: limit('KALENDS_LIMIT_PASSWORDS_PER_ACCOUNT'),
      connections: limit('KALENDS_LIMIT_CONNECTIONS'),
      connectionsPerAddress: limit('KALENDS_LIMIT_CONNECTIONS_PER_ADDRESS'),
      accountsPerGroup: limit('KALENDS_LIMIT_ACCOUNTS_PER_GROUP'),
      accountsPerUser: limit('KALENDS_LIMIT_ACCOUNTS_PER_USER'),
      endpointsPerApplication: limit('KALENDS_LIMIT_ENDPOINTS_PER_APPLICATION'),
      calendarHomes: limit('KALENDS_LIMIT_CALENDAR_HOMES'),
      calendarsPerAccount: limit('KALENDS_LIMIT_CALENDARS_PER_ACCOUNT'),
      eventsPerCalendar: limit('KALENDS_LIMIT_EVENTS_PER_CALENDAR'),
      megabytesPerCalendar: limit('KALENDS_LIMIT_MEGABYTES_PER_CALENDAR'),
      megabytesPerUser: limit('KALENDS_LIMIT_MEGABYTES_PER_USER'),
      requestsPerForm: limit('KALENDS_LIMIT_REQUESTS_PER_FORM'),
      requestLogRows: limit('KALENDS_LIMIT_REQUEST_LOG_ROWS'),
    }),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** All of them are set, or none. */
const SINGLE_SIGN_ON = [
  'KALENDS_DASHBOARD_OIDC_ISSUER',
  'KALENDS_DASHBOARD_OIDC_CLIENT_ID',
  'KALENDS_DASHBOARD_OIDC_CLIENT_SECRET',
] as const;

function readOptions(env: Environment, problems: string[]): Record<OptionName, string> {
  const read = ({ name, default: fallback }: Option): string => {
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
  };
  // The table's names are exactly the keys of the record.
  return Object.fromEntries(OPTIONS.map((option) => [option.name, read(option)])) as Record<
    OptionName,
    string
  >;
}

function settingsInForce(env: Environment, raw: Readonly<Record<OptionName, string>>): SettingInForce[] {
  return OPTIONS.map((option) => {
    const { name } = option;
    const isHidden = 'secret' in option && raw[name] !== '';
    return Object.freeze({ name, value: isHidden ? undefined : raw[name], from: sourceOf(name, env) });
  });
}

function sourceOf(name: OptionName, env: Environment): SettingInForce['from'] {
  if (env[name]) return 'environment';
  if (env[`${name}_FILE`]) return 'file';
  return name === 'KALENDS_PORT' && env.PORT ? 'PORT' : 'default';
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw new Error(`must be a whole number from ${least} to ${most}`);
    return value;
  };
}

const MOST_HOURS = 30 * 24;

/** On SQLite there is no other instance that could take the requests. */
function drainSeconds(text: string, database: string | undefined): number {
  if (text === '') return database === undefined ? 0 : 5;
  return wholeNumber(0, 300)(text);
}

/** 0 is as good as `off`. */
function daysOrOff(most: number): (text: string) => number {
  return (text) => {
    const days = text === 'off' ? 0 : /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(days <= most)) throw new Error(`must be a number of days from 1 to ${most}, or off`);
    return days;
  };
}

function hoursOrDays(text: string): number | undefined {
  if (text === 'off') return undefined;
  const [, number = '', unit] = /^(\d{1,3})([hd])$/.exec(text) ?? [];
  const hours = Number(number) * (unit === 'd' ? 24 : 1);
  if (!(hours >= 1 && hours <= MOST_HOURS))
    throw new Error('must be off, or hours or days such as 6h or 1d: from 1h to 30d');
  return hours * 3_600_000;
}

function oneOf<const T extends string>(...values: T[]): (text: string) => T {
  return (text) => {
    const match = values.find((value) => value === text);
    if (match === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return match;
  };
}

function publicOrigin(text: string, host: string, port: number): string {
  if (text === '') return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const url = httpUrl(text, 'an origin such as https://calendars.example.com');
  if (url.pathname !== '/' || url.search || url.hash || url.username)
    throw new Error('must have no path, query or user');
  return url.origin;
}

function applicationHosts(text: string, url: string, dashboardUrl: string): string | undefined {
  if (text === '') return undefined;
  const example = publicOrigin(text.replace('{client_id}', 'id'), '', 0);
  const { protocol, hostname } = new URL(example);
  if (!text.includes('{client_id}') || !/^id(\.[a-z\d_-]+)+$/.test(hostname))
    throw new Error('must begin with {client_id}, such as https://{client_id}.hooks.example.com');
  if (protocol === 'http:' && url.startsWith('https:'))
    throw new Error('must be https, because KALENDS_URL is');
  const suffix = hostname.slice('id'.length);
  const conflict = [url, dashboardUrl].find((origin) => new URL(origin).hostname.endsWith(suffix));
  if (conflict !== undefined) throw new Error(`must not include the host of ${conflict}`);
  return example;
}

function httpUrl(text: string, rule = 'an http or https URL'): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`must be ${rule}`);
  return url;
}

/** The text as it is but for trailing slashes: issuers are compared letter by letter. */
function endpoint(text: string): string {
  const url = httpUrl(text);
  if (url.search || url.hash || url.username || url.password)
    throw new Error('must have no query, fragment or user');
  return text.replace(/\/+$/, '');
}

function printable(text: string): string {
  if (!/^[\x21-\x7e]{0,4096}$/.test(text))
    throw new Error('must be printable ASCII characters without spaces');
  return text;
}

function metricsToken(text: string): string | undefined {
  if (text !== '' && text.length < 16) throw new Error('must have at least 16 characters');
  return printable(text) || undefined;
}

function addressAndPort(text: string): { readonly host: string; readonly port: number } | undefined {
  if (text === '') return undefined;
  const [, bracketed, plain, port] = /^(?:\[([\da-fA-F:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || !(Number(port) >= 1 && Number(port) <= 65_535))
    throw new Error('must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464');
  return Object.freeze({ host, port: Number(port) });
}

function share(text: string): number {
  const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= 1)) throw new Error('must be a number from 0 to 1');
  return value;
}

function headerList(text: string): Readonly<Record<string, string>> {
  const pairs = text === '' ? [] : text.split(',');
  return Object.freeze(
    Object.fromEntries(
      pairs.map((pair) => {
        const [, name, value] = /^\s*([\w-]{1,100})=([\x20-\x7e]{1,4096})$/.exec(pair) ?? [];
        if (name === undefined || value === undefined)
          throw new Error('must be headers as NAME=VALUE with commas between');
        return [name.toLowerCase(), value.trim()];
      }),
    ),
  );
}

/** A name that pages show: none when it is blank. */
function operatorName(text: string): string | undefined {
  const name = text.trim();
  if (name.length > 100) throw new Error('must not be longer than 100 characters');
  // Bidirectional overrides could make the notice read as something else.
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name))
    throw new Error('must not contain control characters');
  return name === '' ? undefined : name;
}

function securityContact(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && !/^mailto:[^\s@]+@[^\s@]+$/.test(text))
    throw new Error('must be a mailto: or https: address');
  return text;
}

function providers(text: string): readonly ProviderName[] {
  const named = text.split(',').map((name) => name.trim().toLowerCase());
  const unknown = named.find((name) => !PROVIDER_NAMES.some((known) => known === name));
  if (unknown !== undefined) {
    throw new Error(`names "${unknown}": it takes ${PROVIDER_NAMES.join(', ')}, separated by commas`);
  }
  return Object.freeze(PROVIDER_NAMES.filter((name) => named.includes(name)));
}

function trustProxy(text: string): number | string[] | undefined {
  if (text === '' || text === '0') return undefined;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const ranges = text.split(',').map((range) => range.trim());
  addressRanges(ranges);
  return ranges;
}

const networks = (text: string) => (text === '' ? () => true : addressRanges(text.split(/\s*,\s*/)));

function databaseUrl(text: string): string | undefined {
  if (text === '') return undefined;
  // Not read from the parsed URL: `h1:5432,h2:5432` is not a valid authority.
  const [, hosts = ''] = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(text) ?? [];
  const parameter = URL.parse(text)?.searchParams.get('host') ?? '';
  if (/,|%2C/i.test(hosts + parameter)) throw new Error('names several hosts; use a proxy');
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) throw new Error('must be a postgres:// URL');
  return text;
}

function masterKey(text: string): Buffer | undefined {
  if (text === '') return undefined;
  const key = Buffer.from(text, /^[\da-fA-F]{64}$/.test(text) ? 'hex' : 'base64');
  if (key.length !== 32)
    throw new Error('must be 32 bytes in base64 or hex; `openssl rand -base64 32` makes one');
  return key;
}
