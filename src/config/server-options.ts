/** The settings of the server: where it listens, what it stores, what it logs and counts. */
import path from 'node:path';
import { addressRanges } from '../lib/address-ranges.ts';
import { parsePrivateNetwork } from '../lib/egress/private-network.ts';
import {
  asIs,
  endpoint,
  type OptionTable,
  oneOf,
  onOff,
  optional,
  origin,
  printable,
  wholeNumber,
} from './option.ts';

export const NETWORK = {
  host: {
    name: 'KALENDS_HOST',
    default: '127.0.0.1',
    parse: asIs,
    doc: 'Address to listen on. `0.0.0.0` means all addresses.',
  },
  port: {
    name: 'KALENDS_PORT',
    default: '8080',
    parse: wholeNumber(1, 65_535),
    doc: 'Port to listen on. If it is not set, `PORT` is used.',
  },
  url: {
    name: 'KALENDS_URL',
    parse: optional(origin),
    doc: 'Public origin, such as `https://calendars.example.com`, without a path. Default: `http://HOST:PORT`, and for commands the address of the server that started last.',
  },
  applicationHosts: {
    name: 'KALENDS_APPLICATION_HOSTS',
    parse: optional(applicationHosts),
    doc: 'A separate host for each application, such as `https://{client_id}.hooks.example.com`, where a published SDK finds the [webhook keys of its application](webhooks.md#a-host-for-each-application). `{client_id}` must be the first label. The origin must be https unless `KALENDS_URL` is http. Default: none.',
  },
  operatorName: {
    name: 'KALENDS_OPERATOR_NAME',
    parse: operatorName,
    doc: 'The name of the operator of this deployment, at most 100 characters. If it is set, the Connect pages say that this operator has not reviewed applications that are not [verified](branding.md#verification). Default: none, and the pages show no such notice.',
  },
  trustProxy: {
    name: 'KALENDS_TRUST_PROXY',
    parse: trustProxy,
    doc: 'Trusted proxies, whose `X-Forwarded-*` headers are used: their number, or address ranges separated by commas. Default: none.',
  },
} satisfies OptionTable;

export const STORAGE = {
  dataDir: {
    name: 'KALENDS_DATA_DIR',
    default: './data',
    parse: path.resolve,
    doc: 'Folder of the SQLite database and the key file. It is created at the first start.',
  },
  databaseUrl: {
    name: 'KALENDS_DATABASE_URL',
    secret: true,
    parse: optional(databaseUrl),
    doc: 'A PostgreSQL URL, `postgres://user:password@host/database`, with one host. Default: SQLite in the data folder.',
  },
  databaseConnections: {
    name: 'KALENDS_DATABASE_CONNECTIONS',
    default: '10',
    parse: wholeNumber(2, 1000),
    doc: 'The maximum number of PostgreSQL connections of one instance.',
  },
  databasePrepares: {
    name: 'KALENDS_DATABASE_PREPARED_STATEMENTS',
    ...onOff('on'),
    doc: 'Set it to `off` behind a pooler in transaction mode that does not support prepared statements, such as [pgbouncer](operations.md#pgbouncer) before 1.21.',
  },
  migrations: {
    name: 'KALENDS_MIGRATIONS',
    default: 'apply',
    parse: oneOf('apply', 'wait', 'refuse'),
    doc: 'What a start does if the database lacks migrations: `apply` applies them. `wait` waits until `kalends migrate` or another instance has applied them. `refuse` exits with 1. With `wait` and `refuse`, other commands refuse too ([upgrade](operations.md#upgrade)).',
  },
  masterKey: {
    name: 'KALENDS_MASTER_KEY',
    secret: true,
    parse: (text: string) => (text === 'generate' ? text : optional(masterKey)(text)),
    doc: 'The key that seals credentials and signing keys: 32 bytes in base64 or hex. `generate` uses the file `master.key` in the data folder and creates it at the first start. Default: the same file, which is created with SQLite only. With PostgreSQL, Kalends does not start without a key ([keys](operations.md#keys)).',
  },
  masterKeyPrevious: {
    name: 'KALENDS_MASTER_KEY_PREVIOUS',
    secret: true,
    parse: optional(masterKey),
    doc: 'The previous master key, until `kalends keys rotate-master` reports that it is done ([changing the master key](operations.md#changing-the-master-key)). Default: none.',
  },
} satisfies OptionTable;

