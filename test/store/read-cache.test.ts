/** Cached lookups return what the database holds, even after another process changed it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { clientStore } from '../../src/store/applications/client-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { tokenFamilyStore } from '../../src/store/oauth/token-family-store.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { makeFamily, successorOf } from '../contract/grant-rows.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';

const ADA = { clientId: 'acme', userId: 'ada' };
const ROTATION = { clientId: 'acme', now: NOW, oldExpireAt: NOW };
const APPLICATION = {
  clientId: 'acme',
  name: 'Acme',
  displayName: undefined,
  redirectUri: 'https://acme.example/cb',
  webhookUrl: undefined,
  createdAt: NOW,
};

onEachDatabase((name, _, place) => {
  /** Two connections to one database, as two processes have them. */
  async function withTwo(work: (ours: Database, others: Database) => Promise<void>) {
    const settings = await place();
    const ours = connect(settings);
    await migrate(ours, Date.now, async () => {});
    const others = connect(settings);
    await work(ours, others).finally(() => Promise.all([ours.close(), others.close()]));
  }

  describe(`A kept look-up on ${name}`, () => {
    for (const who of ['this', 'another'] as const) {
      it(`a kept look-up forgets a grant as soon as ${who} process has ended it`, async () => {
        await withTwo(async (ours, others) => {
          const families = tokenFamilyStore(ours);
          const ending = tokenFamilyStore(who === 'this' ? ours : others);
          for (let i = 0; i < 20; i++) {
            const { familyId } = (await makeFamily(ours, ADA)).grant;
            assert.ok(await families.findLivingGrant(familyId));
            assert.ok(await families.findLivingGrant(familyId));

            await ending.endGrantsOf('acme', 'ada', { now: NOW, by: undefined });

            assert.equal(await families.findLivingGrant(familyId), undefined);
          }
        });
      });

      it(`a kept look-up knows an application's new secret as soon as ${who} process has made it`, async () => {
        await withTwo(async (ours, others) => {
          const clients = clientStore(ours);
          const rotating = clientStore(who === 'this' ? ours : others);
          await clients.createClient(APPLICATION, 'secret-0', undefined);
          for (let i = 1; i <= 20; i++) {
            await clients.findClientWithSecrets('acme', NOW);

            await rotating.rotateSecret({ ...ROTATION, secretHash: `secret-${i}`, by: undefined });

            const client = await clients.findClientWithSecrets('acme', NOW);
            assert.deepEqual(client?.secretHashes, [`secret-${i}`]);
          }
        });
      });

      it(`a kept look-up knows no application that ${who} process has deleted`, async () => {
        await withTwo(async (ours, others) => {
          const clients = clientStore(ours);
          await clients.createClient(APPLICATION, 'secret', undefined);
          await clients.findClientWithSecrets('acme', NOW);

          await clientStore(who === 'this' ? ours : others).deleteClient('acme', NOW, undefined);

          assert.equal(await clients.findClientWithSecrets('acme', NOW), undefined);
        });
      });
    }

    if (name === 'SQLite') {
      it('a kept look-up forgets everything after a statement whose table its text does not tell', async () => {
        await withTwo(async (ours) => {
          const families = tokenFamilyStore(ours);
          const { familyId } = (await makeFamily(ours, ADA)).grant;
          assert.ok(await families.findLivingGrant(familyId));

          await ours.write('UPDATE "token_family" SET ended_at = :now', { now: NOW });

          assert.equal(await families.findLivingGrant(familyId), undefined);
        });
      });
    }

    it('a kept look-up lets a secret end at its instant, without anything being written', async () => {
      await withTwo(async (ours) => {
        const clients = clientStore(ours);
        await clients.createClient(APPLICATION, 'old', undefined);
        await clients.rotateSecret({
          ...ROTATION,
          secretHash: 'new',
          oldExpireAt: NOW + 1000,
          by: undefined,
        });

        const before = await clients.findClientWithSecrets('acme', NOW + 999);
        const after = await clients.findClientWithSecrets('acme', NOW + 1000);

        assert.deepEqual(before?.secretHashes.toSorted(), ['new', 'old']);
        assert.deepEqual(after?.secretHashes, ['new']);
      });
    });

    it('a kept look-up answers the same of a grant whose refresh token was rotated meanwhile', async () => {
      await withTwo(async (ours) => {
        const families = tokenFamilyStore(ours);
        const { grant, first } = await makeFamily(ours, ADA);
        const { familyId } = grant;
        const before = await families.findLivingGrant(familyId);

        const rotated = await families.rotateRefreshToken(first, successorOf(first), { now: NOW + 1 });

        assert.deepEqual(await families.findLivingGrant(familyId), before);
        assert.deepEqual(rotated, before);
      });
    });
  });
});
