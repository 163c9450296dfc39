/** An application's own apps at Google and Microsoft, on the command line. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

describe('kalends client, with the application’s own provider apps', () => {
  let cli: CommandLine;
  let id: string;
  let secretFile: string;
  beforeEach(async () => {
    cli = await openCommandLine();
    id = String((await cli.json(...CREATE)).document.client_id);
    secretFile = path.join(cli.dataDir, 'google-secret');
    await writeFile(secretFile, 'GOCSPX-canary\n');
  });
  afterEach(() => cli.close());

  const keptApp = async (clientId: string, kind: 'google' | 'microsoft') => {
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    const app = await storage.providerApps.findProviderApp(clientId, kind);
    await storage.close();
    return app && { ...app };
  };
  const google = (file = secretFile) => [
    '--google-client-id',
    'g.apps.example',
    '--google-client-secret-file',
    file,
  ];

  it('kalends client update sets a provider app with the secret of a file, which is shown nowhere', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['client', 'update', id, ...google()]);
    const show = await cli.run(['client', 'show', id]);
    const { document } = await cli.json('client', 'show', id);

    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(await keptApp(id, 'google'), {
      clientId: 'g.apps.example',
      clientSecret: 'GOCSPX-canary',
    });
    assert.equal(document.google_client_id, 'g.apps.example');
    assert.equal(document.microsoft_client_id, null);
    assert.match(show.stdout, /Google app\s+g\.apps\.example\n.*Microsoft app\s+\(the deployment's\)/);
    assert.doesNotMatch(stdout + show.stdout + JSON.stringify(document), /canary/);
  });

  it('kalends client update reads a provider app’s secret from standard input', async () => {
    const args = ['--microsoft-client-id', 'm-id', '--microsoft-client-secret-file', '-'];

    const { exitCode } = await cli.run(['client', 'update', id, ...args], 'from~input');

    assert.equal(exitCode, 0);
    assert.deepEqual(await keptApp(id, 'microsoft'), { clientId: 'm-id', clientSecret: 'from~input' });
  });

  it('kalends client update gives the provider app that is set a new secret', async () => {
    await cli.run(['client', 'update', id, ...google()]);

    const { exitCode } = await cli.run(['client', 'update', id, '--google-client-secret-file', '-'], 'next');

    assert.equal(exitCode, 0);
    assert.deepEqual(await keptApp(id, 'google'), { clientId: 'g.apps.example', clientSecret: 'next' });
  });

  it('kalends client update removes a provider app whose id is given empty', async () => {
    await cli.run(['client', 'update', id, ...google()]);

    const { document } = await cli.json('client', 'update', id, '--google-client-id', '');

    assert.equal(document.google_client_id, null);
    assert.equal(await keptApp(id, 'google'), undefined);
  });

  it('kalends client create sets a provider app at once', async () => {
    const { document } = await cli.json(...CREATE, ...google());

    assert.equal(document.google_client_id, 'g.apps.example');
    assert.equal((await keptApp(String(document.client_id), 'google'))?.clientSecret, 'GOCSPX-canary');
  });

  const refused: [what: string, argsOf: () => string[], exitCode: number, sentence: RegExp][] = [
    ['an id without a secret', () => ['--google-client-id', 'x'], 2, /--google-client-secret-file FILE is/],
    [
      'a secret for an app that is not set',
      () => ['--google-client-secret-file', secretFile],
      2,
      /--google-client-id ID is missing: no Google app is set/,
    ],
    [
      'a secret for an app that is being removed',
      () => ['--google-client-id', '', '--google-client-secret-file', secretFile],
      2,
      /cannot be used if/,
    ],
    [
      'a file that is not there',
      () => google('/nowhere/secret'),
      1,
      /\/nowhere\/secret cannot be read \(ENOENT/,
    ],
    ['an empty standard input', () => google('-'), 1, /no secret in standard input/],
    [
      'two secrets from one standard input',
      () => [...google('-'), '--microsoft-client-id', 'm', '--microsoft-client-secret-file', '-'],
      2,
      /can have only one secret/,
    ],
    [
      'an id with a space',
      () => ['--google-client-id', 'a b', '--google-client-secret-file', secretFile],
      2,
      /The id of the provider's app must be/,
    ],
  ];
  for (const [what, argsOf, code, sentence] of refused) {
    it(`kalends client update refuses ${what} in one sentence, and changes nothing`, async () => {
      const { exitCode, stderr } = await cli.run(['client', 'update', id, '--name', 'Renamed', ...argsOf()]);

      assert.equal(exitCode, code);
      assert.match(stderr, sentence);
      assert.doesNotMatch(stderr, /canary/);
      assert.equal((await cli.json('client', 'show', id)).document.name, 'My app');
    });
  }

  it('kalends client create refuses a provider app before it registers anything', async () => {
    const { exitCode } = await cli.run([...CREATE, '--google-client-id', 'x']);

    assert.equal(exitCode, 2);
    assert.equal(((await cli.json('client', 'list')).document.clients as unknown[]).length, 1);
  });
});
