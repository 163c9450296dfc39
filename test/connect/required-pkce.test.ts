/** Applications with PKCE `required`, at /authorize and /par (RFC 7636 §4.4.1). On SQLite. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CHALLENGE_REQUIRED } from '../../src/oauth/pkce.ts';
import { ACME, Browser, type Harness, openConnect } from './connect-harness.ts';
import { push, pushedPath } from './pushing.ts';

const STRICT = { ...ACME, clientId: 'strict', pkce: 'required' } as const;
const CHALLENGE = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
const JSON_ONLY = { headers: { accept: 'application/json' } };

let harness: Harness;
before(async () => {
  harness = await openConnect();
  await harness.clients.createClient(STRICT, 'unused', undefined);
});
after(() => harness.close());

const authorize = (query: Readonly<Record<string, string>> = {}, visit = {}) => {
  const parameters = new URLSearchParams({ client_id: 'strict', user_id: 'ada', ...query });
  return new Browser(harness).get(`/authorize?${parameters}`, visit);
};

describe('required PKCE', () => {
  it('/authorize refuses a request without code_challenge and names the parameter', async () => {
    for (const query of [{}, { code_challenge: '' }]) {
      const page = await authorize(query);
      const json = await authorize(query, JSON_ONLY);

      assert.deepEqual([page.status, page.location, json.status, json.location], [400, '', 400, '']);
      assert.ok(page.body.includes('>code_challenge</code>'));
      const { error, error_description: description } = JSON.parse(json.body);
      assert.deepEqual([error, description], ['invalid_request', CHALLENGE_REQUIRED]);
    }
  });

  it('/authorize accepts a challenge of S256 and no other', async () => {
    const plain = await authorize({ ...CHALLENGE, code_challenge_method: 'plain' }, JSON_ONLY);

    assert.equal((await authorize(CHALLENGE)).status, 302);
    assert.deepEqual([plain.status, JSON.parse(plain.body).error], [400, 'invalid_request']);
  });

  it('/par refuses a request without code_challenge', async () => {
    await assert.rejects(push(harness, {}, STRICT), { code: 'invalid_request', message: CHALLENGE_REQUIRED });

    assert.match(await push(harness, CHALLENGE, STRICT), /^urn:/);
  });

  it('a request that was pushed before the switch is refused at /authorize', async () => {
    const requestUri = await push(harness, {}, { ...STRICT, pkce: 'accepted' });

    const answer = await new Browser(harness).get(pushedPath(requestUri, { client_id: 'strict' }), JSON_ONLY);

    assert.deepEqual([answer.status, JSON.parse(answer.body).error], [400, 'invalid_request']);
  });

  it('an application without the switch needs no challenge', async () => {
    assert.equal((await authorize({ client_id: 'acme' })).status, 302);
  });
});
