import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { ConfigError, loadConfig } from './config.ts';

const loadProblems = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(env);
  } catch (reason) {
    if (reason instanceof ConfigError) return reason.problems;
    throw reason;
  }
  return [];
};

describe('the settings of Google and Microsoft', () => {
  it('the settings of Google and Microsoft default to the real addresses and no app', () => {
    const { google, microsoft } = loadConfig({});

    assert.deepEqual(google, {
      app: undefined,
      issuer: 'https://accounts.google.com',
      apiUrl: 'https://www.googleapis.com/calendar/v3',
      asksForCalendars: false,
    });
    assert.deepEqual(microsoft, {
      app: undefined,
      issuer: 'https://login.microsoftonline.com/common/v2.0',
      apiUrl: 'https://graph.microsoft.com/v1.0',
      asksForShared: false,
    });
  });

  it('the settings of Google and Microsoft read secrets from files, and remove only trailing slashes from addresses', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'kalends-config-'));
    const file = path.join(folder, 'secret');
    writeFileSync(file, 'GOCSPX-secret\n');

    const { google } = loadConfig({
      KALENDS_GOOGLE_CLIENT_ID: 'id.apps.example',
      KALENDS_GOOGLE_CLIENT_SECRET_FILE: file,
      KALENDS_GOOGLE_ISSUER: 'http://127.0.0.1:4100/google/',
      KALENDS_GOOGLE_API_URL: 'http://127.0.0.1:4100/calendar/v3/',
      KALENDS_GOOGLE_CALENDARS: 'on',
    });

    await rm(folder, { recursive: true });
    assert.deepEqual(google, {
      app: { clientId: 'id.apps.example', clientSecret: 'GOCSPX-secret' },
      issuer: 'http://127.0.0.1:4100/google',
      apiUrl: 'http://127.0.0.1:4100/calendar/v3',
      asksForCalendars: true,
    });
  });

  const refused: [rule: string, env: Record<string, string>, problem: RegExp][] = [
    [
      'an id without its secret',
      { KALENDS_GOOGLE_CLIENT_ID: 'x' },
      /^KALENDS_GOOGLE_CLIENT_SECRET is missing, but KALENDS_GOOGLE_CLIENT_ID is set$/,
    ],
    [
      'a secret without its id',
      { KALENDS_MICROSOFT_CLIENT_SECRET: 'x' },
      /^KALENDS_MICROSOFT_CLIENT_ID is missing, but KALENDS_MICROSOFT_CLIENT_SECRET is set$/,
    ],
    [
      'a secret with a line feed in it',
      { KALENDS_GOOGLE_CLIENT_ID: 'x', KALENDS_GOOGLE_CLIENT_SECRET: 'a\nb' },
      /^KALENDS_GOOGLE_CLIENT_SECRET must be printable ASCII/,
    ],
    [
      'a word other than yes and no',
      { KALENDS_GOOGLE_CALENDARS: 'true' },
      /^KALENDS_GOOGLE_CALENDARS must be/,
    ],
    [
      'an issuer that is no URL',
      { KALENDS_GOOGLE_ISSUER: 'google' },
      /^KALENDS_GOOGLE_ISSUER must be an http/,
    ],
    [
      'an API address with a query',
      { KALENDS_MICROSOFT_API_URL: 'https://graph.example/v1.0?a=b' },
      /^KALENDS_MICROSOFT_API_URL must not have a query/,
    ],
  ];
  for (const [rule, env, problem] of refused) {
    it(`the settings of Google and Microsoft refuse ${rule}, naming the variable and showing no value`, () => {
      const problems = loadProblems(env);

      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', problem);
    });
  }
});

describe('the name of the operator', () => {
  it('the operator’s name is trimmed, and undefined if it is blank or not set', () => {
    const names = [{}, { KALENDS_OPERATOR_NAME: '  ' }, { KALENDS_OPERATOR_NAME: ' Räder & Söhne ' }].map(
      (env) => loadConfig(env).operatorName,
    );

    assert.deepEqual(names, [undefined, undefined, 'Räder & Söhne']);
  });

  it('the operator’s name must not contain characters that could change how a notice reads', () => {
    for (const name of ['a'.repeat(101), 'Acme\u202e', 'a\nb']) {
      assert.match(loadProblems({ KALENDS_OPERATOR_NAME: name })[0] ?? '', /^KALENDS_OPERATOR_NAME must not/);
    }
  });
});

