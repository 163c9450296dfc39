/** Opaque codes at the token endpoint (RFC 6749 §4.1.2, §10.5), on both databases. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, describe, it } from 'node:test';

import { hashOfSecret } from '../../src/lib/sealing.ts';
import { deriveChallenge } from '../../src/oauth/pkce.ts';
import type { Switches } from '../../src/oauth/switches.ts';
import { beginFamily } from '../../src/store/oauth/token-family-store.ts';
import { onEachDatabase } from '../harness/databases.ts';
import {
  approve,
  callProtected,
  exchange,
  type OAuthServer,
  openOAuthServer,
  REDIRECT_URI,
  refresh,
} from './oauth-server.ts';

const DAY_MS = 24 * 3_600_000;
const VERIFIER = 'v'.repeat(43);
const TEN = Array.from({ length: 10 }, (_, i) => i);

type Answer = Awaited<ReturnType<typeof exchange>>;
const errorOf = ({ statusCode, body }: Answer) => {
  const { error, error_description: description } = JSON.parse(body);
  return [statusCode, error, description];
};
const refused = (description: string) => [400, 'invalid_grant', description];
const USED = refused('Authorization code was redeemed already');
const UNKNOWN = refused('Invalid authorization code');

onEachDatabase((database, open) => {
  describe(`opaque codes at /token on ${database}`, () => {
    const cleanups: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0)) await cleanup();
    });

    async function openServer(options: Parameters<typeof openOAuthServer>[1] = {}) {
      const server = await openOAuthServer('HS256', { db: await open(), ...options });
      cleanups.push(() => server.close());
      await change(server, { codeFormat: 'opaque' });
      await change(server, { codeFormat: 'opaque' }, 'other');
      return server;
    }

    it('ten concurrent redemptions of one code succeed once, and the replays end its grant', async () => {
      const replays: string[] = [];
      const { log, events } = collectingLog();
      const server = await openServer({ codeReplayed: () => void replays.push('replayed'), log });
      const code = await approveOpaque(server);

      const answers = await Promise.all(TEN.map(() => exchange(server.app, { code })));

      const [first, ...more] = answers.filter(({ statusCode }) => statusCode === 200);
      assert.deepEqual(more, []);
      for (const answer of answers) if (answer !== first) assert.deepEqual(errorOf(answer), USED);
      await assertEnded(server, first);
      assert.deepEqual(replays, ['replayed']);
      assert.equal(events.filter((event) => event === 'code_replayed').length, 1);
    });

    it('a second redemption within a day ends the grant of the first, refreshed or not, and no other', async () => {
      const server = await openServer();
      const code = await approveOpaque(server);
      const first = await exchange(server.app, { code });
      const other = await exchange(server.app, { code: await approveOpaque(server) });
      server.clock.now += 60_000;
      const refreshed = await refresh(server.app, first.json().refresh_token);

      server.clock.now += DAY_MS - 60_000;
      const second = await exchange(server.app, { code });

      assert.deepEqual(errorOf(second), USED);
      await assertEnded(server, refreshed);
      assert.equal((await refresh(server.app, other.json().refresh_token)).statusCode, 200);
    });

    it('a second redemption after a day is refused and ends nothing', async () => {
      const server = await openServer();
      const code = await approveOpaque(server);
      const first = await exchange(server.app, { code });

      server.clock.now += DAY_MS + 1;
      const late = await exchange(server.app, { code });

      assert.deepEqual(errorOf(late), USED);
      assert.equal((await refresh(server.app, first.json().refresh_token)).statusCode, 200);
    });

    it('another application spends and ends nothing, before and after the redemption', async () => {
      const server = await openServer();
      const code = await approveOpaque(server);
      const foreign = () => exchange(server.app, { client_id: 'other', code });

      const before = await foreign();
      const first = await exchange(server.app, { code });
      const after = await foreign();

      for (const answer of [before, after]) assert.deepEqual(errorOf(answer), refused('Client mismatch'));
      assert.equal((await callProtected(server.app, first.json().access_token)).statusCode, 200);
    });

    it('ten redemptions by another application beside the right one end nothing', async () => {
      const server = await openServer();
      const code = await approveOpaque(server);

      const [first] = await Promise.all([
        exchange(server.app, { code }),
        ...TEN.map(() => exchange(server.app, { client_id: 'other', code })),
      ]);

      assert.equal((await refresh(server.app, first.json().refresh_token)).statusCode, 200);
    });

    it('a wrong verifier or redirect URI spends nothing and ends nothing', async () => {
      const server = await openServer();
      const code = await approveOpaque(server, { codeChallenge: deriveChallenge(VERIFIER) });
      const right = { code, code_verifier: VERIFIER };
      const mistakes: [Record<string, string>, string][] = [
        [{ code_verifier: 'w'.repeat(43) }, 'code_verifier does not match the code_challenge'],
        [{ redirect_uri: `${REDIRECT_URI}/` }, 'Redirect URI mismatch'],
      ];
      const tryMistakes = async () => {
        for (const [mistake, description] of mistakes)
          assert.deepEqual(
            errorOf(await exchange(server.app, { ...right, ...mistake })),
            refused(description),
          );
        assert.equal((await exchange(server.app, { code })).statusCode, 400);
      };

      await tryMistakes();
      const first = await exchange(server.app, right);
      await tryMistakes();

      assert.equal((await callProtected(server.app, first.json().access_token)).statusCode, 200);
      assert.deepEqual(errorOf(await exchange(server.app, right)), USED);
      await assertEnded(server, first);
    });

    it('an expired code is refused as expired, and a withdrawn one as an expired session', async () => {
      const server = await openServer();
      await change(server, { codeLifetime: 10 });
      const [early, late, withdrawn] = await Promise.all([1, 2, 3].map(() => approveOpaque(server)));

      server.clock.now += 10_000;
      assert.equal((await exchange(server.app, { code: early ?? '' })).statusCode, 200);
      await server.stores.families.endGrantsOf('acme', 'ada', { now: server.clock.now, by: undefined });
      const ended = await exchange(server.app, { code: withdrawn ?? '' });
      server.clock.now += 1;

      assert.equal(ended.json().error, 'session_expired');
      const answer = await exchange(server.app, { code: late ?? '' });
      assert.deepEqual(errorOf(answer), refused('Authorization code expired'));
    });

    it('the user’s id is no code, whether its approval came before the switch or after', async () => {
      const server = await openServer();
      await change(server, { codeFormat: 'user-id' });
      await approve(server);
      await change(server, { codeFormat: 'opaque' });

      assert.deepEqual(errorOf(await exchange(server.app, { code: 'ada' })), UNKNOWN);
      await approveOpaque(server);
      assert.deepEqual(errorOf(await exchange(server.app, { code: 'ada' })), UNKNOWN);
    });

    it('after the switch back neither an opaque code nor the id of its user is redeemed', async () => {
      const server = await openServer();
      const code = await approveOpaque(server);
      await change(server, { codeFormat: 'user-id' });

      for (const sent of [code, 'ada', hashOfSecret(code)])
        assert.deepEqual(errorOf(await exchange(server.app, { code: sent })), UNKNOWN);
      assert.deepEqual(errorOf(await exchange(server.app, { client_id: 'other', code: 'ada' })), UNKNOWN);
    });

    it('a second redemption of a user id is refused and ends nothing', async () => {
      const server = await openServer();
      await change(server, { codeFormat: 'user-id' });
      await approve(server);
      const first = await exchange(server.app, { code: 'ada' });

      assert.deepEqual(errorOf(await exchange(server.app, { code: 'ada' })), UNKNOWN);
      assert.equal((await callProtected(server.app, first.json().access_token)).statusCode, 200);
    });

    it('codes of parallel approvals of one user are redeemed in any order', async () => {
      const server = await openServer();
      const codes = await Promise.all(TEN.map(() => approveOpaque(server)));

      const answers = await Promise.all(codes.toReversed().map((code) => exchange(server.app, { code })));

      for (const answer of answers)
        assert.equal((await callProtected(server.app, answer.json().access_token)).statusCode, 200);
    });

    it('hostile codes are unknown', async () => {
      const server = await openServer();
      await approveOpaque(server);

      for (const code of ['\0', "' OR 1=1 --", 'x'.repeat(8_000), '%00', 'null', '{}'])
        assert.deepEqual(errorOf(await exchange(server.app, { code })), UNKNOWN);
    });

    it('no line of the log has a code or its hash', async () => {
      const { log, lines } = collectingLog();
      const server = await openServer({ log });
      const code = await approveOpaque(server);

      for (const clientId of ['other', 'acme', 'acme'])
        await exchange(server.app, { code, client_id: clientId });

      assert.ok(lines.length >= 3);
      for (const line of lines)
        for (const secret of [code, hashOfSecret(code)]) assert.ok(!line.includes(secret), line);
    });
  });
});

const change = ({ stores, clock }: OAuthServer, switches: Partial<Switches>, clientId = 'acme') =>
  stores.clients.updateClient(clientId, switches, { now: clock.now, by: undefined });

/** Writes the record that an approval makes, and returns its code. */
async function approveOpaque(
  { db, clock, stores }: OAuthServer,
  { codeChallenge = null }: { readonly codeChallenge?: string | null } = {},
): Promise<string> {
  const code = randomBytes(32).toString('base64url');
  await stores.users.loadOrCreateUser('acme', 'ada', clock.now);
  const owner = { clientId: 'acme', userId: 'ada', scope: 'read', redirectUri: REDIRECT_URI } as const;
  const family = { ...owner, codeChallenge, finishes: 0, codeHash: hashOfSecret(code) };
  await db.transaction((tx) => beginFamily(tx, family, clock.now));
  return code;
}

/** Asserts that the tokens of a response work no more. */
async function assertEnded({ app }: OAuthServer, answer: Answer | undefined): Promise<void> {
  const { access_token: accessToken, refresh_token: refreshToken } = answer?.json() ?? {};
  assert.equal((await callProtected(app, accessToken)).statusCode, 401);
  assert.equal((await refresh(app, refreshToken)).json().error, 'invalid_grant');
}

function collectingLog() {
  const lines: string[] = [];
  const events: string[] = [];
  const write = (fields: { readonly event?: string }, message: string) => {
    lines.push(JSON.stringify([fields, message]));
    events.push(fields.event ?? '');
  };
  return { lines, events, log: { debug: write, info: write, warn: write, error: write } };
}
