/** Third-party clients discover both issuers of the running program. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as openid from 'openid-client';
import { type Program, type Registration, startProgram } from '../harness/program.ts';

describe('the issuers of the program', () => {
  let program: Program;
  let application: Registration;
  before(async () => {
    program = await startProgram();
    application = await program.createClient({ displayName: 'Acme' });
  });
  after(() => program.dispose());

  const discover = (issuer: string) =>
    openid.discovery(
      new URL(issuer),
      application.clientId,
      undefined,
      openid.ClientSecretPost(application.clientSecret),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );

  for (const prefix of ['', '/fapi2'])
    it(`openid-client discovers the issuer at ${prefix || '/'}, each of whose endpoints exists`, async () => {
      const metadata = (await discover(program.url + prefix)).serverMetadata();
      assert.equal(metadata.issuer, program.url + prefix);
      for (const url of [
        metadata.token_endpoint,
        metadata.revocation_endpoint,
        metadata.pushed_authorization_request_endpoint,
      ].map(String)) {
        assert.ok(url?.startsWith(`${program.url}${prefix}/`), url);
        const answer = await fetch(url, { method: 'PUT' });
        assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'], url);
      }
      const page = await fetch(String(metadata.authorization_endpoint));
      assert.deepEqual([page.status, (await page.json()).error], [401, 'invalid_client']);
      if (metadata.jwks_uri !== undefined)
        assert.deepEqual(await (await fetch(metadata.jwks_uri)).json(), { keys: [] });
    });

  it('an application of the default issuer that uses the strict one gets unauthorized_client, which names its own', async () => {
    const config = await discover(`${program.url}/fapi2`);
    const pushed = openid.buildAuthorizationUrlWithPAR(config, {
      user_id: 'ada',
      redirect_uri: application.redirectUri,
    });
    await assert.rejects(pushed, {
      error: 'unauthorized_client',
      error_description: `This application belongs to the issuer ${program.url}, not to ${program.url}/fapi2`,
    });
  });
});
