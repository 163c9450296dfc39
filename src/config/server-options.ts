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
    doc: 'Address to listen on. `0.0.0.0` listens on all.',
  },
  port: {
    name: 'KALENDS_PORT',
    default: '8080',
    parse: wholeNumber(1, 65_535),
    doc: 'Port to listen on. `PORT` is read when this is not set.',
  },
  url: {
    name: 'KALENDS_URL',
    parse: optional(origin),
    doc: 'Public origin, such as `https://calendars.example.com`, without a path. Default: `http://HOST:PORT`.',
  },
  applicationHosts: {
    name: 'KALENDS_APPLICATION_HOSTS',
    parse: optional(applicationHosts),
    doc: 'A host for each application, such as `https://{client_id}.hooks.example.com`, where a published SDK finds the [webhook keys of its application](webhooks.md#a-host-for-each-application). `{client_id}` is the first label of an origin, which is https unless `KALENDS_URL` is http. Default: none.',
  },
  operatorName: {
    name: 'KALENDS_OPERATOR_NAME',
    parse: operatorName,
    doc: 'Who runs this instance, at most 100 characters. With it, the Connect pages say of applications that are not [verified](branding.md#verification) that this operator has not reviewed them. Default: none, and nothing is said.',
  },
  trustProxy: {
    name: 'KALENDS_TRUST_PROXY',
    parse: trustProxy,
    doc: 'Proxies whose `X-Forwarded-*` headers are believed: their number, or address ranges separated by commas. Default: none.',
  },
} satisfies OptionTable;

export const STORAGE = {
  dataDir: {
    name: 'KALENDS_DATA_DIR',
    default: './data',
    parse: path.resolve,
    doc: 'Folder of the SQLite database and of the key file; created at the first start.',
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
    doc: 'Most PostgreSQL connections one instance opens.',
  },
  databasePrepares: {
    name: 'KALENDS_DATABASE_PREPARED_STATEMENTS',
    ...onOff('on'),
    doc: '`off` behind a pooler in transaction mode that keeps no prepared statements, such as [pgbouncer](operations.md#pgbouncer) before 1.21.',
  },
  masterKey: {
    name: 'KALENDS_MASTER_KEY',
    secret: true,
    parse: (text: string) => (text === 'generate' ? text : optional(masterKey)(text)),
    doc: 'The key that seals credentials and signing keys: 32 bytes in base64 or hex. `generate`: the file `master.key` in the data folder, created at the first start. Default: the same file; only with SQLite is it created. With PostgreSQL a start without a key is refused ([keys](operations.md#keys)).',
  },
  masterKeyPrevious: {
    name: 'KALENDS_MASTER_KEY_PREVIOUS',
    secret: true,
    parse: optional(masterKey),
    doc: 'The key that `KALENDS_MASTER_KEY` takes the place of, until `kalends keys rotate-master` has said that it is done ([changing the master key](operations.md#changing-the-master-key)). Default: none.',
  },
} satisfies OptionTable;

export const BACKUPS = {
  everyMs: {
    name: 'KALENDS_BACKUP_EVERY',
    default: 'off',
    parse: hoursOrDays,
    doc: 'How often a backup of the SQLite database is made by itself, in hours or days, such as `6h` or `1d` ([scheduled backups](operations.md#scheduled-backups)). Default: none is.',
  },
  keep: {
    name: 'KALENDS_BACKUP_KEEP',
    default: '7',
    parse: wholeNumber(1, 1000),
    doc: 'How many of those backups are kept, from 1 to 1000. An old one is deleted when a new one is whole.',
  },
  folder: {
    name: 'KALENDS_BACKUP_DIR',
    parse: asIs,
    doc: 'Folder of those backups and of the dashboard’s, best on another disk. Default: `backups` in the data folder.',
  },
} satisfies OptionTable;

