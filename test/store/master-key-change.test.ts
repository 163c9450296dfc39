/** Changing the master key: what each instance does meanwhile, with keys in the data folder and in the settings. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { loadConfig } from '../../src/config/config.ts';
import { createSealer, masterKeyId, sealedField } from '../../src/lib/sealing.ts';
import { inspectDatabase } from '../../src/store/drivers/inspect-database.ts';
import { type DatabaseSettings, openDatabase } from '../../src/store/drivers/open-database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { checkKeys } from '../../src/system/doctor-checks.ts';
import { type RotationDeps, rotateMasterKey } from '../../src/system/rotate-master-key.ts';
import type { StorageReport } from '../../src/system/storage-report.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { openEverything, SEALED_TEXT, sealEverywhere, sealedUnder } from '../harness/sealed-everywhere.ts';

const doctorSays = (report: StorageReport, { masterKey, masterKeyPrevious }: DatabaseSettings): string =>
  checkKeys(report, { ...loadConfig({}), masterKey, masterKeyPrevious }).message;

const secretsOf = sealedField('webhook_endpoint.secrets');

/** The clock of all instances. Only their waits advance it, so a pause of the machine makes no instance late. */
const clock = { now: Date.now() };
const now = () => clock.now;

/** Opens an instance, or a command. Its waits take a hundredth of their time. */
async function openInstance(settings: DatabaseSettings) {
  const { db, sealer, masterKeys } = await openDatabase(settings, Date.now);
  const stores = openStores(db, { sealer });
  const told: string[] = [];
  const deps: RotationDeps = {
    ...{ masterKeys, sealer, now, by: undefined, masterKey: stores.masterKey, system: stores.system },
    sleep: async (milliseconds) => {
      clock.now += milliseconds;
      await sleep(milliseconds / 100);
    },
    tell: (words) => told.push(words),
  };
  let ended = false;
  const live = async (instanceId: string) => {
    const instance = { instanceId, host: 'here', version: '1', role: 'all', startedAt: clock.now } as const;
    for (; !ended; await sleep(5)) {
      await masterKeys.look();
      const { keyId, keyIds } = sealer;
      await stores.system.noteInstance({ ...instance, keyId, keyIds, seenAt: now() + 100_000 }, 0);
    }
  };
  let living: Promise<void> | undefined;
  return {
    ...{ db, sealer, masterKeys, deps, stores, told },
    /** Follows the keys and says that it lives, as a server does. */
    serve(instanceId: string) {
      living = live(instanceId);
    },
    async close() {
      ended = true;
      await living;
      await db.close();
    },
  };
}

