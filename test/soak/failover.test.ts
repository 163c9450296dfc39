/** The deployment of docs/operations.md loses no acknowledged write when its primary is killed or suspended under load. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';

import { counterpart } from '../harness/counterpart.ts';
import { ETCD } from '../servers/etcd.ts';
import { HAPROXY } from '../servers/haproxy.ts';
import { PATRONI } from '../servers/patroni.ts';
import { PGBOUNCER } from '../servers/pgbouncer.ts';
import { findProblems } from './failover/changes-seen.ts';
import { KILL_AND_FREEZE } from './failover/faults.ts';
import { runFailover } from './failover/run-failover.ts';

const programs = { Patroni: PATRONI, etcd: ETCD, HAProxy: HAPROXY, pgbouncer: PGBOUNCER };
const missing = Object.entries(programs).map(([name, file]) => counterpart(name, file));

describe('A failover', { skip: missing.find(({ skip }) => skip !== false)?.skip ?? false }, () => {
  it('loses no acknowledged write and accepts no revoked token if the primary is killed or suspended', async (t) => {
    const result = await runFailover({
      etcdVersion: 2,
      faults: () => KILL_AND_FREEZE,
      file: path.join(tmpdir(), `kalends-failover-${process.pid}.jsonl`),
      note: (text) => t.diagnostic(text),
    });

    assert.deepEqual(Object.fromEntries(result.violations), {});
    assert.equal(result.acceptedRevoked, 0);
    assert.deepEqual(result.eventProblems, []);
    for (const operation of ['exchange', 'refresh', 'revoke', 'read', 'create', 'follow'])
      assert.ok((result.operations[operation]?.known ?? 0) > 0, operation);
  });
});

describe('The check of what was seen', () => {
  const created = [
    { title: 'one', start: 0, end: 1, isStored: true },
    { title: 'two', start: 2, end: 3, isStored: true },
  ];
  const changes = (...titles: string[]) => titles.map((title) => ({ title, changeType: 'created' }));

  it('accepts each event once and in order', () => {
    assert.deepEqual(findProblems(created, changes('one', 'two'), ['two', 'one']), []);
  });

  it('accepts an event at any later place if the mirror did not have it when it was acknowledged', () => {
    const late = created.map((one) => ({ ...one, isStored: one.title !== 'one' }));

    assert.deepEqual(findProblems(late, changes('two', 'one'), ['two', 'one']), []);
    assert.deepEqual(findProblems(late, changes('two'), ['two']), [
      '"one" is on the cursor 0 times',
      '"one" was not delivered',
    ]);
  });

  it('finds a missing, a repeated, a misplaced and an undelivered event', () => {
    assert.deepEqual(findProblems(created, changes('two', 'one', 'one'), ['two']), [
      '"one" is on the cursor 2 times',
      '"one" was not delivered',
      '"one" is on the cursor after a later one',
      '"one" is on the cursor after a later one',
    ]);
    assert.deepEqual(findProblems(created, changes('one'), ['one', 'two']), [
      '"two" is on the cursor 0 times',
    ]);
  });
});
