import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OAuthServer, openOAuthServer, SECRET } from '../../test/oauth/oauth-server.ts';
import { recordingLog } from '../../test/servers/recording-log.ts';
import {
  type ApplicationCallDeps,
  authenticateBasic,
  authenticateClient,
  type ClientRequest,
} from './client-authentication.ts';
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

describe('a call of an application', () => {
  type Call = Parameters<typeof authenticateBasic>[0];
  const call = async (authorize: (server: OAuthServer) => string | undefined) => {
    const server = await openOAuthServer();
    const change = { clientAuthentication: 'private_key_jwt', keys: { jwks: '{"keys":[]}' } } as const;
    await server.stores.clients.updateClient('other', change, { now: server.clock.now, by: undefined });
    const request: Call = {
      ...{ ip: '127.0.0.1', method: 'GET', url: '/', headers: { authorization: authorize(server) } },
    };
    const deps: ApplicationCallDeps = server.authentication;
    const result = await authenticateBasic(request, deps).then(
      (client) => client.clientId,
      ({ code, status, headers }: OAuthError) => [code, status, Object.keys(headers)].flat().join(' '),
    );
    await server.close();
    return [result, request.asker?.clientId];
  };
  const UNAUTHORIZED = 'invalid_client 401 www-authenticate';
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const applicationToken = (clientId: string) => (server: OAuthServer) =>
    server.signer.signApplicationToken(clientId, undefined).access_token;
  const bearer = (clientId: string) => (server: OAuthServer) =>
    `bearer ${applicationToken(clientId)(server)}  `;
  const calls: readonly (readonly [string, Parameters<typeof call>[0], readonly unknown[]])[] = [
    ['has HTTP Basic', () => basic(`acme:${SECRET}`), ['acme', 'acme']],
    ['is refused with a wrong secret', () => basic('acme:x'), [UNAUTHORIZED, 'acme']],
    ['is refused without a header', () => undefined, [UNAUTHORIZED, undefined]],
    ['is refused with another scheme', () => 'Digest x', [UNAUTHORIZED, undefined]],
    [
      'is refused with a scheme that begins with Basic',
      () => `Basics ${basic('a:b')}`,
      [UNAUTHORIZED, undefined],
    ],
    ['has an application token', bearer('other'), ['other', 'other']],
    [
      'is refused with a token and another scheme',
      (server) => `Token ${applicationToken('other')(server)}`,
      [UNAUTHORIZED, undefined],
    ],
    [
      'is refused with the token of an application that has a secret',
      bearer('acme'),
      [UNAUTHORIZED, undefined],
    ],
    ['is refused with the token of a deleted application', bearer('nobody'), [UNAUTHORIZED, undefined]],
    ['is refused with a text that is no token', () => 'Bearer x', [UNAUTHORIZED, undefined]],
  ];
  for (const [name, authorize, result] of calls)
    it(name, async () => assert.deepEqual(await call(authorize), result));
});
