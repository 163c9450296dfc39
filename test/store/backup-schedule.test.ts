/** Backups that are made by themselves: when, how many stay, and what happens when one fails. */
import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/store/drivers/open-database.ts';
import { systemStore } from '../../src/store/system-store.ts';
import { backupsDue } from '../../src/system/backup-schedule.ts';
import { backupsIn } from '../../src/system/backups.ts';
import { checkBackups } from '../../src/system/doctor.ts';
import type { StorageReport } from '../../src/system/storage-report.ts';
import { onEachDatabase } from '../harness/databases.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 15, 12);

onEachDatabase((name, _, place) => {
  if (name !== 'SQLite') return;

  const prepare = async () => {
    const settings = await place();
    const { db } = await openDatabase(settings, Date.now);
    const clock = { now: START };
    const disk = { isFull: false };
    const events: unknown[] = [];
    const folder = path.join(settings.dataDir, 'backups');
    const system = systemStore(db);
    const backup = async (file: string) => {
      if (disk.isFull) throw new Error('ENOSPC: no space left on device, write');
      await db.backup(file);
    };
    const now = () => clock.now;
    const backups = backupsIn(folder, { backup, databaseBytes: system.databaseBytes, now });
    const note = (fields: object) => events.push(fields);
    const log = { info: note, error: note };
    /** As of a process that starts. */
    const start = () => backupsDue({ everyMs: 6 * HOUR, keep: 2 }, { backups, system, log, now });
    return { db, clock, disk, events, folder, system, backups, start };
  };

  describe('A scheduled backup', () => {
    it('a scheduled backup is made at once, then when its time has come, also by a process that started since', async () => {
      const { db, clock, backups, start } = await prepare();
      const made: number[] = [];
      for (const [restarts, hours] of [
        [0, 0],
        [1, 1],
        [0, 5.9],
        [1, 6],
        [0, 6.1],
        [1, 12],
      ] as const) {
        clock.now = START + hours * HOUR;
        const look = start();
        for (let i = 0; i <= restarts; i++) await look();
        made.push((await backups.list())[0]?.at ?? 0);
      }
      await db.close();

      assert.deepEqual(
        made.map((at) => (at - START) / HOUR),
        [0, 0, 0, 6, 6, 12],
      );
    });

    it('a scheduled backup opens by itself, is its owner’s alone, and takes the place of the oldest scheduled one', async () => {
      const { db, clock, folder, backups, system, start } = await prepare();
      await backups.make();
      await writeFile(
        path.join(folder, 'kalends-scheduled-2026-11-14T120000Z.db.partial'),
        'of a killed process',
      );
      await writeFile(path.join(folder, 'kalends.db.partial'), 'of somebody else');
      const look = start();
      for (let i = 0; i < 4; i++, clock.now += 6 * HOUR) await look();

      const left = (await readdir(folder)).sort();
      const newest = path.join(folder, 'kalends-scheduled-2026-11-16T060000Z.db');
      const copy = new DatabaseSync(newest, { readOnly: true });
      const check = copy.prepare('PRAGMA integrity_check').get();
      copy.close();
      const last = await system.lastBackups();
      await db.close();

      assert.deepEqual(
        left.filter((file) => !/-(shm|wal)$/.test(file)),
        [
          'kalends-2026-11-15T120000Z.db',
          'kalends-scheduled-2026-11-16T000000Z.db',
          'kalends-scheduled-2026-11-16T060000Z.db',
          'kalends.db.partial',
        ],
      );
      assert.deepEqual({ ...check }, { integrity_check: 'ok' });
      assert.equal((await stat(newest)).mode & 0o777, 0o600);
      assert.equal(last.made?.name, path.basename(newest));
    });

    it('a scheduled backup that fails deletes none, is said with its reason, and tried again after ten minutes', async () => {
      const { db, clock, disk, events, backups, system, start } = await prepare();
      const look = start();
      await look();
      clock.now += 6 * HOUR;
      await look();
      disk.isFull = true;
      clock.now += 6 * HOUR;
      await look();
      await look();
      const failed = await system.lastBackups();
      const kept = await backups.list();
      disk.isFull = false;
      clock.now += HOUR / 6;
      await look();
      const mended = await system.lastBackups();
      await db.close();

      assert.equal(kept.length, 2);
      assert.deepEqual(failed.failure, { at: START + 12 * HOUR, reason: 'The disk is full' });
      assert.deepEqual(
        events.map((one) => (one as { event: string }).event), // as the log's lines have it
        ['backup_made', 'backup_made', 'backup_failed', 'backup_made'],
      );
      assert.equal(mended.failure, undefined);
    });
  });

  describe('The check of backups', () => {
    const config = (every: string) => loadConfig({ KALENDS_BACKUP_EVERY: every });
    const report = (lastBackup: number | undefined, begunAt: number): StorageReport => ({
      ...{
        state: 'reachable',
        engine: 'sqlite',
        pending: [],
        keyProblem: undefined,
        addresses: undefined,
        clockSkew: 0,
      },
      ...{ masterKey: { keyId: 'k', next: undefined, before: undefined }, newestInstant: undefined },
      ...{ watched: [], sharedKeys: [], accountsWithoutTenant: 0, lastBackup, begunAt },
    });

    for (const [every, lastHours, begunHours, status] of [
      ['off', undefined, 24, 'ok'],
      ['off', undefined, 8 * 24, 'warn'],
      ['off', 24, 100 * 24, 'ok'],
      ['off', 8 * 24, 100 * 24, 'warn'],
      ['6h', 7, 100 * 24, 'ok'],
      ['6h', 13, 100 * 24, 'warn'],
      ['6h', undefined, 1, 'ok'],
    ] as const) {
      it(`the check of backups: ${status} with ${every}, a last one ${lastHours ?? 'never'} and a database of ${begunHours} hours`, () => {
        const last = lastHours === undefined ? undefined : START - lastHours * HOUR;

        const [check] = checkBackups(report(last, START - begunHours * HOUR), config(every), START);

        assert.equal(check?.status, status);
        assert.match(
          check?.message ?? '',
          last === undefined ? /^There is no backup yet\b/ : /^The last backup is from 2/,
        );
      });
    }
  });
});