describe('the providers of the instance', () => {
  it('the providers of the instance are all four or the named ones, always in the same order', () => {
    assert.deepEqual(loadConfig({}).providers, ['google', 'microsoft', 'apple', 'caldav']);
    assert.deepEqual(loadConfig({ KALENDS_PROVIDERS: 'caldav, Google' }).providers, ['google', 'caldav']);
  });

  for (const text of ['yahoo', 'google,', 'google;apple']) {
    it(`the providers of the instance cannot be "${text}"`, () => {
      assert.match(
        loadProblems({ KALENDS_PROVIDERS: text }).join(),
        /^KALENDS_PROVIDERS has the unknown provider ".*": use google/,
      );
    });
  }
});

describe('the limits', () => {
  it('the limits default to those of docs/operations.md', () => {
    assert.partialDeepStrictEqual(loadConfig({}).limits, {
      wrongSecretsPerMinute: 30,
      wrongCodesPerMinute: 300,
      wrongCodesOfUserPerMinute: 20,
      authorizePerMinute: 300,
      newUsersPerHour: 300,
      openTransactions: 20_000,
      passwordsPerTransaction: 10,
      passwordsPerAddress: 30,
      passwordsPerAccount: 10,
    });
  });

  it('each limit is a separate setting', () => {
    const { limits } = loadConfig({
      KALENDS_LIMIT_NEW_USERS: '1',
      KALENDS_LIMIT_OPEN_TRANSACTIONS: '2',
      KALENDS_LIMIT_PASSWORDS_PER_ACCOUNT: '3',
      KALENDS_LIMIT_WRONG_CODES: '4',
      KALENDS_LIMIT_WRONG_CODES_OF_USER: '5',
      KALENDS_LIMIT_REQUEST_LOG_ROWS: '6',
    });

    const { newUsersPerHour, openTransactions, passwordsPerAccount } = limits;
    assert.deepEqual([newUsersPerHour, openTransactions, passwordsPerAccount], [1, 2, 3]);
    assert.deepEqual([limits.wrongCodesPerMinute, limits.wrongCodesOfUserPerMinute], [4, 5]);
    assert.deepEqual([limits.requestLogRows, loadConfig({}).limits.requestLogRows], [6, 50_000]);
  });

  it('a limit is a whole number of at least one', () => {
    for (const text of ['0', '-1', '1.5', 'none']) {
      assert.match(loadProblems({ KALENDS_LIMIT_NEW_USERS: text }).join(), /KALENDS_LIMIT_NEW_USERS must be/);
    }
  });
});

describe('the seconds of draining', () => {
  it('draining takes five seconds by default, and none on SQLite, which has one instance', () => {
    const readDrainSeconds = (env: Record<string, string>) => loadConfig(env).drainSeconds;
    const postgres = { KALENDS_DATABASE_URL: 'postgres://me@db.example/kalends' };

    assert.deepEqual([readDrainSeconds({}), readDrainSeconds(postgres)], [0, 5]);
    assert.deepEqual(
      ['0', '300'].map((text) => readDrainSeconds({ ...postgres, KALENDS_DRAIN_SECONDS: text })),
      [0, 300],
    );
    assert.match(loadProblems({ KALENDS_DRAIN_SECONDS: '301' }).join(), /^KALENDS_DRAIN_SECONDS must be/);
  });
});

describe('the days of the request log', () => {
  it('metrics and traces are off by default, and invalid settings of them are refused', () => {
    const off = loadConfig({});
    assert.deepEqual(
      [off.metricsToken, off.metricsAddress, off.tracing, off.logsAccess],
      [...[undefined, undefined, undefined, false]],
    );
    const { metricsAddress, tracing } = loadConfig({
      KALENDS_METRICS_ADDRESS: '[::1]:9464',
      KALENDS_OTLP_ENDPOINT: 'http://127.0.0.1:4318/',
      KALENDS_OTLP_HEADERS: 'Authorization=Bearer a=b, x-scope=1',
    });
    assert.deepEqual(metricsAddress, { host: '::1', port: 9464 });
    assert.deepEqual(tracing, {
      url: 'http://127.0.0.1:4318/v1/traces',
      headers: { authorization: 'Bearer a=b', 'x-scope': '1' },
      ...{ sampling: 0.1, followsParent: true, attributes: {}, tells: 'none' },
    });
    const refused = [
      ...['9464', 'a b:1', '127.0.0.1:0', '127.0.0.1:65536', '::1:9464'].map((text) => [
        'KALENDS_METRICS_ADDRESS',
        text,
      ]),
      ...['-1', '1.1', '1e-1', 'half'].map((text) => ['KALENDS_TRACE_SAMPLING', text]),
      ...['a', '=b', 'a=b,c', 'a=b\nc'].map((text) => ['KALENDS_OTLP_HEADERS', text]),
      ['KALENDS_OTLP_ENDPOINT', 'ftp://a'],
      ['KALENDS_TRACE_HEADERS', 'everybody'],
    ];
    for (const [name = '', text = ''] of refused)
      assert.match(
        loadProblems({ [name]: text }).join(),
        new RegExp(`^${name} must [^,]*`),
        `${name} ${text}`,
      );
  });

  it('the request log is kept for a number of days, or is off', () => {
    const readLogDays = (text: string) => loadConfig({ KALENDS_REQUEST_LOG: text }).requestLogDays;

    assert.deepEqual(['', 'off', '0', '1', '90'].map(readLogDays), [7, 0, 0, 1, 90]);
    for (const text of ['91', '-1', 'on', '1.5', '7d'])
      assert.deepEqual(loadProblems({ KALENDS_REQUEST_LOG: text }), [
        'KALENDS_REQUEST_LOG must be a number of days from 1 to 90, or off',
      ]);
  });
});