export const BACKUPS = {
  everyMs: {
    name: 'KALENDS_BACKUP_EVERY',
    default: 'off',
    parse: hoursOrDays,
    doc: 'The interval of automatic backups of the SQLite database in hours or days, such as `6h` or `1d` ([scheduled backups](operations.md#scheduled-backups)). Default: no automatic backups.',
  },
  keep: {
    name: 'KALENDS_BACKUP_KEEP',
    default: '7',
    parse: wholeNumber(1, 1000),
    doc: 'The number of automatic backups to keep, from 1 to 1000. The oldest one is deleted after a new one is complete.',
  },
  folder: {
    name: 'KALENDS_BACKUP_DIR',
    parse: asIs,
    doc: 'Folder of automatic backups and of backups from the dashboard, preferably on another disk. Default: `backups` in the data folder.',
  },
} satisfies OptionTable;

export const OPERATION = {
  role: {
    name: 'KALENDS_ROLE',
    default: 'all',
    parse: oneOf('all', 'web', 'worker'),
    doc: 'The role of this instance: `web` answers requests, `worker` runs jobs, `all` does both. `--role` overrides it.',
  },
  syncSlots: {
    name: 'KALENDS_SYNC_SLOTS',
    default: '200',
    parse: wholeNumber(1, 1000),
    doc: 'Concurrent syncs that this instance runs [as jobs](operations.md#background-work), from 1 to 1000.',
  },
  drainSeconds: {
    name: 'KALENDS_DRAIN_SECONDS',
    parse: optional(wholeNumber(0, 300)),
    doc: 'Seconds for which this instance continues to accept requests after SIGTERM, while [`/ready`](operations.md#restarts-without-a-failed-request) returns 503 to load balancers: 0 to 300. Default: 5 on PostgreSQL, 0 on SQLite.',
  },
  logLevel: {
    name: 'KALENDS_LOG_LEVEL',
    default: 'info',
    parse: oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    doc: 'The lowest level that is logged: `silent`, `fatal`, `error`, `warn`, `info`, `debug` or `trace`.',
  },
  logsAccess: {
    name: 'KALENDS_ACCESS_LOG',
    ...onOff('off'),
    doc: '`on` logs each response at level `info` as [`access`](log-events.md#the-program): method, route, status, time, application and address. Queries, ids and tokens are never logged.',
  },
  requestLogDays: {
    name: 'KALENDS_REQUEST_LOG',
    default: '7',
    parse: daysOrOff(90),
    doc: 'Days for which the [request log](operations.md#request-log) keeps requests, from 1 to 90. `off` disables the log and deletes its rows.',
  },
  auditDays: {
    name: 'KALENDS_AUDIT_DAYS',
    default: '730',
    parse: wholeNumber(0, 36_500),
    doc: 'Days for which entries of the [audit log](audit.md) are kept. `0` keeps them forever.',
  },
  metricsToken: {
    name: 'KALENDS_METRICS_TOKEN',
    secret: true,
    parse: metricsToken,
    doc: 'Enables [`GET /metrics`](operations.md#metrics) for callers that send this value as a Bearer token: at least 16 characters. Default: none.',
  },
  metricsAddress: {
    name: 'KALENDS_METRICS_ADDRESS',
    parse: optional(addressAndPort),
    doc: 'A separate address and port for [metrics](operations.md#metrics), such as `127.0.0.1:9464`. They are served at `/metrics` without a token, also if the role is `worker`. Default: none. If neither this nor the token is set, nothing is counted.',
  },
} satisfies OptionTable;

export const TRACING = {
  endpoint: {
    name: 'KALENDS_OTLP_ENDPOINT',
    parse: optional(endpoint),
    doc: 'The collector of [traces](operations.md#traces) (OTLP over HTTP), such as `http://127.0.0.1:4318`. Kalends appends `/v1/traces`. Default: none, and nothing is traced.',
  },
  headers: {
    name: 'KALENDS_OTLP_HEADERS',
    secret: true,
    parse: headerList,
    doc: 'Headers of requests to the collector: `NAME=VALUE`, separated by commas.',
  },
  sampling: {
    name: 'KALENDS_TRACE_SAMPLING',
    default: '0.1',
    parse: share,
    doc: 'The fraction of traces to sample, from 0 to 1. If a trusted proxy started the trace, the proxy’s decision applies.',
  },
  tells: {
    name: 'KALENDS_TRACE_HEADERS',
    default: 'none',
    parse: oneOf('none', 'webhooks', 'all'),
    doc: 'The requests that carry the header `traceparent`: `none`, `webhooks` (deliveries), or `all` (also requests to providers).',
  },
} satisfies OptionTable;

