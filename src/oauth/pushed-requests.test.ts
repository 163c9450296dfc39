import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { receivedQuery } from '../http/received-query.ts';
import { type Client, DEFAULT_SETTINGS } from './client.ts';
import { createIssuer } from './issuers.ts';
import type { PushedRequest } from './pushed-request-store.ts';
import {
  hashOfRequestUri,
  isVouchedFor,
  type PushedRequestDeps,
  pushRequest,
  readPushedFacts,
  storePushedRequest,
} from './pushed-requests.ts';

const PUBLIC_URL = 'https://kalends.example';
const REDIRECT_URI = 'https://app.example/cb';
const client = (change: Partial<Client> = {}): Client => ({
  ...DEFAULT_SETTINGS,
  ...{ clientId: 'app', name: 'app', displayName: undefined, redirectUri: REDIRECT_URI },
  ...{ webhookUrl: undefined, createdAt: 0 },
  ...change,
});

const factsOf = (fields: Record<string, string>) =>
  readPushedFacts(receivedQuery(`?${new URLSearchParams(fields)}`));

describe('the facts of a pushed request', () => {
  const limits = { user_name: 200, login_hint: 320, reconnect: 2100 };
  for (const [name, most] of Object.entries(limits))
    it(`have a ${name} of at most ${most} characters`, () => {
      assert.ok(Object.values(factsOf({ [name]: 'x'.repeat(most) })).includes('x'.repeat(most)));
      assert.throws(() => factsOf({ [name]: 'x'.repeat(most + 1) }), {
        ...{ code: 'invalid_request', message: `${name} is longer than ${most} characters` },
      });
    });

  for (const text of ['a\nb', 'a\u202eb', 'a\ufffdb'])
    it(`have no ${JSON.stringify(text)}`, () =>
      assert.throws(() => factsOf({ user_name: text }), { message: /^user_name has control characters/ }));
});

