/** The sandbox's application with the profile `fapi2`. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { after, it } from 'node:test';

import { registerStrictApplication } from '../../sandbox/strict-application.ts';
import { runHere } from '../harness/command-here.ts';
import { removeFolder, temporaryFolder } from '../servers/process.ts';

const folder = temporaryFolder('sandbox-fapi2');
after(() => removeFolder(folder));

it('the application fapi2 has keys of its own, in a file for its owner, and keeps them', async () => {
  const settings = { KALENDS_DATA_DIR: folder };
  const { clientId, jwksPath } = await registerStrictApplication(settings, 'http://localhost:9/one');
  const text = await readFile(jwksPath, 'utf8');
  const again = await registerStrictApplication(settings, 'http://localhost:9/two');

  assert.equal((await stat(jwksPath)).mode & 0o777, 0o600);
  assert.deepEqual([again.jwksPath, await readFile(jwksPath, 'utf8')], [jwksPath, text]);
  const { d, x } = JSON.parse(text).keys[0];
  assert.match(d, /^[\w-]{43}$/);
  const shown = await runHere(['client', 'show', clientId, '--json'], { env: settings });
  const document = JSON.parse(shown.stdout);
  assert.deepEqual(
    [document.profile, document.redirect_uri, document.jwks.keys[0].x, document.live_secrets],
    ['fapi2', 'http://localhost:9/two', x, 0],
  );
  assert.ok(!shown.stdout.includes(d));
  assert.equal((await runHere(['client', 'check', clientId], { env: settings })).exitCode, 0);
});
