import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, DEFAULT_SETTINGS } from './client.ts';
import { bindRequest, bindTokens, type TokenProof, useProof } from './dpop.ts';

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
