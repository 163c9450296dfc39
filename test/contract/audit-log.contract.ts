/** Contract tests for AuditLog. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { AuditAction, NewAuditEntry } from '../../src/audit/audit-entry.ts';
import type { AuditFilter } from '../../src/audit/audit-log.ts';
import { appendAudit } from '../../src/store/audit/append-audit.ts';
import { auditLog } from '../../src/store/audit/audit-log.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { endpoint, newClient } from './audited-cases.ts';
import { NOW, sealer, tenTimes } from './calendar-rows.ts';

const SHELL = { kind: 'command_line', name: 'root' } as const;
const ADA = { kind: 'person', id: 'p1', name: 'Ada' } as const;

const entryAt = (at: number, fields: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  at,
  actor: SHELL,
  address: undefined,
  action: 'client.updated',
  ...fields,
});

async function append(db: Database, ...entries: readonly NewAuditEntry[]): Promise<void> {
  for (const entry of entries) await db.transaction((tx) => appendAudit(tx, entry));
}

export function auditLogContract(database: string, open: () => Promise<Database>): void {
  const prepare = async (...entries: readonly NewAuditEntry[]) => {
    const db = await open();
    await append(db, ...entries);
    const log = auditLog(db);
    const numbers = async (filter: AuditFilter, page: { before?: number; limit?: number } = {}) =>
      (await log.listEntries(filter, { limit: 50, ...page })).map(({ number }) => number);
    return { db, log, numbers };
  };

  describe(`AuditLog on ${database}`, () => {
    it('an entry is returned as it was appended, for every kind of actor', async () => {
      const whole = {
        ...entryAt(NOW, { actor: ADA, address: '203.0.113.7', clientId: 'acme', subject: 'we_1' }),
        before: { name: 'Acme', providers: ['google'], own: false },
        after: { name: null, providers: [], own: true },
      };
      const { log } = await prepare(
        entryAt(NOW),
        whole,
        entryAt(NOW, { actor: { kind: 'system' }, action: 'endpoint.paused' }),
      );

      const entries = await log.listEntries({}, { limit: 50 });

      const nothing = { address: undefined, clientId: undefined, subject: undefined };
      const none = { ...nothing, before: undefined, after: undefined };
      assert.deepEqual(entries, [
        { number: 3, at: NOW, actor: { kind: 'system' }, action: 'endpoint.paused', ...none },
        { number: 2, ...whole },
        { number: 1, at: NOW, actor: SHELL, action: 'client.updated', ...none },
      ]);
    });

    it('numbers rise without a gap, however many entries are appended at once', async () => {
      const { db, numbers } = await prepare();

      await tenTimes((i) => append(db, entryAt(NOW + i)));

      assert.deepEqual(
        (await numbers({})).sort((a, b) => a - b),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      );
    });

    it('an entry goes with its transaction when that fails, and its number with it', async () => {
      const { db, numbers } = await prepare();
      const failing = db.transaction(async (tx) => {
        await appendAudit(tx, entryAt(NOW));
        throw new Error('The change failed');
      });

      await assert.rejects(failing, /The change failed/);
      await append(db, entryAt(NOW));

      assert.deepEqual(await numbers({}), [1]);
    });

    it('lists the newest first, whatever the clocks of several instances said', async () => {
      const { numbers } = await prepare(entryAt(NOW + 5), entryAt(NOW), entryAt(NOW + 9), entryAt(NOW + 5));

      assert.deepEqual(await numbers({}), [3, 4, 1, 2]);
      assert.deepEqual(await numbers({}, { limit: 2 }), [3, 4]);
      assert.deepEqual(await numbers({}, { before: 4 }), [1, 2]);
      assert.deepEqual(await numbers({}, { before: 4, limit: 1 }), [1]);
      assert.deepEqual(await numbers({}, { before: 2 }), []);
    });

    it('continues behind an entry that was deleted meanwhile', async () => {
      const { db, numbers } = await prepare(entryAt(NOW), entryAt(NOW + 1), entryAt(NOW + 2));
      await db.write('DELETE FROM audit_entry WHERE number = 2 RETURNING number');

      assert.deepEqual(await numbers({}, { before: 2 }), [1]);
      assert.deepEqual(await numbers({}, { before: 99 }), [3, 1]);
      assert.deepEqual(await numbers({}, { before: 1 }), []);
      assert.deepEqual(await numbers({}, { before: 0 }), []);
    });

    it('never lists more than 200', async () => {
      const { db, numbers } = await prepare();
      await db.transaction(async (tx) => {
        for (let i = 0; i < 201; i++) await appendAudit(tx, entryAt(NOW + i));
      });

      assert.equal((await numbers({}, { limit: 10_000 })).length, 200);
    });

    it('each filter leaves out what it does not name', async () => {
      const deleted: AuditAction = 'client.deleted';
      const { numbers } = await prepare(
        entryAt(NOW, { clientId: 'acme' }),
        entryAt(NOW + 1, { clientId: 'other', action: deleted }),
        entryAt(NOW + 2, { clientId: 'acme', actor: ADA, subject: 'we_1' }),
        entryAt(NOW + 3, { actor: { ...ADA, id: 'p2' } }),
        entryAt(NOW + 4, { clientId: 'third' }),
      );

      const cases: readonly [AuditFilter, number[]][] = [
        [{ clientId: 'acme' }, [3, 1]],
        [{ clientId: ['acme', 'other', 'acme'] }, [3, 2, 1]],
        [{ clientId: [] }, []],
        [{ clientId: 'nobody' }, []],
        [{ action: deleted }, [2]],
        [{ actor: { kind: 'person' } }, [4, 3]],
        [{ actor: { kind: 'person', id: 'p1' } }, [3]],
        [{ actor: { kind: 'command_line' } }, [5, 2, 1]],
        [{ subject: 'we_1' }, [3]],
        [{ from: NOW + 1, to: NOW + 3 }, [3, 2]],
        [{ clientId: 'acme', actor: { kind: 'person', id: 'p1' }, from: NOW + 3 }, []],
      ];
      for (const [filter, expected] of cases) {
        assert.deepEqual(await numbers(filter), expected, JSON.stringify(filter));
      }
      assert.deepEqual(
        await numbers({ clientId: ['acme', 'other', 'third'] }, { before: 5, limit: 2 }),
        [3, 2],
      );
    });

    it('an export reads all in the order of their numbers, in parts', async () => {
      const { log } = await prepare(entryAt(NOW + 5), entryAt(NOW), entryAt(NOW + 9));
      const numbersAfter = async (after: number, from?: number, limit = 50) =>
        (await log.entriesAfter(after, { from }, limit)).map(({ number }) => number);

      assert.deepEqual(await numbersAfter(0), [1, 2, 3]);
      assert.deepEqual(await numbersAfter(0, undefined, 2), [1, 2]);
      assert.deepEqual(await numbersAfter(2), [3]);
      assert.deepEqual(await numbersAfter(0, NOW + 5), [1, 3]);
    });

    it('finds the names of members and the hosts of endpoints, and nothing for other ids', async () => {
      const { db, log } = await prepare();
      const { clients, endpoints } = openStores(db, { sealer });
      await clients.createClient(newClient, 'hash', undefined);
      await endpoints.addEndpoint({ ...endpoint, clientId: 'new' }, undefined);
      await db.write(
        `INSERT INTO person (person_id, name, login, role, created_at)
         VALUES ('p1', 'Ada', 'ada@example.com', 'owner', 1) RETURNING person_id`,
      );

      const names = await log.findNames(['p1', 'we_1', 'new', 'p1', '']);

      assert.deepEqual(Object.fromEntries(names), { p1: 'Ada', we_1: 'hook.example' });
      assert.deepEqual(await log.findNames([]), new Map());
    });

    it('deletes old entries, and numbers continue to rise after all are deleted', async () => {
      const { db, log, numbers } = await prepare(entryAt(NOW), entryAt(NOW + 1), entryAt(NOW + 2));

      assert.equal(await log.deleteOldEntries(NOW + 1), 1);
      assert.deepEqual(await numbers({}), [3, 2]);
      assert.equal(await log.deleteOldEntries(NOW + 9), 2);

      await append(db, entryAt(NOW + 9));
      assert.deepEqual(await numbers({}), [4]);
    });
  });
}
