/** The switches of an application on the command line, on the database and at a server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { SWITCH_KEYS, SWITCHES, type Switch, switchOption } from '../../src/oauth/switches.ts';
import { runHere } from '../harness/command-here.ts';
import { type Program, startProgram } from '../harness/program.ts';

const KEY = 'environment-key-of-32-characters-or-more';
const CREATE = ['client', 'create', '--name', 'App', '--redirect-uri', 'https://app.example/callback'];

describe('the switches of an application', () => {
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
    const created = async (...options: string[]) => (await json(...CREATE, ...options)).client_id;

    it(`kalends client create sets a code format and lifetimes, and show prints them, ${place}`, async () => {
      const times = ['--refresh-idle-lifetime', '30d', '--refresh-lifetime', '90m'];
      const document = await json(...CREATE, '--code-format', 'opaque', '--code-lifetime', '60', ...times);

      const { code_format, code_lifetime, refresh_idle_lifetime, refresh_lifetime } = document;
      assert.deepEqual([code_format, code_lifetime], ['opaque', 60]);
      assert.deepEqual([refresh_idle_lifetime, refresh_lifetime], [2_592_000, 5400]);
      const { stdout } = await run('client', 'show', document.client_id);
      assert.match(stdout, /^code format +opaque\ncode lifetime +60 s$/m);
      assert.match(stdout, /^refresh idle lifetime +30d\nrefresh lifetime +90m$/m);
    });

    it(`kalends client update changes the given switches, and \`none\` ends a lifetime, ${place}`, async () => {
      const id = await created('--refresh-lifetime', '30d', '--pkce', 'required');

      const document = await json('client', 'update', id, '--code-format', 'opaque');
      assert.deepEqual([document.code_format, document.pkce], ['opaque', 'required']);
      assert.equal(document.refresh_lifetime, 2_592_000);
      await run('client', 'update', id, '--refresh-lifetime', 'none');
      assert.match((await run('client', 'show', id)).stdout, /^refresh lifetime +none$/m);
    });

    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      ...['9', '601', '60s', '1e2', ''].map(
        (value) =>
          [
            ['--code-lifetime', value],
            /--code-lifetime must be a whole number of seconds from 10 to 600\./,
          ] as const,
      ),
      ...['59m', '3651d', '0', '3600', '1y', 'never', ''].map(
        (value) =>
          [
            ['--refresh-lifetime', value],
            /--refresh-lifetime must be none or a time from 1h to 3650d\./,
          ] as const,
      ),
      ...SWITCH_KEYS.map((key) => [['--x', 'maybe'].with(0, `--${switchOption(key)}`), /must be /] as const),
      [['--refresh-rotation', 'never'], /refresh_rotation.*client_authentication.*sender_constraint/],
      [['--refresh-reuse', 'end-grant'], /refresh_reuse.*refresh_replay_window/],
    ];
    for (const [options, sentence] of refused)
      it(`kalends client refuses ${options.join(' ')} and changes nothing, ${place}`, async () => {
        const id = await created();
        const results = [
          await run('client', 'update', id, '--name', 'Changed', ...options),
          await run(...CREATE, ...options),
        ];

        for (const { exitCode, stdout, stderr } of results) {
          assert.deepEqual([exitCode, stdout], [2, '']);
          assert.match(stderr, sentence);
        }
        assert.equal((await json('client', 'show', id)).name, 'App');
      });
  }

  it('the help of both commands has each switch with its values', async () => {
    for (const command of ['create', 'update']) {
      const { stdout } = await runHere(['client', command, '--help'], { env: {} });
      for (const key of SWITCH_KEYS) {
        const row: Switch = SWITCHES[key];
        const values = 'values' in row ? row.values.join('|') : row.none ? 'TIME|none' : 'SECONDS';
        assert.ok(stdout.includes(`--${switchOption(key)} ${values}`), switchOption(key));
      }
    }
  });
});
