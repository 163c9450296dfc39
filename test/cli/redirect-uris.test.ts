/** The redirect URIs of an application on the command line, on the database and at a server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { runHere } from '../harness/command-here.ts';
import { type Program, startProgram } from '../harness/program.ts';

const KEY = 'environment-key-of-32-characters-or-more';
const [A, B, C] = ['https://app.example/a', 'http://localhost:3000/b', 'com.example.app:/c'];
const repeated = (option: string, uris: readonly string[]) => uris.flatMap((uri) => [option, uri]);

describe('the redirect URIs of an application', () => {
  let program: Program;
  before(async () => {
    program = await startProgram({ env: { KALENDS_ADMIN_KEY: KEY } });
  });
  after(() => program.dispose());

  for (const place of ['on the database', 'at a server']) {
    const run = (...args: string[]) =>
      place === 'at a server'
        ? runHere([...args, '--server', program.url], { env: { KALENDS_ADMIN_KEY: KEY } })
        : runHere(args, { env: { KALENDS_DATA_DIR: program.dataDir } });
    const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);
    const created = async (...uris: string[]) =>
      (await json('client', 'create', '--name', 'App', ...repeated('--redirect-uri', uris))).client_id;
    const urisOf = async (id: string) => (await json('client', 'show', id)).redirect_uris;

    it(`kalends client create has several, and show and list print all, ${place}`, async () => {
      const options = ['--name', 'Several', ...repeated('--redirect-uri', [A, B, C])];
      const document = await json('client', 'create', ...options);
      assert.deepEqual([document.redirect_uri, document.redirect_uris], [A, [A, B, C]]);
      assert.match(
        (await run('client', 'create', ...options)).stdout,
        new RegExp(`redirect URIs +${A}, ${B}, ${C}`),
      );
      for (const args of [['show', document.client_id], ['list']])
        assert.ok((await run('client', ...args)).stdout.includes(`${A}, ${B}, ${C}`));
    });

    it(`kalends client update replaces, adds and removes redirect URIs, ${place}`, async () => {
      const id = await created(A, B);

      await run('client', 'update', id, '--add-redirect-uri', C, '--remove-redirect-uri', A);
      assert.deepEqual(await urisOf(id), [B, C]);
      const { redirect_uri, redirect_uris } = await json(
        'client',
        'update',
        id,
        ...repeated('--redirect-uri', [A, B]),
      );
      assert.deepEqual([redirect_uri, redirect_uris], [A, [A, B]]);
      await run('client', 'update', id, '--redirect-uri', C);
      assert.deepEqual(await urisOf(id), [C]);
    });

    it(`kalends client update refuses to remove the last one, and other mistakes, ${place}`, async () => {
      const id = await created(A);
      for (const [args, sentence] of [
        [
          ['--remove-redirect-uri', A],
          /needs a redirect URI: add another one before you remove the last one/,
        ],
        [['--remove-redirect-uri', B], new RegExp(`"${B}" is not registered`)],
        [['--add-redirect-uri', A], new RegExp(`"${A}" occurs twice`)],
        [['--add-redirect-uri', 'ftp://x'], /"ftp:\/\/x" must be https/],
        [['--redirect-uri', B, '--add-redirect-uri', C], /--redirect-uri replaces the list/],
      ] as const) {
        const { exitCode, stdout, stderr } = await run('client', 'update', id, '--name', 'No', ...args);
        assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '));
        assert.match(stderr, sentence);
      }
      const { error } = await json('client', 'update', id, '--remove-redirect-uri', A);
      assert.equal(error, 'last_redirect_uri');
      const { name, redirect_uris: uris } = await json('client', 'show', id);
      assert.deepEqual([name, uris], ['App', [A]]);
    });
  }
});