describe('scheduled backups', () => {
  it('scheduled backups have an interval in hours or days, and are refused with PostgreSQL', () => {
    const every = (text: string) => loadConfig({ KALENDS_BACKUP_EVERY: text }).backups.everyMs;

    assert.deepEqual(['', 'off', '1h', '30d'].map(every), [undefined, undefined, 3_600_000, 2_592_000_000]);
    for (const text of ['0h', '31d', '30m', '1.5h', 'on'])
      assert.deepEqual(loadProblems({ KALENDS_BACKUP_EVERY: text }), [
        'KALENDS_BACKUP_EVERY must be off, or hours or days such as 6h or 1d: from 1h to 30d',
      ]);
    assert.match(
      loadProblems({ KALENDS_BACKUP_EVERY: '1d', KALENDS_DATABASE_URL: 'postgres://a/b' })[0] ?? '',
      /KALENDS_BACKUP_EVERY is set, but the database is PostgreSQL/,
    );
  });
});

describe('the previous master key', () => {
  it('the previous master key differs from the master key, and requires one', () => {
    const [one, other] = ['a'.repeat(64), 'b'.repeat(64)];
    const previous = loadConfig({
      KALENDS_MASTER_KEY: one,
      KALENDS_MASTER_KEY_PREVIOUS: other,
    }).masterKeyPrevious;

    assert.equal(previous?.toString('hex'), other);
    assert.match(
      loadProblems({ KALENDS_MASTER_KEY_PREVIOUS: other })[0] ?? '',
      /^KALENDS_MASTER_KEY is missing, but KALENDS_MASTER_KEY_PREVIOUS is set/,
    );
    assert.match(
      loadProblems({ KALENDS_MASTER_KEY: one, KALENDS_MASTER_KEY_PREVIOUS: one })[0] ?? '',
      /KALENDS_MASTER_KEY_PREVIOUS is the same key/,
    );
  });
});

describe('generating the master key', () => {
  it('a missing master key is created on SQLite, and on PostgreSQL if KALENDS_MASTER_KEY is generate', () => {
    const postgres = { KALENDS_DATABASE_URL: 'postgres://a/b' };
    const createsKey = (env: Record<string, string>) => loadConfig(env).createsMasterKey;

    assert.deepEqual([createsKey({}), createsKey(postgres)], [true, false]);
    for (const env of [{}, postgres]) {
      const { masterKey, createsMasterKey } = loadConfig({ ...env, KALENDS_MASTER_KEY: 'generate' });
      assert.deepEqual([masterKey, createsMasterKey], [undefined, true]);
    }
  });

  it('a generated master key excludes a configured one, and the previous key cannot be generated', () => {
    const [key, generate] = ['a'.repeat(64), 'generate'];
    const problem = (current: string, previous: string) =>
      loadProblems({ KALENDS_MASTER_KEY: current, KALENDS_MASTER_KEY_PREVIOUS: previous }).join();

    assert.match(problem(generate, key), /^KALENDS_MASTER_KEY is generate, but KALENDS_MASTER_KEY_PREVIOUS/);
    assert.match(problem(key, generate), /^KALENDS_MASTER_KEY_PREVIOUS must be 32 bytes/);
  });
});

describe('settings in files', () => {
  it('an empty or blank file is a problem for every setting that names one', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'kalends-config-'));
    const [empty, blank] = [path.join(folder, 'empty'), path.join(folder, 'blank')];
    writeFileSync(empty, '');
    writeFileSync(blank, ' \n\t\n');

    const problems = loadProblems({ KALENDS_MASTER_KEY_FILE: empty, KALENDS_PORT_FILE: blank });

    await rm(folder, { recursive: true });
    assert.deepEqual(problems, [
      `KALENDS_PORT_FILE names an empty file: ${blank}`,
      `KALENDS_MASTER_KEY_FILE names an empty file: ${empty}`,
    ]);
  });
});