describe('a stored request', () => {
  it('has a reference of 256 bits, of which the store receives the hash and a limit of 10,000', async () => {
    const added: unknown[] = [];
    const request = { issuer: 'default', clientId: 'acme', query: 'a=1', createdAt: 1 } as const;
    const pushedRequests = { add: async (...of: readonly unknown[]) => void added.push(of) };

    const uri = await storePushedRequest(request, { pushedRequests });

    assert.match(uri, /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
    assert.deepEqual(added, [[hashOfRequestUri(uri), request, 10_000]]);
  });

  it('is vouched for unless a public application pushed it or uses it', () => {
    const isVouched = (query: string, clientAuthentication: Client['clientAuthentication']) =>
      isVouchedFor(receivedQuery(query), client({ clientAuthentication }));

    assert.equal(isVouched('?user_id=ada', 'secret'), true);
    assert.equal(isVouched('?user_id=ada', 'private_key_jwt'), true);
    assert.equal(isVouched('?user_id=ada', 'none'), false);
    assert.equal(isVouched('?user_id=ada&public_client=1', 'secret'), false);
  });
});

describe('a pushed request', () => {
  type Options = { change?: Partial<Client>; isStrict?: boolean; dpopJkt?: string };
  const push = async (form: string, { change = {}, isStrict = false, dpopJkt }: Options = {}) => {
    const stored: PushedRequest[] = [];
    const accounts: unknown[] = [];
    const deps: PushedRequestDeps = {
      issuer: createIssuer(isStrict ? 'fapi2' : 'default', PUBLIC_URL),
      publicUrl: PUBLIC_URL,
      pushedRequests: { add: async (_hash, request) => void stored.push(request) },
      checkAuthorization: () => 'client_id=other&user_id=ada&state=a+b',
      async hasAccount(account) {
        accounts.push(account);
        return account.reconnect === 'google:1';
      },
      now: () => 5,
    };
    const answer = await pushRequest(
      { client: client(change), query: receivedQuery(`?${form}`), dpopJkt },
      deps,
    );
    assert.equal(answer.expires_in, 60);
    const [{ query, ...facts } = { query: undefined }] = stored;
    assert.deepEqual(facts, { issuer: isStrict ? 'fapi2' : 'default', clientId: 'app', createdAt: 5 });
    return { query, accounts };
  };
  const READ = 'client_id=app&user_id=ada&state=a+b';
  const FACTS = 'user_name=Ada+K&login_hint=a%40b&reconnect=google%3A1';
  const NONE: Partial<Client> = { clientAuthentication: 'none' };
  const redirect = `redirect_uri=${encodeURIComponent(REDIRECT_URI)}`;
  const STRICT = 'client_id=app&response_type=code';
  const resource = `resource=${encodeURIComponent(PUBLIC_URL)}`;
  const SEVERAL = { furtherRedirectUris: ['https://app.example/b'] };
  const ON = { resourceIndicators: 'on' } as const;

  const stored: readonly (readonly [string, string, Options, string])[] = [
    ['has the parameters that are read', 'user_id=ada&x=1', {}, READ],
    ['has facts about the user in their spelling', FACTS, {}, `${READ}&${FACTS}`],
    ['of a public application has a mark and no facts', FACTS, { change: NONE }, `${READ}&public_client=1`],
    ['has no redirect URI if only one is registered', redirect, {}, READ],
    ['has the redirect URI of several', redirect, { change: SEVERAL }, `${READ}&${redirect}`],
    [
      'at the strict issuer has the redirect URI',
      `${STRICT}&${redirect}`,
      { isStrict: true },
      `${READ}&${redirect}`,
    ],
    ['has the key of the code', '', { dpopJkt: 'key' }, `${READ}&dpop_jkt=key`],
    ['has the resource once', `${resource}&${resource}`, { change: ON }, `${READ}&${resource}`],
    ['has no resource without resource indicators', resource, {}, READ],
    ['can have several providers', 'providers=a&providers=b', {}, READ],
    ['can have a challenge that is required', 'code_challenge=x', { change: { pkce: 'required' } }, READ],
  ];
  for (const [name, form, options, query] of stored)
    it(name, async () => assert.equal((await push(form, options)).query, query));

  const refused: readonly (readonly [string, string, Options, string, string | RegExp])[] = [
    ['a request_uri', 'request_uri=x', {}, 'invalid_request', 'request_uri must not be pushed'],
    ['a parameter twice', 'scope=a&scope=a', {}, 'invalid_request', 'scope is given more than once'],
    [
      ...(['a parameter with a long name twice', `${'n'.repeat(41)}=1&${'n'.repeat(41)}=2`, {}] as const),
      ...(['invalid_request', 'A parameter is given more than once'] as const),
    ],
    [
      'several resources without indicators',
      `${resource}&${resource}`,
      {},
      'invalid_request',
      /^resource is given/,
    ],
    ['another resource', 'resource=x', { change: ON }, 'invalid_target', /^resource is not/],
    [
      ...(['no challenge that is required', '', { change: { pkce: 'required' } }] as const),
      ...(['invalid_request', /^code_challenge is missing/] as const),
    ],
    [
      'no redirect URI at the strict issuer',
      '',
      { isStrict: true },
      'invalid_request',
      'redirect_uri is missing',
    ],
    [
      ...(['an unregistered redirect URI of several', 'redirect_uri=x', { change: SEVERAL }] as const),
      ...(['invalid_request', 'redirect_uri is not registered for this application'] as const),
    ],
    [
      'an account that the user lacks',
      'reconnect=google:2',
      {},
      'invalid_request',
      /^reconnect must be PROVIDER:ID/,
    ],
    ['a name that cannot be displayed', 'user_name=%00', {}, 'invalid_request', /^user_name has control/],
  ];
  for (const [name, form, options, code, message] of refused)
    it(`is refused with ${name}`, async () => {
      await assert.rejects(push(form, options), { code, message });
    });

  it('asks for the account of the user that it names', async () => {
    const { accounts } = await push('user_id=ada&reconnect=google:1');

    assert.deepEqual(accounts, [{ clientId: 'app', userId: 'ada', reconnect: 'google:1' }]);
    assert.deepEqual((await push('reconnect=x', { change: NONE })).accounts, []);
  });
});
