import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openOAuthServer } from '../../test/oauth/oauth-server.ts';
import { ApiError } from '../http/refusal.ts';
import { changeClient, changeProblems, registerClient, rotateClientSecret } from './client-registration.ts';

describe('a field of an application', () => {
  const refused: readonly (readonly [Parameters<typeof changeProblems>[0], object])[] = [
    [{ name: '' }, { name: 'The name must not be empty' }],
    [{ name: ' \t' }, { name: 'The name must not be empty' }],
    [{ name: 'x'.repeat(201) }, { name: 'The name must not be longer than 200 characters' }],
    [{ name: 'a\nb' }, { name: 'The name must not contain control characters' }],
    [{ displayName: 'a\u202eb' }, { displayName: 'The display name must not contain control characters' }],
    [
      { webhookUrl: 'hook' },
      { webhookUrl: 'The webhook URL must be an absolute URL, such as https://app.example.com/callback' },
    ],
    [
      { name: '', displayName: '\u0000' },
      {
        name: 'The name must not be empty',
        displayName: 'The display name must not contain control characters',
      },
    ],
  ];
  for (const [change, problems] of refused)
    it(`cannot be ${JSON.stringify(change).slice(0, 40)}`, () =>
      assert.deepEqual(changeProblems(change), problems));

  it('can be absent, empty if it is optional, and a name of 200 characters', () => {
    assert.deepEqual(changeProblems({}), {});
    assert.deepEqual(changeProblems({ displayName: null, webhookUrl: null, name: 'x'.repeat(200) }), {});
  });
});

/** Opens a server; `deps` are those of registrations and changes. */
async function openRegistration() {
  const server = await openOAuthServer();
  const deps = { ...server.stores, now: () => server.clock.now, by: undefined };
  return { server, deps };
}
/** Returns a check of an error's code and message. */
const isRefusal = (code: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ApiError);
  assert.equal(error.body.code, code);
  assert.match(error.message, message);
  return true;
};
const NEW = { name: 'App', redirectUri: 'https://app.example/cb' };
const JWKS = { jwks: '{"keys":[]}' };

describe('the registration of an application', () => {
  it('stores what it returns, with an id of 20 and a secret of 43 characters', async () => {
    const { server, deps } = await openRegistration();

    const { client, clientSecret } = await registerClient({ ...NEW, settings: { pkce: 'required' } }, deps);

    const stored = await server.stores.clients.findClient(client.clientId);
    await server.close();
    assert.match(client.clientId, /^proj[A-Za-z\d]{20}$/);
    assert.match(clientSecret ?? '', /^kalends_[A-Za-z\d]{43}$/);
    assert.deepEqual([stored?.name, stored?.pkce, stored?.createdAt], ['App', 'required', server.clock.now]);
  });

  it('has no secret if it authenticates by keys, and the switches of its profile', async () => {
    const { server, deps } = await openRegistration();
    const settings = { profile: 'fapi2', codeLifetime: 20 } as const;

    const { client, clientSecret } = await registerClient({ ...NEW, settings, keys: JWKS }, deps);

    await server.close();
    assert.equal(clientSecret, undefined);
    assert.deepEqual([client.codeLifetime, client.clientAuthentication], [20, 'private_key_jwt']);
  });

  const refused: readonly (readonly [Partial<Parameters<typeof registerClient>[0]>, string, RegExp])[] = [
    [{ name: '' }, 'invalid_client_metadata', /^The name must not be empty$/],
    [{ webhookUrl: 'x' }, 'invalid_client_metadata', /^The webhook URL must/],
    [{ redirectUri: '/cb' }, 'invalid_redirect_uri', /^The redirect URI must be an absolute URL/],
    [{ settings: { refreshReuse: 'end-grant' } }, 'invalid_client_metadata', /at least 10 seconds$/],
    [
      { settings: { profile: 'fapi2' } },
      'invalid_client_metadata',
      /^profile "fapi2" requires a public key: register one with jwks or jwks_uri$/,
    ],
    [
      { settings: { profile: 'fapi2', codeLifetime: 61 }, keys: JWKS },
      'invalid_client_metadata',
      /^profile "fapi2" requires code_lifetime/,
    ],
    [
      { settings: { clientAuthentication: 'private_key_jwt' } },
      'invalid_client_metadata',
      /^client_authentication "private_key_jwt" requires a public key/,
    ],
  ];
  for (const [fields, code, message] of refused)
    it(`is refused with ${JSON.stringify(fields)}`, async () => {
      const { server, deps } = await openRegistration();

      await assert.rejects(registerClient({ ...NEW, ...fields }, deps), isRefusal(code, message));

      const ids = (await server.stores.clients.listClients()).map(({ clientId }) => clientId);
      await server.close();
      assert.deepEqual(ids.sort(), ['acme', 'other']);
    });
});

