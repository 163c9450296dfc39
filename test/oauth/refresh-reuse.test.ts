/** Lifetimes, reuse and rotation of refresh tokens as an application switches them (docs/departures.md), on both databases. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import { decodeJwt } from 'jose';

import type { ClientChange } from '../../src/oauth/client.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { rounds } from '../harness/rounds.ts';
import { callProtected, openOAuthServer, refresh, tokenPair } from './oauth-server.ts';

const WINDOW = 60;
const WINDOW_MS = WINDOW * 1000;
const HOUR = 3_600;
const TEN = Array.from({ length: 10 }, (_, i) => i);
const END_GRANT = { refreshReuse: 'end-grant', refreshReplayWindow: WINDOW } as const;
const NEVER = { refreshRotation: 'never' } as const;

onEachDatabase((database, open) => {
  describe(`the use of refresh tokens on ${database}`, () => {
    const cleanups: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0)) await cleanup();
    });

    type Server = Awaited<ReturnType<typeof openServer>>;

    /** A server whose application `acme` has these switches. */
    async function openServer(change: ClientChange) {
      const lines: string[] = [];
      const write = (...line: unknown[]) => void lines.push(JSON.stringify(line));
      const log = { debug: write, info: write, warn: write, error: write };
      const server = await openOAuthServer('HS256', { db: await open(), log });
      cleanups.push(() => server.close());
      const set = (next: ClientChange) =>
        server.stores.clients.updateClient('acme', next, { now: server.clock.now, by: undefined });
      await set(change);
      const logged = (event: string) => lines.filter((line) => line.includes(`"${event}"`));
      return { ...server, set, lines, logged };
    }

    /** A spent refresh token, and the tokens that replaced it. */
    async function spend(server: Server, userId = 'ada') {
      const { accessToken, refreshToken: spent } = await tokenPair(server, { userId });
      const answer = await refresh(server.app, spent);
      assert.equal(answer.statusCode, 200, answer.body);
      return { accessToken, spent, successor: String(answer.json().refresh_token) };
    }

    const revoke = (server: Server, token: string) =>
      server.app.inject({ method: 'POST', url: '/revoke', payload: { token } });

    async function assertRefused(
      answer: ReturnType<typeof refresh>,
      description = 'Invalid refresh token',
    ): Promise<void> {
      const { statusCode, body } = await answer;
      const { error, error_description } = JSON.parse(body);
      assert.deepEqual([statusCode, error, error_description], [400, 'invalid_grant', description]);
    }

    async function renewed(answer: ReturnType<typeof refresh>): Promise<string> {
      const { statusCode, body } = await answer;
      assert.equal(statusCode, 200, body);
      return JSON.parse(body).refresh_token;
    }

    it('an idle lifetime ends a refresh token that long after the last refresh', async () => {
      const server = await openServer({ refreshIdleLifetime: HOUR });
      let { refreshToken } = await tokenPair(server);
      for (let use = 0; use < 3; use += 1) {
        server.clock.now += HOUR * 1000 - 1;
        refreshToken = await renewed(refresh(server.app, refreshToken));
      }

      server.clock.now += HOUR * 1000;

      await assertRefused(refresh(server.app, refreshToken), 'Refresh token expired');
      assert.deepEqual(server.logged('refresh_refused'), []);
    });

    it('a lifetime ends the refresh tokens of a grant, however often they are used', async () => {
      const server = await openServer({ refreshLifetime: HOUR });
      let { refreshToken } = await tokenPair(server);
      server.clock.now += HOUR * 1000 - 1;
      refreshToken = await renewed(refresh(server.app, refreshToken));

      server.clock.now += 1;

      await assertRefused(refresh(server.app, refreshToken), 'Refresh token expired');
    });

    it('lifetimes count for living grants from the stored times, and grants survive them', async () => {
      const server = await openServer({});
      const { refreshToken } = await tokenPair(server);
      server.clock.now += HOUR * 1000;
      await server.set({ refreshIdleLifetime: HOUR });
      await assertRefused(refresh(server.app, refreshToken), 'Refresh token expired');

      await server.set({ refreshIdleLifetime: 0 });

      await renewed(refresh(server.app, refreshToken));
    });

    it('a lifetime that ends within the replay window ends the replay', async () => {
      const server = await openServer({ refreshLifetime: HOUR, ...END_GRANT });
      const { refreshToken: spent } = await tokenPair(server);
      server.clock.now += HOUR * 1000 - 5_000;
      const successor = await renewed(refresh(server.app, spent));
      server.clock.now += 4_999;
      assert.equal(await renewed(refresh(server.app, spent)), successor);

      server.clock.now += 1;

      await assertRefused(refresh(server.app, spent), 'Refresh token expired');
      server.clock.now += WINDOW_MS;
      await assertRefused(refresh(server.app, spent), 'Refresh token expired');
      assert.deepEqual(server.logged('refresh_reused'), []);
    });

    it('with reuse end-grant a spent token within the window returns its successor, and one after it ends the grant', async () => {
      const server = await openServer(END_GRANT);
      const { accessToken, spent, successor } = await spend(server);
      const other = await tokenPair(server);
      server.clock.now += WINDOW_MS;
      assert.equal(await renewed(refresh(server.app, spent)), successor);

      server.clock.now += 1;
      await assertRefused(refresh(server.app, spent));

      await assertRefused(refresh(server.app, successor));
      assert.equal((await callProtected(server.app, accessToken)).statusCode, 401);
      // The grant of another authorization of the user lives.
      await renewed(refresh(server.app, other.refreshToken));
    });

    it('with reuse refuse a spent token after the window ends nothing', async () => {
      const server = await openServer({ refreshReplayWindow: WINDOW });
      const { spent, successor } = await spend(server);
      server.clock.now += WINDOW_MS + 1;

      await assertRefused(refresh(server.app, spent));

      await renewed(refresh(server.app, successor));
    });

    it('the end of a grant by a spent token is logged once, with the user’s reference and without a token', async () => {
      const server = await openServer(END_GRANT);
      const { spent, successor } = await spend(server);
      server.clock.now += WINDOW_MS + 1;

      await Promise.all(TEN.map(() => assertRefused(refresh(server.app, spent))));

      const [line = '', ...more] = server.logged('refresh_reused');
      assert.deepEqual(more, []);
      assert.match(line, /"clientId":"acme","user":"user_[\w-]{16}"/);
      assert.doesNotMatch(line, /"ada"/);
      for (const token of [spent, successor])
        for (const secret of [token, String(decodeJwt(token).jti)])
          assert.ok(!server.lines.some((one) => one.includes(secret)));
    });

    it('a token whose successor was used is refused within the window of the last refresh, and ends the grant after it', async () => {
      const server = await openServer(END_GRANT);
      const { spent, successor } = await spend(server);
      const current = await renewed(refresh(server.app, successor));

      server.clock.now += WINDOW_MS;
      await assertRefused(refresh(server.app, spent));
      assert.deepEqual(server.logged('refresh_reused'), []);
      server.clock.now += 1;
      await assertRefused(refresh(server.app, spent));

      await assertRefused(refresh(server.app, current));
    });

    it('another application ends no grant with a spent token', async () => {
      const server = await openServer(END_GRANT);
      const { spent, successor } = await spend(server);
      await server.stores.clients.updateClient('other', END_GRANT, { now: server.clock.now, by: undefined });
      server.clock.now += WINDOW_MS + 1;

      await assertRefused(refresh(server.app, spent, { client_id: 'other' }), 'Client mismatch');

      await renewed(refresh(server.app, successor));
    });

    it('a spent token beside its successor, after the window, ends the grant or is late, never both', async () => {
      const server = await openServer(END_GRANT);
      for (let round = 0; round < rounds(20); round += 1) {
        const { spent, successor } = await spend(server, `user ${round}`);
        server.clock.now += WINDOW_MS + 1;

        const calls = TEN.map((i) => refresh(server.app, (i + round) % 2 === 0 ? spent : successor));
        const answers = await Promise.all(calls);

        const successes = answers.filter(({ statusCode }) => statusCode === 200);
        const tokens = new Set(successes.map((answer) => String(answer.json().refresh_token)));
        const [next, ...others] = tokens;
        assert.deepEqual(others, []);
        const ended = server.logged('refresh_reused').length;
        server.lines.length = 0;
        assert.equal(ended + tokens.size, 1, `${ended} ended, ${tokens.size} refreshed`);
        if (next === undefined) await assertRefused(refresh(server.app, successor));
        else await renewed(refresh(server.app, next));
      }
    });

    it('of a spent token beside /revoke no token lives, and the grant ends once', async () => {
      const server = await openServer(END_GRANT);
      for (let round = 0; round < rounds(20); round += 1) {
        const { accessToken, spent, successor } = await spend(server, `user ${round}`);
        server.clock.now += WINDOW_MS + 1;

        await Promise.all(
          TEN.map((i) => ((i + round) % 2 === 0 ? refresh(server.app, spent) : revoke(server, successor))),
        );

        await assertRefused(refresh(server.app, successor));
        assert.equal((await callProtected(server.app, accessToken)).statusCode, 401);
        const revoked = server.logged('grants_revoked').filter((line) => line.includes('"grants":1'));
        assert.equal(server.logged('refresh_reused').length + revoked.length, 1);
        server.lines.length = 0;
      }
    });

    it('with rotation never ten parallel refreshes all return the presented refresh token', async () => {
      const server = await openServer(NEVER);
      const { refreshToken } = await tokenPair(server);

      const answers = await Promise.all(TEN.map(() => refresh(server.app, refreshToken)));

      assert.deepEqual(
        answers.map((answer) => [answer.statusCode, answer.json().refresh_token]),
        TEN.map(() => [200, refreshToken]),
      );
      const access = new Set(answers.map((answer) => String(answer.json().access_token)));
      assert.equal(access.size, 10);
      for (const token of access) assert.equal((await callProtected(server.app, token)).statusCode, 200);
    });

    it('with rotation never a use is noted only for an idle lifetime, at most once a minute', async () => {
      const server = await openServer(NEVER);
      const { refreshToken } = await tokenPair(server);
      const begun = server.clock.now;
      const noted = async () => {
        const [grant] = await server.stores.users.livingGrantsOf('acme', 'ada');
        return (grant?.refreshedAt ?? 0) - begun;
      };
      const use = async (afterMs: number) => {
        server.clock.now = begun + afterMs;
        await renewed(refresh(server.app, refreshToken));
        return noted();
      };

      assert.equal(await use(120_000), 0);
      await server.set({ refreshIdleLifetime: HOUR });
      assert.equal(await use(60_000), 0);
      assert.equal(await use(60_001), 60_001);
      assert.equal(await use(120_000), 60_001);
      server.clock.now = begun + 60_001 + HOUR * 1000;
      await assertRefused(refresh(server.app, refreshToken), 'Refresh token expired');
    });

    it('with rotation never a refresh token ends by its lifetime and by /revoke', async () => {
      const server = await openServer({ ...NEVER, refreshLifetime: HOUR });
      const [ada, ben] = [await tokenPair(server), await tokenPair(server, { userId: 'ben' })];
      await revoke(server, ben.accessToken);
      await assertRefused(refresh(server.app, ben.refreshToken));
      assert.equal(await renewed(refresh(server.app, ada.refreshToken)), ada.refreshToken);

      server.clock.now += HOUR * 1000;

      await assertRefused(refresh(server.app, ada.refreshToken), 'Refresh token expired');
    });

    it('after a change to rotation never a token that was spent before is refused, or ends the grant', async () => {
      const server = await openServer({});
      const { spent, successor } = await spend(server);
      server.clock.now += 1;
      await server.set(NEVER);
      await assertRefused(refresh(server.app, spent));
      assert.equal(await renewed(refresh(server.app, successor)), successor);

      await server.set({ refreshReuse: 'end-grant' });
      await assertRefused(refresh(server.app, spent));

      await assertRefused(refresh(server.app, successor));
      assert.equal(server.logged('refresh_reused').length, 1);
    });

    it('after a change back to rotation always the next refresh rotates', async () => {
      const server = await openServer(NEVER);
      const { refreshToken } = await tokenPair(server);
      await renewed(refresh(server.app, refreshToken));
      await server.set({ refreshRotation: 'always' });

      assert.notEqual(await renewed(refresh(server.app, refreshToken)), refreshToken);

      await assertRefused(refresh(server.app, refreshToken));
    });
  });
});
