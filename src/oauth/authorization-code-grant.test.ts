import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  approve,
  exchange,
  type OAuthServer,
  openOAuthServer,
  REDIRECT_URI,
} from '../../test/oauth/oauth-server.ts';
import { recordingLog } from '../../test/servers/recording-log.ts';
import { beginFamily } from '../store/oauth/token-family-store.ts';
import { deriveChallenge } from './pkce.ts';

const [FIRST, SECOND, OTHER] = ['a'.repeat(43), 'b'.repeat(43), 'c'.repeat(43)] as const;

/** Adds an approval of Ada with a challenge beside that of `approve`. */
const approveBeside = ({ db, clock }: OAuthServer, verifier: string) => {
  const code = {
    clientId: 'acme',
    userId: 'ada',
    scope: 'read',
    codeChallenge: deriveChallenge(verifier),
  } as const;
  return db.transaction((tx) =>
    beginFamily(tx, { ...code, redirectUri: REDIRECT_URI, finishes: 0 }, clock.now),
  );
};

describe('a refused code', () => {
  const reasons: readonly (readonly [string, Readonly<Record<string, string>>, string, string])[] = [
    [
      'for the approval with its challenge, which was withdrawn',
      { code_verifier: FIRST },
      'session_expired',
      'OAuth session expired: no account is connected any more',
    ],
    [
      ...(['for the approval with its challenge, which has another redirect URI'] as const),
      ...([{ code_verifier: SECOND, redirect_uri: 'https://x.example/' }] as const),
      ...(['invalid_grant', 'Redirect URI mismatch'] as const),
    ],
    [
      'if no application knows it',
      { code: 'ben', code_verifier: OTHER },
      'invalid_grant',
      'Invalid authorization code',
    ],
  ];
  for (const [name, form, error, description] of reasons)
    it(`has the reason ${name}, which is logged`, async (t) => {
      const { log, entries } = recordingLog();
      const server = await openOAuthServer('HS256', { log });
      t.after(() => server.close());
      await approve(server, { codeChallenge: deriveChallenge(FIRST), withdrawnAt: server.clock.now });
      await approveBeside(server, SECOND);

      const answer = (await exchange(server.app, form)).json();

      assert.deepEqual([answer.error, answer.error_description], [error, description]);
      assert.deepEqual(
        entries.filter(({ level }) => level === 'warn').map(({ fields }) => fields),
        [{ event: 'code_refused', clientId: 'acme', reason: description }],
      );
      assert.equal((await exchange(server.app, { code_verifier: SECOND })).statusCode, 200);
    });

  it('has the reason of the latest approval if none has its challenge', async (t) => {
    const server = await openOAuthServer();
    t.after(() => server.close());
    await approve(server, { codeChallenge: deriveChallenge(FIRST) });

    const { error_description: description } = (await exchange(server.app, { code_verifier: OTHER })).json();

    assert.equal(description, 'code_verifier does not match the code_challenge');
  });
});