describe('a change of an application', () => {
  it('is saved and returned, but only returned by a dry run', async () => {
    const { server, deps } = await openRegistration();
    const change = (name: string, isDryRun?: boolean) =>
      changeClient({ clientId: 'acme', change: { name }, ...(isDryRun && { isDryRun }) }, deps);
    const storedName = async () => (await server.stores.clients.findClient('acme'))?.name;

    const tried = await change('Tried', true);
    const afterTry = await storedName();
    const changed = await change('Changed');

    assert.deepEqual([tried?.client.name, afterTry], ['Tried', 'acme']);
    assert.deepEqual([changed?.client.name, await storedName()], ['Changed', 'Changed']);
    assert.equal(changed?.clientSecret, undefined);
    await server.close();
  });

  it('needs keys to authenticate by them, which the same change can add and remove', async () => {
    const { server, deps } = await openRegistration();
    const change = (fields: Parameters<typeof changeClient>[0]['change']) =>
      changeClient({ clientId: 'acme', change: fields }, deps);
    const byKeys = { clientAuthentication: 'private_key_jwt' } as const;
    const keyless = isRefusal('invalid_client_metadata', /requires a public key/);

    await assert.rejects(change(byKeys), keyless);
    await assert.rejects(change({ ...byKeys, keys: null }), keyless);
    assert.equal((await change({ ...byKeys, keys: JWKS }))?.client.clientAuthentication, 'private_key_jwt');
    await assert.rejects(change({ keys: null }), keyless);
    assert.equal((await change({ name: 'Renamed' }))?.client.name, 'Renamed');
    const returned = await change({ clientAuthentication: 'secret' });

    await server.close();
    assert.match(returned?.clientSecret ?? '', /^kalends_\w{43}$/);
  });

  it('is refused for invalid values, and returns nothing for an unknown application', async () => {
    const { server, deps } = await openRegistration();
    const refuse = (change: Parameters<typeof changeClient>[0]['change'], message: RegExp) =>
      assert.rejects(
        changeClient({ clientId: 'acme', change }, deps),
        isRefusal('invalid_client_metadata', message),
      );

    await refuse({ name: '' }, /^The name must not be empty$/);
    await refuse({ refreshRotation: 'never' }, /^refresh_rotation "never" requires/);
    assert.equal(await changeClient({ clientId: 'nobody', change: { name: 'x' } }, deps), undefined);
    await server.close();
  });
});

describe('the rotation of a client secret', () => {
  it('returns a new secret and the end of the previous one', async () => {
    const { server, deps } = await openRegistration();

    const rotated = await rotateClientSecret({ clientId: 'acme', overlapMs: 5000 }, deps);

    await server.close();
    assert.match(rotated?.clientSecret ?? '', /^kalends_\w{43}$/);
    assert.equal(rotated?.oldSecretExpiresAt, server.clock.now + 5000);
  });

  it('is refused for an application without secrets, and returns nothing for an unknown one', async () => {
    const { server, deps } = await openRegistration();
    const change = { keys: JWKS, clientAuthentication: 'private_key_jwt' } as const;
    await changeClient({ clientId: 'acme', change }, deps);

    await assert.rejects(
      rotateClientSecret({ clientId: 'acme', overlapMs: 0 }, deps),
      isRefusal('invalid_client_metadata', /^client_authentication is "private_key_jwt", so/),
    );
    assert.equal(await rotateClientSecret({ clientId: 'nobody', overlapMs: 0 }, deps), undefined);
    await server.close();
  });
});
