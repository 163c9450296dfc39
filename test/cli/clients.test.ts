import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { hashOfSecret } from '../../src/lib/sealing.ts';
import { openSqlite } from '../../src/store/drivers/sqlite-driver.ts';
import { type CommandLine, CREATE, NO_LOOK, NO_SETTINGS, openCommandLine } from './cli-run.ts';

describe('kalends client', () => {
  let cli: CommandLine;
  beforeEach(async () => {
    cli = await openCommandLine();
  });
  afterEach(() => cli.close());

  const created = async () => {
    const { document } = await cli.json(...CREATE);
    return { id: String(document.client_id), secret: String(document.client_secret) };
  };

  it('kalends client create gives an id of letters and digits, and a secret of 256 bits behind the prefix that scanners know', async () => {
    const { exitCode, document } = await cli.json(
      ...CREATE,
      '--display-name',
      'App',
      '--webhook-url',
      'https://app.example/hook',
    );

    assert.equal(exitCode, 0);
    assert.match(String(document.client_id), /^proj[A-Za-z0-9]{20}$/);
    assert.match(String(document.client_secret), /^kalends_[A-Za-z0-9]{43}$/);
    const { client_id: _, client_secret: __, webhook_secret: ___, created_at: createdAt, ...rest } = document;
    assert.deepEqual(rest, {
      name: 'My app',
      display_name: 'App',
      redirect_uri: 'https://app.example/callback',
      redirect_uris: ['https://app.example/callback'],
      webhook_url: 'https://app.example/hook',
      ...NO_SETTINGS,
      ...{ jwks: null, jwks_uri: null },
      own_webhook_keys: false,
      ...NO_LOOK,
      google_client_id: null,
      microsoft_client_id: null,
    });
    assert.match(String(createdAt), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('kalends client create tells people what to keep and which address to try', async () => {
    const { exitCode, stdout } = await cli.run(CREATE);

    assert.equal(exitCode, 0);
    assert.match(stdout, /client_secret\s+kalends_[A-Za-z0-9]{43}\n/);
    assert.match(stdout, /http:\/\/127\.0\.0\.1:9\/authorize\?client_id=proj[A-Za-z0-9]{20}&user_id=/);
  });

  it('kalends client create keeps the hash of the secret and not the secret', async () => {
    const { secret } = await created();

    const db = openSqlite(`${cli.dataDir}/kalends.db`);
    const rows = await db.all<{ secretHash: string }>('SELECT secret_hash FROM client_secret');
    await db.close();
    assert.deepEqual(
      rows.map((row) => row.secretHash),
      [hashOfSecret(secret)],
    );
  });

  const refused: [string, string[], number, RegExp][] = [
    [
      'a redirect URI with a fragment',
      ['--redirect-uri', 'https://a.example/#x', '--name', 'A'],
      2,
      /no fragment/,
    ],
    [
      'plain http beyond this machine',
      ['--redirect-uri', 'http://a.example/', '--name', 'A'],
      2,
      /must be https/,
    ],
    [
      'a redirect URI that runs script',
      ['--redirect-uri', 'javascript:alert(1)', '--name', 'A'],
      2,
      /redirect URI/,
    ],
    ['an empty name', ['--redirect-uri', 'https://a.example/', '--name', ' '], 2, /name must not be empty/],
    [
      'a name that reads backwards',
      ['--redirect-uri', 'https://a.example/', '--name', 'a\u202eb'],
      2,
      /control/,
    ],
    ['no name', ['--redirect-uri', 'https://a.example/'], 2, /--name NAME is missing/],
    ['no redirect URI', ['--name', 'A'], 2, /--redirect-uri URI is missing/],
    ['an option it does not know', ['--nmae', 'A'], 2, /--nmae is not an option/],
    ['an option without its value', ['--name'], 2, /--name needs its NAME/],
    ['an option twice', ['--name', 'A', '--name', 'B'], 2, /--name is given twice/],
    [
      'a word too many',
      ['A', '--name', 'A', '--redirect-uri', 'https://a.example/'],
      2,
      /"A" is one argument too many/,
    ],
  ];
  for (const [what, args, code, sentence] of refused) {
    it(`kalends client create refuses ${what} in one sentence`, async () => {
      const { exitCode, stdout, stderr } = await cli.run(['client', 'create', ...args]);

      assert.equal(exitCode, code);
      assert.equal(stdout, '');
      assert.match(stderr, sentence);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
    });
  }

  it('kalends client refuses with one JSON document under --json', async () => {
    const { exitCode, document } = await cli.json('client', 'show', 'projNobody');

    assert.equal(exitCode, 1);
    assert.equal(document.error, 'not_found');
    assert.match(String(document.message), /no application "projNobody"/);
  });

  it('kalends client list and show know what was created', async () => {
    const { id } = await created();

    const { document: all } = await cli.json('client', 'list');
    const { document: one } = await cli.json('client', 'show', id);
    const { stdout } = await cli.run(['client', 'list']);

    assert.deepEqual(
      (all.clients as { client_id: string }[]).map((client) => client.client_id),
      [id],
    );
    assert.equal(one.live_secrets, 1);
    assert.equal(one.user_count, 0);
    assert.match(stdout, new RegExp(`^CLIENT_ID\\s+NAME\\s+REDIRECT_URIS\n${id}\\s+My app\\s+https://app`));
  });

  it('kalends client update changes what is named, empties what is given empty and leaves the rest', async () => {
    const { id } = await created();
    await cli.json(
      'client',
      'update',
      id,
      '--display-name',
      'Shown',
      '--webhook-url',
      'https://app.example/hook',
    );

    const { document } = await cli.json('client', 'update', id, '--display-name', '', '--name', 'Renamed');

    assert.equal(document.name, 'Renamed');
    assert.equal(document.display_name, null);
    assert.equal(document.webhook_url, 'https://app.example/hook');
    assert.equal(document.redirect_uri, 'https://app.example/callback');
  });

  it('kalends client update with nothing to change is wrong usage', async () => {
    const { exitCode, document } = await cli.json('client', 'update', (await created()).id);

    assert.equal(exitCode, 2);
    assert.equal(document.error, 'usage');
  });

  it('kalends client rotate-secret leaves two secrets alive, for a day unless told otherwise', async () => {
    const { id, secret } = await created();

    const { document } = await cli.json('client', 'rotate-secret', id);
    const { document: application } = await cli.json('client', 'show', id);

    assert.notEqual(document.client_secret, secret);
    assert.equal(application.live_secrets, 2);
    const hours = (Date.parse(String(document.old_secret_expires_at)) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours <= 24, `${hours} hours`);
  });

  it('kalends client rotate-secret --overlap 0 ends the old secret at once', async () => {
    const { id } = await created();

    await cli.json('client', 'rotate-secret', id, '--overlap', '0');

    assert.equal((await cli.json('client', 'show', id)).document.live_secrets, 1);
  });

  it('kalends client rotate-secret refuses a time it cannot read', async () => {
    const { id } = await created();

    assert.equal((await cli.json('client', 'rotate-secret', id, '--overlap', 'soon')).exitCode, 2);
  });

  it('kalends client delete does nothing unasked', async () => {
    const { id } = await created();

    const silent = await cli.run(['client', 'delete', id]);
    const no = await cli.run(['client', 'delete', id], 'no');

    assert.equal(silent.exitCode, 2);
    assert.match(silent.stderr, /--yes/);
    assert.equal(no.exitCode, 1);
    assert.equal((await cli.json('client', 'show', id)).exitCode, 0);
  });

  it('kalends client delete obeys --yes, and yes typed at the terminal', async () => {
    const [first, second] = [await created(), await created()];

    const flagged = await cli.json('client', 'delete', first.id, '--yes');
    const typed = await cli.run(['client', 'delete', second.id], 'yes');

    const document = { deleted: true, client_id: first.id, users: 0, accounts: 0, endpoints: 0 };
    assert.deepEqual(flagged, { exitCode: 0, document });
    assert.equal(typed.exitCode, 0);
    assert.deepEqual((await cli.json('client', 'list')).document, { clients: [] });
  });
});
