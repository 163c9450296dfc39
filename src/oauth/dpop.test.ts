import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type DpopKey, dpopKey } from '../../test/harness/dpop-key.ts';
import { ApiError } from '../http/refusal.ts';
import { type Client, DEFAULT_SETTINGS } from './client.ts';
import {
  type AccessRequest,
  bindRequest,
  bindTokens,
  isThumbprint,
  openDpop,
  type SenderConstraint,
  type TokenProof,
  useProof,
} from './dpop.ts';

const client = (change: Partial<Client>): Client => ({
  ...DEFAULT_SETTINGS,
  ...{ clientId: 'app', name: 'app', displayName: undefined, redirectUri: 'https://app.example/cb' },
  ...{ webhookUrl: undefined, createdAt: 0, senderConstraint: 'required' },
  ...change,
});
const PUBLIC = client({ clientAuthentication: 'none' });
const CONFIDENTIAL = client({ clientAuthentication: 'private_key_jwt' });

/** Returns a proof of a key that counts its uses. */
function proofOf(jkt: string): TokenProof & { readonly uses: () => number } {
  let uses = 0;
  return {
    jkt,
    nextNonce: undefined,
    uses: () => uses,
    use: async () => {
      uses += 1;
    },
  };
}

describe('the proof of a public application', () => {
  it('must be of the key of the refresh token, which a confidential application may change', () => {
    const proof = proofOf('new');

    assert.throws(() => bindTokens({ client: PUBLIC, proof, boundTo: 'old' }), { code: 'invalid_grant' });
    assert.equal(bindTokens({ client: PUBLIC, proof, boundTo: 'new' }), 'new');
    assert.equal(bindTokens({ client: CONFIDENTIAL, proof, boundTo: 'old' }), 'new');
  });

  it('is stored only if the code or token is found, that of a confidential application in any case', async () => {
    const stored = [];
    for (const application of [PUBLIC, CONFIDENTIAL]) {
      for (const isFound of [false, true]) {
        const proof = proofOf('key');
        await useProof({ client: application, proof }, async () => isFound);
        stored.push(proof.uses());
      }
    }

    assert.deepEqual(stored, [0, 1, 1, 1]);
  });

  it('binds a pushed request and is not stored there', async () => {
    const proof = proofOf('key');

    assert.equal(await bindRequest({ client: PUBLIC, proof }, undefined), 'key');
    assert.equal(proof.uses(), 0);
  });
});

describe('the binding of tokens', () => {
  const proof = proofOf('key');
  const OFF = client({ senderConstraint: 'off' });
  const ACCEPTED = client({ senderConstraint: 'accepted' });
  const bindings: readonly (readonly [string, Parameters<typeof bindTokens>[0], string | undefined])[] = [
    ['none without a sender constraint', { client: OFF, proof, boundTo: 'old' }, undefined],
    ['none without a proof if one is optional', { client: ACCEPTED }, undefined],
    ['the key of an optional proof', { client: ACCEPTED, proof }, 'key'],
    ['the key of a required proof', { client: CONFIDENTIAL, proof }, 'key'],
    ['the key of a public application that bound nothing before', { client: PUBLIC, proof }, 'key'],
  ];
  for (const [name, binding, jkt] of bindings) it(`is ${name}`, () => assert.equal(bindTokens(binding), jkt));

  const unproven: Readonly<Record<string, Parameters<typeof bindTokens>[0]>> = {
    'if the application requires one': { client: CONFIDENTIAL },
    'if a public application requires one': { client: PUBLIC },
    'if the refresh token is bound': { client: ACCEPTED, boundTo: 'old' },
  };
  for (const [name, binding] of Object.entries(unproven))
    it(`needs a proof ${name}`, () =>
      assert.throws(() => bindTokens(binding), { code: 'invalid_dpop_proof', status: 400 }));
});

describe('the binding of a pushed request', () => {
  const [jkt, other] = ['j'.repeat(43), 'k'.repeat(43)];

  it('is the requested key or that of the proof, which is used', async () => {
    const proof = proofOf(jkt);
    const bind = (requested: string | undefined, sent?: TokenProof) =>
      bindRequest({ client: CONFIDENTIAL, proof: sent }, requested);

    assert.equal(await bind(undefined), undefined);
    assert.equal(await bind(jkt), jkt);
    assert.equal(proof.uses(), 0);
    assert.equal(await bind(undefined, proof), jkt);
    assert.equal(await bind(jkt, proof), jkt);
    assert.equal(proof.uses(), 2);
    const off = { client: client({ senderConstraint: 'off' }), proof };
    assert.equal(await bindRequest(off, 'no thumbprint'), undefined);
  });

  it('is refused for another key and for what is no thumbprint', async () => {
    const proof = proofOf(jkt);
    const bind = (requested: string) => bindRequest({ client: CONFIDENTIAL, proof }, requested);

    await assert.rejects(bind(other), { code: 'invalid_dpop_proof', message: /another key than dpop_jkt$/ });
    await assert.rejects(bind('short'), { code: 'invalid_request' });
    assert.equal(proof.uses(), 0);
    assert.deepEqual(
      [isThumbprint(jkt), isThumbprint(`${jkt}j`), isThumbprint('j'.repeat(42))],
      [true, false, false],
    );
  });
});

