import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { type CommandLine, CREATE, NO_SETTINGS, openCommandLine } from './cli-run.ts';

const ALL_SET = [
  '--pushed-requests',
  'required',
  '--returning-users',
  'continue',
  '--providers',
  'caldav, Google',
  '--refresh-replay-window',
  '120',
];

describe('the settings of an application', () => {
  let cli: CommandLine;
  beforeEach(async () => {
    cli = await openCommandLine();
  });
  afterEach(() => cli.close());

  const created = async (...options: string[]) =>
    String((await cli.json(...CREATE, ...options)).document.client_id);
  const settingsOf = async (id: string) => {
    const { document } = await cli.json('client', 'show', id);
    return Object.fromEntries(Object.keys(NO_SETTINGS).map((name) => [name, document[name]]));
  };

  it('kalends client create and update set how users connect, and show tells it', async () => {
    const set = {
      ...NO_SETTINGS,
      pushed_requests: 'required',
      returning_users: 'continue',
      providers: ['google', 'caldav'],
      refresh_replay_window: 120,
    };
    const [first, second] = [await created(...ALL_SET), await created()];

    assert.deepEqual(await settingsOf(first), set);
    assert.deepEqual(await settingsOf(second), NO_SETTINGS);
    await cli.run(['client', 'update', second, ...ALL_SET]);
    assert.deepEqual(await settingsOf(second), set);
    const { stdout } = await cli.run(['client', 'show', second]);
    assert.match(stdout, /^pushed requests\s+required$/m);
    assert.match(stdout, /^providers\s+google, caldav$/m);
    assert.match(stdout, /^refresh replay window\s+120 s$/m);
  });

  it('kalends client update leaves the settings it does not name, and an empty list of providers is no limit', async () => {
    const id = await created(...ALL_SET);

    await cli.run(['client', 'update', id, '--name', 'Renamed']);
    const before = await settingsOf(id);
    await cli.run(['client', 'update', id, '--providers', '', '--returning-users', 'prove']);

    assert.deepEqual(before.providers, ['google', 'caldav']);
    const left = { pushed_requests: 'required', refresh_replay_window: 120 };
    assert.deepEqual(await settingsOf(id), { ...NO_SETTINGS, ...left });
  });

  it('kalends client update turns the refresh replay window off with 0', async () => {
    const id = await created(...ALL_SET);

    const { exitCode } = await cli.run(['client', 'update', id, '--refresh-replay-window', '0']);

    assert.equal(exitCode, 0);
    assert.equal((await settingsOf(id)).refresh_replay_window, 0);
  });

  it('kalends client says what it opens when returning users continue without proof, and only then', async () => {
    const sentence = /everyone who knows a user id can use the accounts of that user, at any scope/;
    const id = await created();

    const opened = await cli.run(['client', 'update', id, '--returning-users', 'continue']);
    const closed = await cli.run(['client', 'update', id, '--returning-users', 'prove']);
    const made = await cli.run([...CREATE, '--returning-users', 'continue']);

    assert.match(opened.stdout, sentence);
    assert.match(made.stdout, sentence);
    assert.doesNotMatch(closed.stdout, sentence);
  });

  it('kalends client create without a display name says in one line what users will read', async () => {
    const without = await cli.run(CREATE);
    const named = await cli.run([...CREATE, '--display-name', 'Acme']);

    const line =
      /^Its users see "This application" instead of a name. To set one: kalends client update proj\w{20} --display-name .*$/m;
    assert.match(without.stdout, line);
    assert.doesNotMatch(named.stdout, /This application/);
  });

  for (const [option, value, sentence] of [
    ['--pushed-requests', 'always', /--pushed-requests must be accepted or required/],
    ['--returning-users', 'trust', /--returning-users must be prove or continue/],
    [
      '--providers',
      'google,yahoo',
      /--providers must be a list of google, microsoft, apple, caldav, not "yahoo"/,
    ],
    ['--providers', 'google,', /--providers must be a list of .*, not ""/],
    ...['121', '-1', '1.5', '1e1', ' 60', '60s', ''].map(
      (value) =>
        [
          '--refresh-replay-window',
          value,
          /^.*--refresh-replay-window must be a whole number of seconds from 0 to 120\.$/m,
        ] as const,
    ),
    ['--privacy-url', 'http://app.example/', /privacy URL must be an absolute https address/],
    ['--privacy-url', 'javascript:alert(1)', /privacy URL must be/],
    ['--terms-url', '/terms', /terms URL must be an absolute https address/],
    ['--terms-url', 'https://ada:secret@app.example/', /terms URL must have no user name/],
  ] as const) {
    it(`kalends client refuses ${option} ${value} in one sentence and changes nothing`, async () => {
      const id = await created();

      const { exitCode, stdout, stderr } = await cli.run(['client', 'update', id, option, value]);

      assert.equal(exitCode, 2);
      assert.equal(stdout, '');
      assert.match(stderr, sentence);
      assert.deepEqual(await settingsOf(id), NO_SETTINGS);
    });
  }

  it('kalends client keeps the addresses of privacy and terms, and an empty one takes it away', async () => {
    const id = await created('--privacy-url', 'https://app.example/privacy');
    const addresses = async () => {
      const { document } = await cli.json('client', 'show', id);
      return [document.privacy_url, document.terms_url];
    };

    const first = await addresses();
    await cli.run([
      'client',
      'update',
      id,
      '--privacy-url',
      '',
      '--terms-url',
      'http://localhost:3000/terms',
    ]);

    assert.deepEqual(first, ['https://app.example/privacy', null]);
    assert.deepEqual(await addresses(), [null, 'http://localhost:3000/terms']);
  });

  it('every command of the settings shows them in its help', async () => {
    for (const command of ['create', 'update']) {
      const { stdout } = await cli.run(['client', command, '--help']);
      for (const option of [
        ...ALL_SET.filter((word) => word.startsWith('--')),
        '--privacy-url',
        '--terms-url',
      ]) {
        assert.ok(stdout.includes(option), `${command} ${option}`);
      }
    }
  });
});
