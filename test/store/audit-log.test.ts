import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { AuditFilter } from '../../src/audit/audit-log.ts';
import { auditLog } from '../../src/store/audit/audit-log.ts';
import { auditLogContract } from '../contract/audit-log.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(auditLogContract);

onEachDatabase((database, open) => {
  if (database !== 'SQLite') return;
  it('every list of the audit log is read from an index, in its order', async () => {
    const db = await open();
    const asked: [string, Parameters<typeof db.all>[1]][] = [];
    const noting = Object.assign(Object.create(db), {
      all: async (...query: [string, Parameters<typeof db.all>[1]]) => {
        asked.push(query);
        return [];
      },
    });
    const times = { from: 1, to: 2 };
    const filters: readonly AuditFilter[] = [
      {},
      times,
      { clientId: 'acme' },
      { clientId: ['acme', 'other'], ...times },
      { action: 'client.updated' },
      { clientId: 'acme', action: 'client.updated', ...times },
      { actor: { kind: 'person', id: 'p1' } },
      { actor: { kind: 'person' } },
      { actor: { kind: 'command_line' }, ...times },
      { clientId: 'acme', actor: { kind: 'command_line' }, ...times },
      { clientId: 'acme', actor: { kind: 'person', id: 'p1' }, ...times },
      { subject: 'we_1' },
    ];

    for (const filter of filters) await auditLog(noting).listEntries(filter, { limit: 50 });

    assert.equal(asked.length, filters.length + 1);
    for (const [sql, values] of asked) {
      const plan = JSON.stringify(await db.all(`EXPLAIN QUERY PLAN ${sql}`, values));
      assert.match(plan, /USING INDEX audit_entry_by_/, sql);
      assert.doesNotMatch(plan, /TEMP B-TREE/, sql);
      if (/actor_id (=|IS NULL)/.test(sql)) assert.match(plan, /audit_entry_by_actor/, sql);
    }
  });
});