describe('the proofs of an instance', () => {
  const ORIGIN = 'https://kalends.example';
  const PERIOD = 5 * 60_000;
  const TOKEN = 'an-access-token';
  let key: DpopKey;
  before(async () => {
    key = await dpopKey();
  });

  /** An instance with these sender constraints, whose clock starts with a period of nonces. */
  function open(rows: readonly SenderConstraint[] = []) {
    const state = { now: Math.ceil(Date.UTC(2026, 10, 1) / PERIOD) * PERIOD, isNew: true, reads: 0 };
    const used: number[] = [];
    const constraints = { rows, failure: undefined as Error | undefined };
    const dpop = openDpop({
      usedJtis: {
        use: async (_id, until) => {
          used.push(until);
          return state.isNew;
        },
      },
      senderConstraints: {
        async listSenderConstraints() {
          state.reads += 1;
          if (constraints.failure !== undefined) throw constraints.failure;
          return constraints.rows;
        },
      },
      nonceKey: Buffer.alloc(32, 1),
      isPublicOrigin: ({ origin }) => origin === ORIGIN,
      now: () => state.now,
    });
    return { dpop, state, used, constraints };
  }
  type Opened = ReturnType<typeof open>;

  const tokenProof = async ({ dpop, state }: Opened, change: Partial<Client>, claims: object = {}) => {
    const proof = await key.prove({
      method: 'POST',
      url: `${ORIGIN}/token`,
      now: state.now,
      claims: { ...claims },
    });
    return dpop.readTokenProof(
      { method: 'POST', url: '/token?a=1', headers: { dpop: proof } },
      client(change),
    );
  };
  const nonceOf = (reason: unknown): string | undefined =>
    reason !== null && typeof reason === 'object' && 'headers' in reason
      ? (reason.headers as Record<string, string>)['dpop-nonce'] // the headers of an error
      : undefined;

  it('are used for 90 seconds at the token endpoint, and refused if they were used', async () => {
    const opened = open();

    const proof = await tokenProof(opened, {});
    await proof?.use();
    opened.state.isNew = false;

    assert.deepEqual([proof?.jkt, proof?.nextNonce], [key.jkt, undefined]);
    assert.deepEqual(opened.used, [opened.state.now + 90_000]);
    assert.ok(proof);
    await assert.rejects(proof.use(), { code: 'invalid_dpop_proof', message: /was used before$/ });
  });

  it('are not read without a sender constraint', async () => {
    const sent = { method: 'POST', url: '/token', headers: { dpop: 'no proof' } };
    const { dpop } = open();

    assert.equal(await dpop.readTokenProof(sent, client({ senderConstraint: 'off' })), undefined);
    assert.equal(await dpop.readTokenProof({ ...sent, headers: {} }, client({})), undefined);
    await assert.rejects(dpop.readTokenProof(sent, client({})), { code: 'invalid_dpop_proof', status: 400 });
  });

  it('are for the public URL, without user name and password', async () => {
    for (const htu of [
      `${ORIGIN}/tokens`,
      'https://other.example/token',
      'https://ada@kalends.example/token',
      'https://:secret@kalends.example/token',
    ])
      await assert.rejects(
        tokenProof(open(), {}, { htu }),
        { code: 'invalid_dpop_proof', message: /htu/ },
        htu,
      );
    assert.ok(await tokenProof(open(), {}, { htu: `${ORIGIN}/token?b=2#c` }));
  });

  it('need the nonce of this period or the one before, which returns the next', async () => {
    const opened = open();
    const on = { dpopNonce: 'on' } as const;
    const first = await tokenProof(opened, on).catch((reason: unknown) => {
      assert.equal((reason as { code?: string }).code, 'use_dpop_nonce');
      return nonceOf(reason);
    });
    const nextNonce = async () => (await tokenProof(opened, on, { nonce: first }))?.nextNonce;
    assert.match(String(first), /^[\w-]{43}$/);

    assert.equal(await nextNonce(), undefined);
    opened.state.now += PERIOD - 1;
    assert.equal(await nextNonce(), undefined);
    opened.state.now += 1;
    const next = await nextNonce();
    assert.ok(next);
    assert.notEqual(next, first);
    opened.state.now += PERIOD - 1;
    assert.equal(await nextNonce(), next);
    opened.state.now += 1;
    await assert.rejects(nextNonce(), { code: 'use_dpop_nonce', status: 400 });
  });

  const REQUIRED: SenderConstraint = { clientId: 'app', senderConstraint: 'required', dpopNonce: 'on' };
  type Access = { scheme?: string; jkt?: string; proof?: string | string[] };
  const access = async ({ dpop }: Opened, { scheme = 'DPoP', jkt, proof }: Access) => {
    const request: AccessRequest = { method: 'GET', url: '/events', headers: { dpop: proof } };
    const claims = { clientId: 'app', userId: 'ada', jkt };
    const check = async () => dpop.checkAccess(request, { scheme, text: TOKEN, claims });
    const error = await check().catch((reason: unknown) => reason);
    assert.ok(error === undefined || error instanceof ApiError);
    const { status = 200, headers, body, message: text = '' } = error ?? {};
    return { request, code: body?.code, status, headers, text };
  };
  const prove = ({ state }: Opened, nonce?: string, accessToken = TOKEN) =>
    key.prove({ method: 'GET', url: `${ORIGIN}/events`, now: state.now, accessToken, claims: { nonce } });

  it('are needed at resources for bound tokens, and by applications that require them', async () => {
    const [free, required] = [open(), open([{ ...REQUIRED, dpopNonce: 'off' }])];
    const codes = async (opened: Opened, sent: Access) => {
      const { code, status, request } = await access(opened, sent);
      assert.deepEqual(
        request.asker?.isRefused,
        code === undefined && sent.jkt === undefined ? undefined : true,
      );
      return [status, code];
    };

    assert.deepEqual(await codes(free, { scheme: 'Bearer' }), [200, undefined]);
    assert.deepEqual(await codes(free, { scheme: 'dpop' }), [401, 'missing_token']);
    assert.deepEqual(await codes(free, { scheme: 'Bearer', jkt: key.jkt }), [401, 'invalid_token']);
    assert.deepEqual(await codes(free, { jkt: key.jkt }), [401, 'invalid_dpop_proof']);
    const proof = await prove(free);
    assert.deepEqual(await codes(free, { scheme: 'dPoP', jkt: key.jkt, proof }), [200, undefined]);
    assert.deepEqual(await codes(free, { jkt: key.jkt, proof }), [401, 'invalid_dpop_proof']);
    assert.deepEqual(await codes(free, { jkt: key.jkt, proof: [proof, proof] }), [400, 'invalid_dpop_proof']);
    assert.deepEqual(await codes(free, { jkt: 'other', proof }), [401, 'invalid_token']);
    assert.deepEqual(await codes(required, { scheme: 'Bearer' }), [401, 'invalid_token']);
    assert.deepEqual(await codes(required, { scheme: 'DPoP' }), [401, 'invalid_token']);
  });

  it('of a request at a resource are checked once, and remembered while they are valid', async () => {
    const opened = open();
    const proof = await prove(opened);
    const { request } = await access(opened, { jkt: key.jkt, proof });
    const claims = { clientId: 'app', userId: 'ada', jkt: key.jkt };

    await opened.dpop.checkAccess(request, { scheme: 'DPoP', text: TOKEN, claims });
    opened.state.now += 59_999;
    const again = await access(opened, { jkt: key.jkt, proof });

    assert.match(again.text, /was used before$/);
  });

  it('need the nonce at resources too if the application requires it', async () => {
    const opened = open([REQUIRED]);

    const refused = await access(opened, { jkt: key.jkt, proof: await prove(opened) });
    const nonce = refused.headers?.['dpop-nonce'];
    const accepted = await access(opened, { jkt: key.jkt, proof: await prove(opened, nonce) });

    assert.deepEqual([refused.status, refused.code], [401, 'use_dpop_nonce']);
    assert.equal(
      refused.headers?.['www-authenticate'],
      'DPoP error="use_dpop_nonce", error_description="The DPoP proof needs the nonce of the header DPoP-Nonce", algs="ES256 PS256 Ed25519 EdDSA"',
    );
    assert.equal(accepted.code, undefined);
  });

  it('follow the constraints of applications, which are read again after 5 seconds and after a failure', async () => {
    const opened = open();
    const { state, constraints } = opened;
    const status = async () => (await access(opened, { scheme: 'Bearer' })).status;
    await Promise.all([status(), status()]);
    assert.equal(state.reads, 1);

    constraints.rows = [REQUIRED];
    state.now += 4999;
    assert.deepEqual([await status(), state.reads], [200, 1]);
    state.now += 1;
    constraints.failure = new Error('no database');
    const claims = { clientId: 'app', userId: 'ada' };
    const request = { method: 'GET', url: '/events', headers: {} };
    await assert.rejects(async () =>
      opened.dpop.checkAccess(request, { scheme: 'Bearer', text: TOKEN, claims }),
    );
    constraints.failure = undefined;
    assert.deepEqual([await status(), state.reads], [401, 3]);
    state.now -= 5000;
    assert.deepEqual([await status(), state.reads], [401, 4]);
  });

  it('have the challenge of their scheme if the token is not a living one', () => {
    const { dpop } = open();
    const challenge = (scheme: string, isRefreshToken: boolean) =>
      dpop.refuseToken({ scheme, isRefreshToken }).headers['www-authenticate'];

    assert.match(String(challenge('dpop', false)), /^DPoP error="invalid_token", .*algs="ES256 /);
    assert.match(
      String(challenge('Bearer', false)),
      /^Bearer error="invalid_token", error_description="(?!This is)/,
    );
    assert.match(String(challenge('Bearer', true)), /error_description="This is a refresh token/);
  });
});