export const SECURITY = {
  tokenAlgorithm: {
    name: 'KALENDS_TOKEN_ALGORITHM',
    default: 'HS256',
    parse: oneOf('HS256', 'ES256'),
    doc: 'The signature algorithm of access tokens: `HS256`, or `ES256` with public keys at `/.well-known/jwks.json`.',
  },
  privateNetwork: {
    name: 'KALENDS_PRIVATE_NETWORK',
    parse: optional(parsePrivateNetwork),
    doc: 'The private addresses that are allowed for calendar servers, and for webhook URLs and logos set by an owner or on the command line: `deny`, `loopback`, `allow`, or a list of hosts. All values except `deny` also allow plain http to these addresses. Default: `loopback` if both the host and the URL are loopback, otherwise `deny`.',
  },
} satisfies OptionTable;

/** Returns the origin of the application `id`. */
function applicationHosts(text: string): string {
  const example = origin(text.replace('{client_id}', 'id'));
  if (!text.includes('{client_id}') || !/^id(\.[a-z\d_-]+)+$/.test(new URL(example).hostname))
    throw new Error('must begin with {client_id}, such as https://{client_id}.hooks.example.com');
  return example;
}

/** Returns the name that pages show, or undefined if it is blank. */
function operatorName(text: string): string | undefined {
  const name = text.trim();
  if (name.length > 100) throw new Error('must not be longer than 100 characters');
  // Bidirectional overrides could make the notice read as something else.
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name))
    throw new Error('must not contain control characters');
  return name === '' ? undefined : name;
}

function trustProxy(text: string): number | string[] | undefined {
  if (text === '' || text === '0') return undefined;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const ranges = text.split(',').map((range) => range.trim());
  addressRanges(ranges);
  return ranges;
}

function databaseUrl(text: string): string {
  // Not read from the parsed URL: `h1:5432,h2:5432` is not a valid authority.
  const [, hosts = ''] = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(text) ?? [];
  const parameter = URL.parse(text)?.searchParams.get('host') ?? '';
  if (/,|%2C/i.test(hosts + parameter)) throw new Error('names several hosts; use a proxy');
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) throw new Error('must be a postgres:// URL');
  return text;
}

function masterKey(text: string): Buffer {
  const key = Buffer.from(text, /^[\da-fA-F]{64}$/.test(text) ? 'hex' : 'base64');
  if (key.length !== 32)
    throw new Error('must be 32 bytes in base64 or hex; create it with `openssl rand -base64 32`');
  return key;
}

const MOST_HOURS = 30 * 24;

/** Returns milliseconds, or undefined for `off`. */
function hoursOrDays(text: string): number | undefined {
  if (text === 'off') return undefined;
  const [, number = '', unit] = /^(\d{1,3})([hd])$/.exec(text) ?? [];
  const hours = Number(number) * (unit === 'd' ? 24 : 1);
  if (!(hours >= 1 && hours <= MOST_HOURS))
    throw new Error('must be off, or hours or days such as 6h or 1d: from 1h to 30d');
  return hours * 3_600_000;
}

/** Returns a parser of days; 0 means the same as `off`. */
function daysOrOff(most: number): (text: string) => number {
  return (text) => {
    const days = text === 'off' ? 0 : /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(days <= most)) throw new Error(`must be a number of days from 1 to ${most}, or off`);
    return days;
  };
}

function metricsToken(text: string): string | undefined {
  if (text !== '' && text.length < 16) throw new Error('must have at least 16 characters');
  return printable(text) || undefined;
}

/** Parses `HOST:PORT`, with an IPv6 address in brackets. */
export function addressAndPort(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[([\da-fA-F:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || !(Number(port) >= 1 && Number(port) <= 65_535))
    throw new Error('must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464');
  return Object.freeze({ host, port: Number(port) });
}

function headerList(text: string): Readonly<Record<string, string>> {
  const pairs = text === '' ? [] : text.split(',');
  return Object.freeze(
    Object.fromEntries(
      pairs.map((pair) => {
        const [, name, value] = /^\s*([\w-]{1,100})=([\x20-\x7e]{1,4096})$/.exec(pair) ?? [];
        if (name === undefined || value === undefined)
          throw new Error('must be headers as NAME=VALUE, separated by commas');
        return [name.toLowerCase(), value.trim()];
      }),
    ),
  );
}

export function share(text: string): number {
  const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= 1)) throw new Error('must be a number from 0 to 1');
  return value;
}
