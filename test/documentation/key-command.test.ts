/** The command of docs/hardening.md that creates the keys of an application. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, it } from 'node:test';

import { readKeySet } from '../../src/oauth/client-keys.ts';
import { runHere } from '../harness/command-here.ts';
import { removeFolder, temporaryFolder } from '../servers/process.ts';

const folder = temporaryFolder('key-command');
after(() => removeFolder(folder));

it('the documented command creates keys that the profile fapi2 accepts', async () => {
  const text = readFileSync(path.join(import.meta.dirname, '../../docs/hardening.md'), 'utf8');
  const [, code = ''] = /```sh\n( *node -e .*?)```/s.exec(text) ?? [];
  execFileSync('sh', ['-c', code.replace(/^ *node/, `"${process.execPath}"`)], { cwd: folder });

  const jwks = path.join(folder, 'jwks.json');
  assert.ok('jwks' in (await readKeySet(JSON.parse(readFileSync(jwks, 'utf8')))));
  assert.equal(statSync(path.join(folder, 'private-jwk.json')).mode & 0o777, 0o600);
  const create = ['client', 'create', '--name', 'Bank', '--redirect-uri', 'https://app.example/cb'];
  const options = { env: { KALENDS_DATA_DIR: folder } };
  assert.equal((await runHere([...create, '--profile', 'fapi2', '--jwks', jwks], options)).exitCode, 0);
});
