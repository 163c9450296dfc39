/** The refresh replay window of an application (docs/departures.md#refresh-replay-window), on both databases. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { decodeJwt, decodeProtectedHeader } from 'jose';

import { createKeyring } from '../../src/lib/sealing.ts';
import type { Stores } from '../../src/store/open-stores.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { callProtected, openOAuthServer, refresh, tokenPair } from './oauth-server.ts';

const WINDOW = 60;
const WINDOW_MS = WINDOW * 1000;
const TEN = Array.from({ length: 10 }, (_, i) => i);

type Options = NonNullable<Parameters<typeof openOAuthServer>[1]> & {
  readonly algorithm?: 'HS256' | 'ES256';
  readonly window?: number;
};

onEachDatabase((database, open) => {
  describe(`the refresh replay window on ${database}`, () => {
    const cleanups: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0)) await cleanup();
    });

    /** A server whose application `acme` has the window. */
    async function openServer({ algorithm, window = WINDOW, ...options }: Options = {}) {
      const server = await openOAuthServer(algorithm, { db: await open(), ...options });
      cleanups.push(() => server.close());
      await server.stores.clients.updateClient(
        'acme',
        { refreshReplayWindow: window },
        { now: server.clock.now, by: undefined },
      );
      return server;
    }

    /** A spent refresh token, and the response that spent it. */
    async function spend(server: Awaited<ReturnType<typeof openServer>>) {
      const { refreshToken: spent } = await tokenPair(server);
      const answer = await refresh(server.app, spent);
      assert.equal(answer.statusCode, 200);
      return { spent, first: answer.json<Record<string, string>>() };
    }

    async function assertRefused(answer: ReturnType<typeof refresh>): Promise<void> {
      const { statusCode, body } = await answer;
      assert.deepEqual([statusCode, JSON.parse(body).error], [400, 'invalid_grant'], body);
    }

    it('a spent token returns the same refresh token with a new access token', async () => {
      const server = await openServer();
      const { spent, first } = await spend(server);
      server.clock.now += 1_500;

      const second = (await refresh(server.app, spent)).json();

      assert.equal(second.refresh_token, first.refresh_token);
      assert.notEqual(second.access_token, first.access_token);
      assert.equal((await callProtected(server.app, second.access_token)).statusCode, 200);
      assert.equal((await refresh(server.app, second.refresh_token)).statusCode, 200);
    });

    it('a spent token is replayed until the last millisecond of the window, and not one later', async () => {
      const server = await openServer();
      const { spent, first } = await spend(server);

      server.clock.now += WINDOW_MS;
      const last = await refresh(server.app, spent);
      server.clock.now += 1;

      assert.equal(last.json().refresh_token, first.refresh_token);
      await assertRefused(refresh(server.app, spent));
      server.clock.now += 999;
      await assertRefused(refresh(server.app, spent));
    });

    it('an instance whose clock is behind replays too, by no more than the window', async () => {
      const server = await openServer();
      const { spent } = await spend(server);

      server.clock.now -= WINDOW_MS;
      const behind = await refresh(server.app, spent);
      server.clock.now -= 1;

      assert.equal(behind.statusCode, 200);
      await assertRefused(refresh(server.app, spent));
    });

    it('a spent token is replayed with long lifetimes too', async () => {
      const server = await openServer();
      const change = { refreshIdleLifetime: 3600, refreshLifetime: 86_400 };
      await server.stores.clients.updateClient('acme', change, { now: server.clock.now, by: undefined });
      const { spent, first } = await spend(server);

      const second = await refresh(server.app, spent);

      assert.equal(second.json().refresh_token, first.refresh_token);
    });

    it('a spent token is replayed in a window of one second', async () => {
      const server = await openServer({ window: 1 });
      const { spent, first } = await spend(server);

      server.clock.now += 1000;
      assert.equal((await refresh(server.app, spent)).json().refresh_token, first.refresh_token);
      server.clock.now += 1;
      await assertRefused(refresh(server.app, spent));
    });

    it('a replay does not make the window longer', async () => {
      const server = await openServer();
      const { spent } = await spend(server);

      server.clock.now += WINDOW_MS;
      assert.equal((await refresh(server.app, spent)).statusCode, 200);
      server.clock.now += 1_000;

      await assertRefused(refresh(server.app, spent));
    });

    it('ten concurrent refreshes with one token get one and the same refresh token', async () => {
      const server = await openServer();
      const { refreshToken } = await tokenPair(server);

      const answers = await Promise.all(TEN.map(() => refresh(server.app, refreshToken)));

      const bodies = answers.map((answer) => answer.json());
      assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]));
      assert.equal(new Set(bodies.map((body) => decodeJwt(body.refresh_token).jti)).size, 1);
      assert.equal(new Set(bodies.map((body) => body.access_token)).size, 10);
    });

    it('a spent token is refused once its successor was used, and so is one older than that', async () => {
      const server = await openServer();
      const { spent, first } = await spend(server);

      const second = await refresh(server.app, first.refresh_token ?? '');
      const again = await refresh(server.app, first.refresh_token ?? '');

      await assertRefused(refresh(server.app, spent));
      assert.equal(again.json().refresh_token, second.json().refresh_token);
      assert.equal((await refresh(server.app, second.json().refresh_token)).statusCode, 200);
      await assertRefused(refresh(server.app, spent));
      await assertRefused(refresh(server.app, first.refresh_token ?? ''));
    });

    it('of ten who replay while the successor is used, none gets a token that leaves the family', async () => {
      const server = await openServer();
      const { spent, first } = await spend(server);
      const successor = first.refresh_token ?? '';

      const mixed = TEN.map((i) => refresh(server.app, i % 2 === 0 ? spent : successor));
      const answers = (await Promise.all(mixed)).filter(({ statusCode }) => statusCode === 200);

      const tokens = new Set(answers.map((answer) => answer.json().refresh_token));
      const [next = '', ...others] = [...tokens].filter((token) => token !== successor);
      assert.deepEqual(others, []);
      assert.equal((await refresh(server.app, next)).statusCode, 200);
    });

    it('another application is refused, and does not learn that the token was spent', async () => {
      const server = await openServer();
      await server.stores.clients.updateClient(
        'other',
        { refreshReplayWindow: WINDOW },
        { now: server.clock.now, by: undefined },
      );
      const { spent } = await spend(server);

      const foreign = await refresh(server.app, spent, { client_id: 'other' });

      assert.equal(foreign.json().error_description, 'Client mismatch');
      assert.equal((await refresh(server.app, spent)).statusCode, 200);
    });

    for (const kind of ['access_token', 'refresh_token', 'the spent one'] as const) {
      it(`a spent token is refused once the grant was revoked: ${kind}`, async () => {
        const server = await openServer();
        const { spent, first } = await spend(server);

        const payload = { token: first[kind] ?? spent };
        assert.equal((await server.app.inject({ method: 'POST', url: '/revoke', payload })).statusCode, 200);

        await assertRefused(refresh(server.app, spent));
      });
    }

    for (const [what, end] of [
      ['its user is deleted', ({ users }, now) => users.deleteUser('acme', 'ada', { now, by: undefined })],
      [
        'the operator ends its grants',
        ({ families }, now) => families.endGrantsOf('acme', 'ada', { now, by: undefined }),
      ],
    ] satisfies [string, (stores: Stores, now: number) => Promise<unknown>][]) {
      it(`a spent token is refused once ${what}`, async () => {
        const server = await openServer();
        const { spent } = await spend(server);

        await end(server.stores, server.clock.now);

        await assertRefused(refresh(server.app, spent));
      });
    }

    it('a spent token is refused once its application is deleted', async () => {
      const server = await openServer();
      const { spent } = await spend(server);

      await server.stores.clients.deleteClient('acme', server.clock.now, undefined);

      assert.equal((await refresh(server.app, spent)).json().error, 'invalid_client');
    });

    it('with a window of 0 a spent token is refused at once, and no successor follows from another', async () => {
      const server = await openServer({ window: 0 });
      const { spent } = await spend(server);

      await assertRefused(refresh(server.app, spent));
      await server.stores.clients.updateClient(
        'acme',
        { refreshReplayWindow: WINDOW },
        { now: server.clock.now, by: undefined },
      );
      await assertRefused(refresh(server.app, spent));
    });

    it('a window that is set to 0 is closed at once', async () => {
      const server = await openServer();
      const { spent } = await spend(server);

      await server.stores.clients.updateClient(
        'acme',
        { refreshReplayWindow: 0 },
        { now: server.clock.now, by: undefined },
      );

      await assertRefused(refresh(server.app, spent));
    });

    for (const algorithm of ['HS256', 'ES256'] as const) {
      it(`a replay after a rotation of the ${algorithm} keys is signed with the new one, and keeps its jti`, async () => {
        const server = await openServer({ algorithm });
        const { spent, first } = await spend(server);
        await server.rotateKeys();
        await server.rotateKeys();
        server.clock.now += 31_000; // The instance takes up the rotations.
        const kidOf = (token = '') => decodeProtectedHeader(token).kid;
        // It reads the keys in the background.
        for (let i = 0; ; i++) {
          const { refreshToken } = await tokenPair(server, { userId: `ben-${i}` });
          if (kidOf(refreshToken) !== kidOf(first.refresh_token)) break;
          assert.ok(i < 500, 'the new key is not used');
          await sleep(10);
        }

        const second = (await refresh(server.app, spent)).json();

        const [before = '', after = ''] = [first.refresh_token, second.refresh_token];
        assert.deepEqual(decodeJwt(after), decodeJwt(before));
        assert.notEqual(kidOf(after), kidOf(before));
        assert.equal((await refresh(server.app, after)).statusCode, 200);
      });
    }

    it('instances on two sides of a master key change rotate each other’s tokens, and replay none of them', async () => {
      const [db, oldKey, newKey] = [await open(), randomBytes(32), randomBytes(32)];
      const rings = [createKeyring(oldKey), createKeyring(newKey)] as const;
      rings[0].add(newKey);
      rings[1].add(oldKey);
      const before = await openServer({ db, sealer: rings[0] });
      const after = await openServer({ db, sealer: rings[1] });
      const { spent, first } = await spend(before);

      await assertRefused(refresh(after.app, spent));
      assert.equal((await refresh(before.app, spent)).json().refresh_token, first.refresh_token);
      const next = await refresh(after.app, first.refresh_token ?? '');
      assert.equal((await refresh(before.app, next.json().refresh_token)).statusCode, 200);
    });

    it('a replay is counted and logged as one, without the token, and a refusal as before', async () => {
      const outcomes: string[] = [];
      const lines: string[] = [];
      const write = (...line: unknown[]) => void lines.push(JSON.stringify(line));
      const log = { debug: write, info: write, warn: write, error: write };
      const server = await openServer({ tokenAnswered: (_, outcome) => outcomes.push(outcome), log });
      const { spent } = await spend(server);

      await refresh(server.app, spent);
      server.clock.now += WINDOW_MS + 1;
      await refresh(server.app, spent);

      assert.deepEqual(outcomes, ['ok', 'ok', 'replayed', 'invalid_grant']);
      const events = lines.flatMap((line) => /refresh_\w+/.exec(line) ?? []);
      assert.deepEqual(events, ['refresh_replayed', 'refresh_refused']);
      assert.ok(!lines.some((line) => line.includes(String(decodeJwt(spent).jti)) || line.includes(spent)));
    });
  });
});
