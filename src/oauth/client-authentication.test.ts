import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openOAuthServer } from '../../test/oauth/oauth-server.ts';
import { recordingLog } from '../../test/servers/recording-log.ts';
import { authenticateClient } from './client-authentication.ts';

it('client authentication logs at most as many characters of an identifier as identifiers have', async () => {
  const server = await openOAuthServer();
  const { log, entries } = recordingLog();
  const counted: string[] = [];
  const deps = {
    clients: server.stores.clients,
    assertions: server.assertions,
    wrongSecrets: async (key: string) => void counted.push(key),
    log,
    now: () => server.clock.now,
  };
  const clientId = 'x'.repeat(1_000_000);
  const presented = { authorization: undefined, clientId, clientSecret: 'y', request: { ip: '127.0.0.1' } };

  await assert.rejects(authenticateClient(presented, deps), { code: 'invalid_client' });

  await server.close();
  assert.equal(counted.length, 1);
  assert.ok(JSON.stringify({ counted, entries }).length < 1000);
});

it('client authentication counts the wrong secrets of a whole IPv6 /64 together', async () => {
  const server = await openOAuthServer();
  const counted: string[] = [];
  const deps = {
    clients: server.stores.clients,
    assertions: server.assertions,
    wrongSecrets: async (key: string) => void counted.push(key),
    log: recordingLog().log,
    now: () => server.clock.now,
  };
  const presented = { authorization: undefined, clientId: 'acme', clientSecret: 'wrong' };

  for (const ip of ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1']) {
    await assert.rejects(authenticateClient({ ...presented, request: { ip } }, deps), {
      code: 'invalid_client',
    });
  }

  await server.close();
  const [first, second, third] = counted;
  assert.equal(second, first);
  assert.notEqual(third, first);
});
