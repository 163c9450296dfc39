/** Counts of /token by grant and outcome, in names that no caller chooses. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';

import { approve, type OAuthServer, openOAuthServer, REDIRECT_URI, SECRET } from './oauth-server.ts';

const told: string[] = [];
let server: OAuthServer;
before(async () => {
  server = await openOAuthServer('HS256', {
    tokenAnswered: (grantType, outcome) => told.push(`${grantType} ${outcome}`),
  });
});
after(() => server?.close());

it('each answer of /token is counted by its grant and outcome, whatever was sent', async () => {
  await approve(server);
  const post = (fields: Readonly<Record<string, string>>, repeated = '') =>
    server.app.inject({
      method: 'POST',
      url: '/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ client_id: 'acme', client_secret: SECRET, ...fields }) + repeated,
    });
  const asked = { grant_type: 'authorization_code', code: 'ada', redirect_uri: REDIRECT_URI };
  await post(asked);
  await post(asked);
  await post({ grant_type: 'refresh_token', refresh_token: 'x' });
  await post({ grant_type: 'refresh_token', refresh_token: 'x', client_secret: 'wrong' });
  await post({ grant_type: 'canary' });
  await post({});
  await post(asked, '&code=x');

  assert.deepEqual(told, [
    'authorization_code ok',
    'authorization_code invalid_grant',
    'refresh_token invalid_grant',
    'refresh_token invalid_client',
    'other unsupported_grant_type',
    'other invalid_request',
    'authorization_code invalid_request',
  ]);
});
