/** Published clients introspect, revoke and name resources at the running program, for applications with these switches. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { onEachDatabase } from '../harness/databases.ts';
import { type Application, connect, read } from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const http = { [oauth.allowInsecureRequests]: true } as const;

onEachDatabase((database, _open, place) => {
  describe(`published clients and token switches on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    let application: Application;
    before(async () => {
      site = await openSite({ databaseUrl: (await place()).databaseUrl });
      application = site.application;
      await site.program.command(
        ...['client', 'update', application.clientId],
        ...['--revocation', 'authenticated', '--resource-indicators', 'on'],
      );
    });
    after(() => site?.close());

    const connected = (userId: string, parameters = {}) =>
      connect(application, { userId, login: site.login, parameters });
    const discover = (secret = application.clientSecret) =>
      openid.discovery(new URL(application.url), application.clientId, secret, undefined, {
        ...{ algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
      });

    it('openid-client introspects both tokens, refreshes for the resource, and revokes', async () => {
      const { accessToken, refreshToken } = await connected('openid');
      const config = await discover();

      const [access, refresh] = [
        await openid.tokenIntrospection(config, accessToken),
        await openid.tokenIntrospection(config, refreshToken, { token_type_hint: 'refresh_token' }),
      ];
      const renewed = await openid.refreshTokenGrant(config, refreshToken, { resource: application.url });
      const unknown = openid.refreshTokenGrant(config, renewed.refresh_token ?? '', { resource: 'urn:x' });

      assert.deepEqual([access.active, access.sub, access.token_type], [true, 'openid', 'Bearer']);
      assert.deepEqual([refresh.active, refresh.scope, refresh.exp], [true, 'read-write', undefined]);
      assert.equal(access.iss, application.url);
      assert.equal(decodeJwt(renewed.access_token).aud, application.url);
      await assert.rejects(unknown, { error: 'invalid_target' });
      assert.equal((await openid.tokenIntrospection(config, refreshToken)).active, false);

      await openid.tokenRevocation(config, renewed.refresh_token ?? '');
      assert.equal((await openid.tokenIntrospection(config, renewed.access_token)).active, false);
      assert.equal((await read(application, '/calendars', renewed.access_token)).status, 401);
    });

    it('openid-client with a wrong secret learns and ends nothing', async () => {
      const { accessToken } = await connected('wrong');
      const config = await discover('wrong');

      await assert.rejects(openid.tokenIntrospection(config, accessToken), { error: 'invalid_client' });
      await assert.rejects(openid.tokenRevocation(config, accessToken));

      assert.equal((await read(application, '/calendars', accessToken)).status, 200);
    });

    it('oauth4webapi authorizes for the resource, introspects and revokes', async () => {
      const { accessToken, refreshToken } = await connected('webapi', { resource: application.url });
      assert.equal(decodeJwt(accessToken).aud, application.url);
      const { clientId, clientSecret, url } = application;
      const answer = await oauth.discoveryRequest(new URL(url), { ...http, algorithm: 'oauth2' });
      const as = await oauth.processDiscoveryResponse(new URL(url), answer);
      const client = { client_id: clientId };
      const secret = oauth.ClientSecretPost(clientSecret);
      const introspect = async (token: string) =>
        oauth.processIntrospectionResponse(
          as,
          client,
          await oauth.introspectionRequest(as, client, secret, token, http),
        );

      const [access, refresh] = [await introspect(accessToken), await introspect(refreshToken)];

      assert.deepEqual([access.active, access.aud, access.client_id], [true, url, clientId]);
      assert.deepEqual([refresh.active, refresh.aud], [true, url]);
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(as, client, secret, accessToken, http),
      );
      assert.deepEqual(await introspect(refreshToken), { active: false });
    });

    it('another application neither introspects nor revokes the tokens', async () => {
      const { accessToken } = await connected('foreign');
      const { clientId, clientSecret } = site.other;
      const config = await openid.discovery(new URL(application.url), clientId, clientSecret, undefined, {
        ...{ algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
      });

      assert.deepEqual(await openid.tokenIntrospection(config, accessToken), { active: false });
      await assert.rejects(openid.tokenRevocation(config, accessToken), { error: 'invalid_grant' });

      assert.equal((await read(application, '/calendars', accessToken)).status, 200);
    });
  });
});
