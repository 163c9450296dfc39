/** Where passkeys can exist, and that a start does without their library. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';

import { findRelyingParty } from '../../src/people/web-authn.ts';

describe('where passkeys can exist', () => {
  it('at a host name over https, and on this machine by its name', () => {
    const own = { id: 'kalends.example', origin: 'https://kalends.example:8443' };
    assert.deepEqual(findRelyingParty('https://kalends.example:8443'), own);
    assert.equal(findRelyingParty('http://localhost:8080')?.id, 'localhost');
    for (const url of [
      'https://192.0.2.1',
      'https://[2001:db8::1]',
      'http://127.0.0.1:1',
      'http://a.example',
    ])
      assert.equal(findRelyingParty(url), undefined, url);
  });

  it('the program’s modules are loaded without their library', () => {
    const url = new URL('../../src/start/serve.ts', import.meta.url).href;
    const text = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (at, context, next) => (loaded.push(at), next(at, context)) });
      await import(${JSON.stringify(url)});
      console.log(loaded.filter((at) => at.includes('people/web-authn')).length, loaded.filter((at) => at.includes('simplewebauthn')).length);`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8' });
    assert.equal(said.trim(), '1 0');
  });
});
