import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openOAuthServer, SECRET } from '../../test/oauth/oauth-server.ts';
import { recordingLog } from '../../test/servers/recording-log.ts';
import { authenticateClient, type ClientRequest } from './client-authentication.ts';
import type { OAuthError } from './oauth-error.ts';

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
  assert.deepEqual(
    entries.map(({ level, fields }) => [level, fields]),
    [['warn', { event: 'client_refused', clientId: 'x'.repeat(200), method: 'body' }]],
  );
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

describe('the caller of a request', () => {
  const authenticateAs = async (clientId: string, clientSecret?: string) => {
    const server = await openOAuthServer();
    const isPublic = { clientAuthentication: 'none' } as const;
    await server.stores.clients.updateClient('other', isPublic, { now: server.clock.now, by: undefined });
    const request: ClientRequest = { ip: '127.0.0.1' };
    const presented = { authorization: undefined, clientId, clientSecret, request };
    const { authentication } = server;
    const client = await authenticateClient(presented, authentication).catch(() => undefined);
    await server.close();
    return [client?.clientId, request.asker];
  };
  const callers: readonly (readonly [
    string,
    string,
    string | undefined,
    string | undefined,
    object | undefined,
  ])[] = [
    ['the application that proved its secret', 'acme', SECRET, 'acme', { clientId: 'acme' }],
    ['claimed with a wrong secret', 'acme', 'x', undefined, { clientId: 'acme', isClaimed: true }],
    ['claimed for a public application', 'other', undefined, 'other', { clientId: 'other', isClaimed: true }],
    ['unknown without a secret', 'acme', undefined, undefined, undefined],
    ['unknown for an unknown application', 'nobody', SECRET, undefined, undefined],
    [
      'claimed for a public application with a secret',
      'other',
      SECRET,
      undefined,
      { clientId: 'other', isClaimed: true },
    ],
  ];
  for (const [name, clientId, secret, authenticated, asker] of callers)
    it(`is ${name}`, async () =>
      assert.deepEqual(await authenticateAs(clientId, secret), [authenticated, asker]));
});

describe('HTTP Basic', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const present = async (authorization: string, clientId?: string) => {
    const server = await openOAuthServer();
    const request: ClientRequest = { ip: '127.0.0.1' };
    const presented = { authorization, clientId, clientSecret: undefined, request };
    const result = await authenticateClient(presented, server.authentication).then(
      (client) => client.clientId,
      (reason: OAuthError) => `${reason.code} ${reason.status}`,
    );
    await server.close();
    return result;
  };
  const cases: readonly (readonly [string, string, string | undefined, string])[] = [
    ['authenticates', basic(`acme:${SECRET}`), undefined, 'acme'],
    ['authenticates with the same client_id', basic(`acme:${SECRET}`), 'acme', 'acme'],
    [
      'authenticates in any case and with spaces',
      `bASIC   ${basic(`acme:${SECRET}`).slice(6)} `,
      undefined,
      'acme',
    ],
    ['decodes both halves', basic(`%61cme:%61${SECRET.slice(1)}`), undefined, 'acme'],
    ['refuses another client_id', basic(`acme:${SECRET}`), 'other', 'invalid_request 400'],
    ['refuses invalid percent-encoding', basic(`acme:%zz`), undefined, 'invalid_client 401'],
    ['refuses text without a colon', basic('acme'), undefined, 'invalid_client 401'],
    ['refuses an empty id', basic(`:${SECRET}`), undefined, 'invalid_client 401'],
    ['refuses an empty secret', basic('acme:'), undefined, 'invalid_client 401'],
    ['refuses no credentials', 'Basic', undefined, 'invalid_client 401'],
  ];
  for (const [name, authorization, clientId, result] of cases)
    it(name, async () => assert.equal(await present(authorization, clientId), result));
});
