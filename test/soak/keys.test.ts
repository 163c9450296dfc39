/** Keys of running instances: rotated under load, and agreed on when two start at once. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { decodeProtectedHeader } from 'jose';
import { type Application, connect, read, refresh, type TokenPair, tokensOf } from '../e2e/flow.ts';
import { type Instances, openInstances } from '../e2e/instances.ts';
import { WITHOUT_RADICALE } from '../e2e/site.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { freePort } from '../harness/loopback.ts';
import { prepareProgram, runProgram } from '../harness/program.ts';
import { rounds } from '../harness/rounds.ts';

const ROTATIONS = rounds(3);
const STARTS = rounds(1);
const CHAINS = 2;
/** Between two rounds of one chain; an instance has something under way most of the time. */
const PAUSE_MS = 50;
const PROTECTED = '/connection-status';

onEachDatabase((database, _open, place) => {
  // Several instances share PostgreSQL only.
  if (database !== 'PostgreSQL') return;

  describe('keys of two instances on one PostgreSQL', { skip: WITHOUT_RADICALE }, () => {
    let instances: Instances;
    before(async () => {
      instances = await openInstances((await place()).databaseUrl ?? '');
    });
    after(() => instances?.close());

    it('an instance refuses nothing while keys rotate under load', async (t) => {
      const { applications, login, programs } = instances;
      const users = Array.from({ length: CHAINS }, (_, i) => ({ userId: `user ${i}`, login }));
      const chains = await Promise.all(users.map((user) => connect(applications[0], user)));
      const grantOf = (at: Application) => connect(at, { userId: 'newest', login });
      const oldest = await connect(applications[1], { userId: 'oldest', login });
      const load = chains.map((pair) => goOn(applications, pair));

      // Twice: the running instances do not know the key after next.
      for (const program of programs) await program.command('keys', 'rotate');
      // It signs with that key from its start, the others from when they take the rotations up.
      const newest = await instances.startAnother();
      for (const application of applications) load.push(goOn([application, newest], await grantOf(newest)));
      for (let i = 2; i < ROTATIONS; i++) {
        await programs[i % 2 === 0 ? 0 : 1].command('keys', 'rotate');
        await sleep(200);
      }
      const ends = await Promise.all(load.map((chain) => chain.stop()));

      const refused = ends.flatMap(({ refusals }) => refusals);
      const calls = ends.reduce((sum, { answered }) => sum + answered, 0);
      t.diagnostic(`${calls} calls over ${ROTATIONS} rotations, ${refused.length} refused`);
      assert.deepEqual(refused, []);
      // A refresh token does not expire: one signed with the first key still works after every rotation.
      const last = await tokensOf(await refresh(applications[0], oldest.refreshToken));
      assert.equal((await read(applications[1], PROTECTED, last.accessToken)).status, 200);
    });

    it('an instance that starts after a rotation signs with the new key', async () => {
      const { applications, programs, login } = instances;
      const old = await connect(applications[1], { userId: 'restart', login });
      const { kid } = await programs[0].command('keys', 'rotate');
      await programs[1].stop();
      await programs[1].start();

      const next = await tokensOf(await refresh(applications[1], old.refreshToken));

      assert.equal(decodeProtectedHeader(next.accessToken).kid, kid);
      // The other instance does not know the key yet, and looks it up.
      assert.equal((await read(applications[0], PROTECTED, next.accessToken)).status, 200);
    });
  });

  describe('starting on one empty PostgreSQL', () => {
    it('two instances that start at once on one empty PostgreSQL with one master key come up', async () => {
      for (let i = 0; i < STARTS; i++) {
        const { databaseUrl } = await place();
        const env = { KALENDS_MASTER_KEY: randomBytes(32).toString('base64') };
        const programs = await Promise.all([0, 1].map(() => prepareProgram({ databaseUrl, env })));

        const started = await Promise.allSettled(programs.map((program) => program.start()));

        for (const program of programs) await program.dispose();
        assert.deepEqual(
          started.map(({ status }) => status),
          ['fulfilled', 'fulfilled'],
        );
      }
    });

    it('of two instances that start at once the one with another master key is refused, and KALENDS_MASTER_KEY named', async () => {
      for (let i = 0; i < STARTS; i++) {
        const { databaseUrl } = await place();
        const keys = [0, 1].map(() => randomBytes(32).toString('base64'));
        const prepared = keys.map((key) => prepareProgram({ databaseUrl, env: { KALENDS_MASTER_KEY: key } }));
        const programs = await Promise.all(prepared);

        const started = await Promise.allSettled(programs.map((program) => program.start()));

        for (const program of programs) await program.dispose();
        const refusals = started.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
        assert.equal(refusals.length, 1);
        assert.match(String(refusals[0]), /ended with 1:.*KALENDS_MASTER_KEY/s);
        for (const key of keys) assert.ok(!String(refusals[0]).includes(key), 'no key is told');
      }
    });

    it('every later start and command with another master key is refused', async () => {
      const { databaseUrl = '' } = await place();
      const settings = (key: Buffer) => ({
        KALENDS_DATABASE_URL: databaseUrl,
        KALENDS_MASTER_KEY: key.toString('base64'),
      });
      await runProgram(['client', 'list', '--json'], settings(randomBytes(32)));
      const other = settings(randomBytes(32));

      const served = await runProgram(['serve'], { ...other, KALENDS_PORT: String(await freePort()) });
      const rotated = await runProgram(['keys', 'rotate'], other);

      for (const { code, stderr } of [served, rotated]) {
        assert.equal(code, 1);
        assert.match(stderr, /KALENDS_MASTER_KEY/);
      }
    });
  });
});

/** Refreshes at one instance and reads and refreshes at the other, until it is stopped. */
function goOn([here, there]: readonly [Application, Application], first: TokenPair) {
  const refusals: string[] = [];
  let answered = 0;
  let stopped = false;
  const loop = async () => {
    let pair = first;
    for (let i = 0; !stopped; i++) {
      const [one, other] = i % 2 === 0 ? [here, there] : [there, here];
      pair = await tokensOf(await refresh(one, pair.refreshToken));
      const readings = [
        await read(other, PROTECTED, pair.accessToken),
        await read(one, PROTECTED, first.accessToken),
      ];
      for (const { status } of readings) if (status !== 200) refusals.push(`read ${status}`);
      answered += 3;
      await sleep(PAUSE_MS);
    }
  };
  const running = loop().catch((reason) => {
    refusals.push(String(reason));
  });
  return {
    async stop() {
      stopped = true;
      await running;
      return { refusals, answered };
    },
  };
}
