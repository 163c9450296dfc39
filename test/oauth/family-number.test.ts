import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { authorizationCodeGrant } from '../../src/oauth/authorization-code-grant.ts';
import type { AuthorizationCodeStore } from '../../src/oauth/authorization-code-store.ts';
import type { TokenSigner } from '../../src/oauth/token-signer.ts';
import { authorizationCodeStore } from '../../src/store/authorization-code-store.ts';
import { makeCode, makeUsers, NOW } from '../contract/calendar-rows.ts';
import { makeFamily, rowsIn } from '../contract/grant-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

onEachDatabase((name, open) => {
  describe(`A code exchange on ${name}`, () => {
    it('draws another number when the one it drew is that of a living grant', async () => {
      const db = await open();
      await makeUsers(db);
      await makeCode(db, 'ada');
      const taken = await makeFamily(db, { clientId: 'acme', userId: 'ben' });
      const store = authorizationCodeStore(db);
      let draws = 0;
      // Two processes can draw one number in one microsecond: the first draw is made to meet it.
      const codes: AuthorizationCodeStore = {
        ...store,
        redeemCode: (code, first, now) => store.redeemCode(code, draws++ === 0 ? taken.first : first, now),
      };
      const signed: number[] = [];

      await authorizationCodeGrant(
        {
          client: {
            clientId: 'acme',
            name: 'Acme',
            displayName: undefined,
            redirectUri: 'https://acme.example/cb',
            webhookUrl: undefined,
            createdAt: NOW,
          },
          code: 'ada',
          redirectUri: 'https://acme.example/cb',
          codeVerifier: undefined,
        },
        { codes, signer: signerInto(signed), log: quiet, now: () => NOW },
      );

      assert.equal(draws, 2);
      assert.equal(await rowsIn(db, 'token_family'), 2);
      assert.ok(signed.length === 1 && signed[0] !== taken.grant.familyId);
    });
  });
});

/** Notes the families it is asked to sign for. */
function signerInto(families: number[]): TokenSigner {
  return {
    signTokenResponse({ familyId }) {
      families.push(familyId);
      return { access_token: 'a', token_type: 'Bearer', expires_in: 3600, refresh_token: 'r' };
    },
    readAccessToken: async () => undefined,
    readRefreshToken: async () => undefined,
    readAnyToken: async () => undefined,
  };
}