describe('the address of PostgreSQL', () => {
  const several = [
    'postgres://u@h1,h2/db',
    'postgres://u:secret@h1:5432,h2:5433/db',
    'postgresql://h1%2Ch2/db',
    'postgres:///db?host=h1,h2',
  ];
  for (const url of several)
    it(`the address of PostgreSQL is refused if it names several hosts: ${url}`, () => {
      assert.deepEqual(loadProblems({ KALENDS_DATABASE_URL: url }), [
        'KALENDS_DATABASE_URL names several hosts; use a proxy',
      ]);
    });

  it('the address of PostgreSQL may have commas in its password and in its parameters', () => {
    const url = 'postgres://u:a,b@h1:5432/db?application_name=a,b';

    assert.equal(loadConfig({ KALENDS_DATABASE_URL: url }).databaseUrl, url);
  });
});

describe('networks and hosts', () => {
  const url = { KALENDS_URL: 'https://calendars.example.com' };

  it('the dashboard accepts all networks, or the configured ones', () => {
    const { isDashboardNetwork } = loadConfig({
      KALENDS_DASHBOARD_NETWORKS: '10.0.0.0/8, fd00::/8,loopback',
    });
    const addresses = ['10.1.1.1', 'fd00::1', '127.0.0.1', '11.0.0.1', 'fe80::1'];

    assert.deepEqual(addresses.filter(loadConfig({}).isDashboardNetwork), addresses);
    assert.deepEqual(addresses.filter(isDashboardNetwork), addresses.slice(0, 3));
  });

  for (const text of ['10/8', '10.0.0.0/33', 'all', '10.0.0.0/8;fd00::/8', 'example.com', '10.0.0.0/8,'])
    it(`neither the networks of the dashboard nor trusted proxies can be ${text}`, () => {
      const problems = loadProblems({ KALENDS_DASHBOARD_NETWORKS: text, KALENDS_TRUST_PROXY: text });

      assert.equal(problems.length, 2);
      for (const problem of problems)
        assert.match(problem, /^KALENDS_\w+ must be a list of address ranges such as/);
    });

  const readHosts = (text: string, env: Record<string, string> = url) => ({
    ...env,
    KALENDS_APPLICATION_HOSTS: text,
  });

  for (const [text, origin] of [
    ['https://{client_id}.hooks.example.com', 'https://id.hooks.example.com'],
    ['HTTPS://{client_id}.Hooks.Example.COM:443/', 'https://id.hooks.example.com'],
    ['https://{client_id}.hooks.example.com:8443', 'https://id.hooks.example.com:8443'],
  ] as const)
    it(`application hosts can be ${text}`, () => {
      assert.equal(loadConfig(readHosts(text)).applicationHosts, origin);
    });

  for (const text of [
    'hooks.example.com',
    'https://hooks.example.com',
    'https://id.hooks.example.com',
    'https://a{client_id}.hooks.example.com',
    'https://{client_id}-a.hooks.example.com',
    'https://hooks.{client_id}.example.com',
    'https://{client_id}.{client_id}.example.com',
    'https://{client_id}',
    'https://{client_id}.',
    'https://{client_id}.127.0.0.1',
    'https://{client_id}.*.example.com',
    'https://{client_id}.hooks.example.com/api',
    'https://{client_id}.hooks.example.com/?a',
    'https://a@{client_id}.hooks.example.com',
    'ftp://{client_id}.hooks.example.com',
    'https://{CLIENT_ID}.hooks.example.com',
    'http://{client_id}.hooks.example.com',
  ])
    it(`application hosts cannot be ${text}`, () => {
      assert.match(loadProblems(readHosts(text)).join(), /^KALENDS_APPLICATION_HOSTS must /);
    });

  it('application hosts can be http if the public URL is', () => {
    assert.ok(loadConfig(readHosts('http://{client_id}.localhost:8080', {})).applicationHosts);
  });

  it('application hosts must differ from the public host and the dashboard’s host at any port', () => {
    const dashboard = { ...url, KALENDS_DASHBOARD_URL: 'https://admin.hooks.example.com' };
    const problem = /^KALENDS_APPLICATION_HOSTS must not include the host of https:/;

    for (const text of ['https://{client_id}.example.com', 'https://{client_id}.example.com:8443'])
      assert.match(loadProblems(readHosts(text)).join(), problem);
    assert.match(loadProblems(readHosts('https://{client_id}.hooks.example.com', dashboard)).join(), problem);
  });
});