export const OPERATION = {
  role: {
    name: 'KALENDS_ROLE',
    default: 'all',
    parse: oneOf('all', 'web', 'worker'),
    doc: 'What this instance does: `web` answers requests, `worker` works jobs, `all` does both. `--role` wins over it.',
  },
  drainSeconds: {
    name: 'KALENDS_DRAIN_SECONDS',
    parse: optional(wholeNumber(0, 300)),
    doc: 'How long this instance goes on taking requests after SIGTERM, while [`/ready`](operations.md#restarts-without-a-failed-request) sends load balancers elsewhere: 0 to 300. Default: 5 on PostgreSQL, 0 on SQLite.',
  },
  logLevel: {
    name: 'KALENDS_LOG_LEVEL',
    default: 'info',
    parse: oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    doc: 'The least level that is logged: `silent`, `fatal`, `error`, `warn`, `info`, `debug` or `trace`.',
  },
  logsAccess: {
    name: 'KALENDS_ACCESS_LOG',
    ...onOff('off'),
    doc: '`on` logs each answer at level `info`, as [`access`](log-events.md#the-program): method, route, status, time, application and address. Never what was called for: no query, no id, no token.',
  },
  requestLogDays: {
    name: 'KALENDS_REQUEST_LOG',
    default: '7',
    parse: daysOrOff(90),
    doc: 'How many days the [request log](operations.md#request-log) keeps requests, from 1 to 90. `off` switches it off and deletes what it has.',
  },
  auditDays: {
    name: 'KALENDS_AUDIT_DAYS',
    default: '730',
    parse: wholeNumber(0, 36_500),
    doc: 'How many days entries of the [audit log](audit.md) are kept. `0` keeps them for ever.',
  },
  metricsToken: {
    name: 'KALENDS_METRICS_TOKEN',
    secret: true,
    parse: metricsToken,
    doc: 'Switches [`GET /metrics`](operations.md#metrics) on, for whoever sends it as a Bearer token: 16 characters at least. Default: none.',
  },
  metricsAddress: {
    name: 'KALENDS_METRICS_ADDRESS',
    parse: optional(addressAndPort),
    doc: 'An address and port of their own for [metrics](operations.md#metrics), such as `127.0.0.1:9464`: whoever reaches it may read them at `/metrics`, without a token, also where the role is `worker`. Default: none. Without this and the token nothing is counted.',
  },
} satisfies OptionTable;

export const TRACING = {
  endpoint: {
    name: 'KALENDS_OTLP_ENDPOINT',
    parse: optional(endpoint),
    doc: 'Where a collector takes [traces](operations.md#traces) as OTLP over HTTP, such as `http://127.0.0.1:4318`; `/v1/traces` is put behind it. Default: none, and nothing is traced.',
  },
  headers: {
    name: 'KALENDS_OTLP_HEADERS',
    secret: true,
    parse: headerList,
    doc: 'Headers that are sent with them, `NAME=VALUE` with commas between.',
  },
  sampling: {
    name: 'KALENDS_TRACE_SAMPLING',
    default: '0.1',
    parse: share,
    doc: 'Which part of the traces that begin here is kept, from 0 to 1. One that a trusted proxy began is kept where it says so.',
  },
  tells: {
    name: 'KALENDS_TRACE_HEADERS',
    default: 'none',
    parse: oneOf('none', 'webhooks', 'all'),
    doc: 'Who is told of the trace in the header `traceparent`: `none`, `webhooks` (the receivers of deliveries), or `all` (providers as well).',
  },
} satisfies OptionTable;

export const SECURITY = {
  tokenAlgorithm: {
    name: 'KALENDS_TOKEN_ALGORITHM',
    default: 'HS256',
    parse: oneOf('HS256', 'ES256'),
    doc: 'How tokens are signed: `HS256`, or `ES256` with a public key set at `/.well-known/jwks.json`.',
  },
  privateNetwork: {
    name: 'KALENDS_PRIVATE_NETWORK',
    parse: optional(parsePrivateNetwork),
    doc: 'Private addresses that calendar servers may have, and webhook URLs and logos that an owner or the command line sets: `deny`, `loopback`, `allow`, or a list of hosts. Each but `deny` also permits plain http to what it opens. Default: `loopback` when both the host and the URL are loopback, else `deny`.',
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
    throw new Error('must be 32 bytes in base64 or hex; `openssl rand -base64 32` makes one');
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

function addressAndPort(text: string): { readonly host: string; readonly port: number } {
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
          throw new Error('must be headers as NAME=VALUE with commas between');
        return [name.toLowerCase(), value.trim()];
      }),
    ),
  );
}

function share(text: string): number {
  const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= 1)) throw new Error('must be a number from 0 to 1');
  return value;
}
