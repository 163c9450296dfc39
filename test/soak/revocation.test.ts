/** A revocation holds on every instance from the moment its answer is there (docs/wire.md O3.3, O4.4). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connect, read, refresh, revoke, type TokenPair } from '../e2e/flow.ts';
import { type Instances, openInstances } from '../e2e/instances.ts';
import { WITHOUT_RADICALE } from '../e2e/site.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { rounds, scale } from '../harness/rounds.ts';

const REVOCATIONS = rounds(scale() < 20 ? 4 : 10);
/** Asked for at both instances after each revocation, half of them at each. */
const PROBES = 50;
const AT_ONCE = 10;
const PROTECTED = '/connection-status';

onEachDatabase((database, _open, place) => {
  // Several instances share PostgreSQL only.
  if (database !== 'PostgreSQL') return;

  describe('revocation on two instances of one PostgreSQL', { skip: WITHOUT_RADICALE }, () => {
    let instances: Instances;
    before(async () => {
      instances = await openInstances((await place()).databaseUrl ?? '');
    });
    after(() => instances?.close());

    it('nothing is accepted on either instance once a revocation is answered', async (t) => {
      const { applications, login } = instances;
      let probes = 0;
      let accepted = 0;
      for (let i = 0; i < REVOCATIONS; i++) {
        const [here, there] = i % 2 === 0 ? applications : [applications[1], applications[0]];
        const pair = await connect(here, { userId: `user ${i % 5}`, login });
        const traffic = readAllTheTime(instances, pair);
        await traffic.flowing;
        const token = i % 3 === 0 ? pair.refreshToken : pair.accessToken;

        assert.equal((await revoke(here, token)).status, 200);
        const statuses = await probe(instances, pair);
        await traffic.stop();

        probes += statuses.length;
        accepted += statuses.filter((status) => status !== 401).length;
        assert.equal((await refresh(there, pair.refreshToken)).status, 400);
      }

      t.diagnostic(`${probes} probes after ${REVOCATIONS} revocations: ${accepted} accepted`);
      assert.equal(accepted, 0);
      assert.equal(probes, REVOCATIONS * PROBES);
    });
  });
});

/** Sends the token to both instances; every request begins after this call. */
async function probe({ applications }: Instances, { accessToken }: TokenPair): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < PROBES; sent += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, async (_, i) => {
      const { status, body } = await read(applications[i % 2 === 0 ? 0 : 1], PROTECTED, accessToken);
      await body?.cancel();
      return status;
    });
    statuses.push(...(await Promise.all(batch)));
  }
  return statuses;
}

/** Keeps both instances busy with the token, so that it is in every cache they have. */
function readAllTheTime({ applications }: Instances, { accessToken }: TokenPair) {
  let stopped = false;
  const loops = applications.map((application) => {
    const used = Promise.withResolvers<void>();
    const loop = async () => {
      while (!stopped) {
        const { status } = await read(application, PROTECTED, accessToken);
        if (status === 200) used.resolve();
      }
    };
    return { used: used.promise, ended: loop() };
  });
  return {
    /** Resolves when both have taken the token. */
    flowing: Promise.all(loops.map(({ used }) => used)),
    async stop() {
      stopped = true;
      await Promise.all(loops.map(({ ended }) => ended));
    },
  };
}
