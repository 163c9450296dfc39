/** `kalends sandbox` as a command: what it takes and refuses; what it starts has tests of its own. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { type CommandLine, openCommandLine } from './cli-run.ts';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli.close());

describe('kalends sandbox', () => {
  it('kalends sandbox runs the sandbox, with a document or without, and ends with its exit code', async () => {
    assert.equal((await cli.run(['sandbox'])).exitCode, 42);
    assert.equal((await cli.run(['sandbox', '--json'])).exitCode, 42);

    assert.deepEqual(
      cli.sandboxes.slice(-2).map(({ json }) => json),
      [false, true],
    );
  });

  it('kalends sandbox takes several redirect URIs, and one of everything else', async () => {
    const addresses = ['--redirect-uri', 'http://localhost:9/a', '--redirect-uri', 'com.example.app:/b'];
    const hooks = ['--webhook-url', 'http://localhost:9/hooks'];

    await cli.run(['sandbox', ...addresses, ...hooks, '--port', '8123', '--keep', 'there']);

    assert.deepEqual(cli.sandboxes.at(-1), {
      redirectUris: ['http://localhost:9/a', 'com.example.app:/b'],
      webhookUrl: 'http://localhost:9/hooks',
      port: 8123,
      keep: 'there',
      json: false,
    });
  });

  it('kalends sandbox refuses before it starts anything what cannot be, and says what can', async () => {
    const own = ['--redirect-uri', 'http://localhost:9/a'];
    const refusals: readonly (readonly [args: readonly string[], said: RegExp])[] = [
      [['--redirect-uri', 'http://app.example/a'], /must be https/],
      [[...own, ...own], /given twice/],
      [[...own, '--webhook-url', 'http://app.example/hooks'], /webhook URL must be https/],
      [[...own, '--webhook-url', 'https://10.0.0.1/hooks'], /webhook URL /],
      [['--webhook-url', 'http://localhost:9/hooks'], /--webhook-url needs --redirect-uri/],
      [['--port', '70000'], /--port must be a number from 1 to 65535/],
      [['--keep', ''], /--keep needs a folder/],
      [['--port', '1', '--port', '2'], /--port is given twice/],
    ];
    const before = cli.sandboxes.length;

    for (const [args, said] of refusals) {
      const { exitCode, stderr } = await cli.run(['sandbox', ...args]);
      assert.equal(exitCode, 2, args.join(' '));
      assert.match(stderr, said);
    }
    assert.equal(cli.sandboxes.length, before);
  });
});