onEachDatabase((name, _, place) => {
  const keyInSettings = async () => {
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const settings = await place();
    return {
      ids: { old: masterKeyId(old), fresh: masterKeyId(fresh) },
      fresh,
      withOld: { ...settings, masterKey: old },
      withBoth: { ...settings, masterKey: fresh, masterKeyPrevious: old },
      withFresh: { ...settings, masterKey: fresh },
    };
  };

  describe(`Changing the master key on ${name}`, () => {
    it('a key in the data folder is changed while an instance runs, which then seals under the new one', async () => {
      const settings = await place();
      const server = await openInstance(settings);
      const before = server.sealer.keyId;
      await sealEverywhere(server.db, server.sealer, 2);
      server.serve('one');
      const command = await openInstance(settings);

      const { keyId, previous, sealedAnew } = await rotateMasterKey(command.deps);

      const sealed = server.sealer.seal('after', secretsOf('we'));
      await server.close();
      await command.close();
      assert.deepEqual([previous, keyId === before], [before, false]);
      assert.equal(sealedAnew['account.credentials'], 2);
      const key = Buffer.from(await readFile(path.join(settings.dataDir, 'master.key'), 'utf8'), 'base64');
      assert.equal(createSealer(key).open(sealed, secretsOf('we')), 'after');
      const files = (await readdir(settings.dataDir)).filter((file) => file.startsWith('master.key'));
      assert.deepEqual(
        files.sort(),
        ['master.key', `master.key.${before}`],
        'backups may need the one before',
      );
      const later = await openInstance({ ...settings });
      assert.deepEqual([...(await sealedUnder(later.db)).keys()], [keyId]);
      assert.deepEqual(new Set(await openEverything(later.db, later.sealer)), new Set([SEALED_TEXT]));
      await later.close();
    });

    it('a key in the settings is changed once every instance has both, and none is asked for more after', async () => {
      const { ids, withOld, withBoth, withFresh } = await keyInSettings();
      const first = await openInstance(withOld);
      await sealEverywhere(first.db, first.sealer, 1);
      first.serve('old');
      const command = await openInstance(withBoth);
      const prepared = await inspectDatabase(withBoth, Date.now);
      assert.match(doctorSays(prepared, withBoth), /KALENDS_MASTER_KEY is not in use yet/);
      assert.equal(command.sealer.keyId, ids.old, 'nobody else could open what it seals under the new one');

      await assert.rejects(rotateMasterKey(command.deps), {
        name: 'Error',
        message: /Nothing was changed: the instance old .*KALENDS_MASTER_KEY_PREVIOUS/,
      });
      assert.equal((await command.stores.masterKey.masterKeyState()).next, undefined);
      await first.close();
      await command.db.write('DELETE FROM instance');
      const second = await openInstance(withBoth);
      second.serve('both');
      const { keyId } = await rotateMasterKey(command.deps);

      assert.equal(keyId, ids.fresh);
      const after = await inspectDatabase(withBoth, Date.now);
      assert.match(doctorSays(after, withBoth), /KALENDS_MASTER_KEY_PREVIOUS is no longer needed/);
      assert.equal(second.sealer.keyId, ids.fresh);
      await second.close();
      await command.close();
      const later = await openInstance(withFresh);
      assert.deepEqual(new Set(await openEverything(later.db, later.sealer)), new Set([SEALED_TEXT]));
      await assert.rejects(openDatabase(withOld, Date.now), {
        name: 'StartRefused',
        message: new RegExp(`was changed on .*: it is ${ids.fresh} now, .*${ids.old}, the previous key`),
      });
      await later.close();
    });

    it('during a key change an instance needs both keys, and its error names the change and the fix', async () => {
      const { ids, withOld, withBoth, withFresh } = await keyInSettings();
      const settings = { ...withOld };
      await (await openInstance(withOld)).close();
      const command = await openInstance(withBoth);
      await command.stores.masterKey.announceKey(ids.fresh, Date.now());
      await command.stores.masterKey.useKey(ids.fresh);

      const changing = new RegExp(
        `being changed from ${ids.old} to ${ids.fresh}.*KALENDS_MASTER_KEY_PREVIOUS`,
      );
      for (const one of [withOld, withFresh]) {
        await assert.rejects(openDatabase(one, Date.now), { name: 'StartRefused', message: changing });
        const report = await inspectDatabase(one, Date.now);
        assert.match((report.state === 'reachable' && report.keyProblem) || '', changing);
      }
      const both = await openInstance(withBoth);
      assert.equal(both.sealer.keyId, ids.fresh);
      const report = await inspectDatabase({ ...settings, ...withBoth }, Date.now);
      assert.equal(report.state === 'reachable' ? report.masterKey.next?.phase : '', 'in_use');
      assert.match(
        doctorSays(report, withBoth),
        /being changed .*"kalends keys rotate-master" is not running, run it/,
      );
      await both.close();
      await command.close();
    });

    it('a change that was killed at any point is finished by the next run', async () => {
      const { ids, withOld, withBoth, withFresh } = await keyInSettings();
      const first = await openInstance(withOld);
      await sealEverywhere(first.db, first.sealer, 2);
      await first.close();
      let calls = 0;
      for (let point = 1; ; point++) {
        const command = await openInstance(withBoth);
        calls = 0;
        // The process ends with its `point`th step done.
        const killed = new Proxy(command.stores.masterKey, {
          get(target, step) {
            const found: unknown = Reflect.get(target, step);
            if (typeof found !== 'function') return found;
            return async (...values: unknown[]) => {
              if (++calls > point) throw new Error('killed');
              return found.apply(target, values);
            };
          },
        });
        const end = await rotateMasterKey({ ...command.deps, masterKey: killed }).catch(String);
        await command.close();
        if (end !== 'Error: killed') break;
      }

      assert.ok(calls > 10, `${calls} steps`);
      const later = await openInstance(withFresh);
      assert.deepEqual([...(await sealedUnder(later.db)).keys()], [ids.fresh]);
      await later.close();
    });

    it('a run after the end reseals values that were sealed under the old key meanwhile', async () => {
      const { fresh, withOld, withBoth } = await keyInSettings();
      const late = await openInstance(withOld);
      await sealEverywhere(late.db, late.sealer, 1);
      const command = await openInstance(withBoth);
      await rotateMasterKey(command.deps);
      // A process that was suspended during the whole change continues.
      const secrets = late.sealer.seal(SEALED_TEXT, secretsOf('we'));
      await late.db.write('UPDATE webhook_endpoint SET secrets = :secrets', { secrets });
      await late.close();

      const again = await rotateMasterKey(command.deps);

      assert.equal(again.sealedAnew['webhook_endpoint.secrets'], 1);
      const opened = await openEverything(command.db, createSealer(fresh));
      assert.deepEqual(new Set(opened), new Set([SEALED_TEXT]));
      await command.close();
    });

    it('a key that is the database’s already is not changed, and it is said how to', async () => {
      const { withOld } = await keyInSettings();
      const command = await openInstance(withOld);

      await assert.rejects(rotateMasterKey(command.deps), /Create a new key .*KALENDS_MASTER_KEY_PREVIOUS/);
      await command.close();
    });

    it('a folder where the command ended before it could put the new key in place is put right by the next start', async () => {
      const settings = await place();
      const command = await openInstance(settings);
      const before = await readFile(path.join(settings.dataDir, 'master.key'), 'utf8');
      // An instance that was killed is waited for until it counts as gone.
      const killed = { instanceId: 'killed', host: 'here', version: '1', role: 'all', startedAt: 1 } as const;
      const seenAt = command.deps.now() - 60_000;
      await command.stores.system.noteInstance({ ...killed, keyIds: [], keyId: '', seenAt }, 0);
      const { keyId } = await rotateMasterKey(command.deps);
      await command.close();
      const after = await readFile(path.join(settings.dataDir, 'master.key'), 'utf8');
      await writeFile(path.join(settings.dataDir, `master.key.${keyId}`), after);
      await writeFile(path.join(settings.dataDir, 'master.key'), before);

      const later = await openInstance(settings);

      assert.equal(later.sealer.keyId, keyId);
      assert.equal(await readFile(path.join(settings.dataDir, 'master.key'), 'utf8'), after);
      await later.close();
      // As somebody lays it there who brings a backup back.
      await rename(
        path.join(settings.dataDir, 'master.key'),
        path.join(settings.dataDir, `master.key.${keyId}`),
      );
      await (await openInstance(settings)).close();
      assert.equal(await readFile(path.join(settings.dataDir, 'master.key'), 'utf8'), after);
    });
  });
});
