/** A third-party client pushes its authorization requests (RFC 9126) to the running program. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import * as openid from 'openid-client';

import { type Program, type Registration, startProgram } from '../harness/program.ts';

describe('the program takes pushed requests', () => {
  let program: Program;
  let application: Registration;
  before(async () => {
    program = await startProgram();
    application = await program.createClient({ displayName: 'Acme' });
  });
  after(() => program.dispose());

  for (const [name, authentication] of [
    ['HTTP Basic', openid.ClientSecretBasic],
    ['the body', openid.ClientSecretPost],
  ] as const) {
    it(`the program takes what openid-client pushes, with the secret in ${name}`, async () => {
      const { clientId, clientSecret, redirectUri } = application;
      const config = await openid.discovery(
        new URL(program.url),
        clientId,
        undefined,
        authentication(clientSecret),
        { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
      );
      const address = await openid.buildAuthorizationUrlWithPAR(config, {
        user_id: 'ada',
        user_name: 'Ada King',
        redirect_uri: redirectUri,
        scope: 'read',
        state: openid.randomState(),
        code_challenge: await openid.calculatePKCECodeChallenge(openid.randomPKCECodeVerifier()),
        code_challenge_method: 'S256',
      });

      assert.equal(address.pathname, '/authorize');
      assert.deepEqual([...address.searchParams.keys()].toSorted(), ['client_id', 'request_uri']);
      assert.match(address.searchParams.get('request_uri') ?? '', /^urn:ietf:params:oauth:request_uri:/);
    });
  }

  it('the program takes pushed requests under the prefix of the published clients too', async () => {
    const { clientId, clientSecret } = application;
    const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, user_id: 'ada' });

    const answer = await fetch(`${program.url}/api/oauth/par`, { method: 'POST', body });

    assert.equal(answer.status, 201);
  });
});
