/** Contract tests for TestUserStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Caller } from '../../src/audit/audit-entry.ts';
import type { NewFlow, TestTokens } from '../../src/playground/test-user-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { makeUsers, NOW, sealer, tenTimes } from './calendar-rows.ts';

const ADA: Caller = { actor: { kind: 'person', id: 'p1', name: 'Ada' }, address: undefined, now: () => NOW };
const DAY_MS = 24 * 3_600_000;
const FIRST = { clientId: 'acme', userId: 'playground:first' };
const TOKENS: TestTokens = { accessToken: 'canary-a', refreshToken: 'canary-r', expiresAt: NOW + 9 };

const flow = (change: Partial<NewFlow> = {}): NewFlow => ({
  ...{ clientId: 'acme', personId: 'p1', newUserId: FIRST.userId, sessionId: 's1', stateHash: 'state-1' },
  ...{ verifier: 'canary-v', now: NOW, endsAt: NOW + DAY_MS, ...change },
});
const bySession = (sessionId: string) => ({ sessionId, begunAfter: NOW - 1 });

async function opened(open: () => Promise<Database>) {
  const db = await open();
  await makeUsers(db);
  for (const personId of ['p1', 'p2'])
    await db.write(
      `INSERT INTO person (person_id, name, login, role, created_at)
       VALUES (:personId, 'Somebody', :personId, 'developer', 1) RETURNING person_id`,
      { personId },
    );
  return { db, ...openStores(db, { sealer }) };
}

export function testUserStoreContract(database: string, open: () => Promise<Database>): void {
  describe(`TestUserStore on ${database}`, () => {
    it('a person has one test user at an application, however many flows begin at once', async () => {
      const { testUsers, userDirectory } = await opened(open);

      const begun = await tenTimes((i) =>
        testUsers.beginFlow(flow({ newUserId: `playground:${i}`, stateHash: `state-${i}` })),
      );
      const other = await testUsers.beginFlow(
        flow({ personId: 'p2', newUserId: 'playground:o', stateHash: 'o' }),
      );

      assert.equal(new Set(begun.map((user) => user?.userId)).size, 1);
      assert.equal(other?.userId, 'playground:o');
      const { users } = await userDirectory.findUsers({ clientIds: ['acme'] }, { limit: 100 });
      assert.equal(users.length, 4);
      assert.deepEqual(await testUsers.listTestUsers('p1'), [begun[0]]);
      assert.deepEqual(await testUsers.findTestUser('p1', 'acme'), begun[0]);
      assert.equal(await testUsers.findTestUser('p1', 'other'), undefined);
    });

    it('nothing begins for a person or an application that is gone', async () => {
      const { testUsers } = await opened(open);

      assert.equal(await testUsers.beginFlow(flow({ personId: 'nobody' })), undefined);
      assert.equal(await testUsers.beginFlow(flow({ clientId: 'nothing' })), undefined);
      assert.deepEqual(await testUsers.listTestUsers('p1'), []);
    });

    it('one of ten ends a flow, and only in the session that began it', async () => {
      const { testUsers } = await opened(open);
      await testUsers.beginFlow(flow());

      assert.equal(await testUsers.takeFlow('state-1', bySession('s2')), undefined);
      assert.equal(await testUsers.takeFlow('state-2', bySession('s1')), undefined);
      assert.equal(await testUsers.takeFlow('state-1', { sessionId: 's1', begunAfter: NOW }), undefined);
      const taken = await tenTimes(() => testUsers.takeFlow('state-1', bySession('s1')));

      const found = taken.filter((one) => one !== undefined);
      assert.deepEqual(
        found.map(({ user, verifier }) => [user.userId, verifier]),
        [[FIRST.userId, 'canary-v']],
      );
    });

    it('a flow takes the place of the one before', async () => {
      const { testUsers } = await opened(open);
      await testUsers.beginFlow(flow());
      await testUsers.beginFlow(flow({ stateHash: 'state-2', newUserId: 'playground:x', endsAt: NOW + 5 }));

      assert.equal(await testUsers.takeFlow('state-1', bySession('s1')), undefined);
      const taken = await testUsers.takeFlow('state-2', bySession('s1'));
      assert.deepEqual([taken?.user.userId, taken?.user.endsAt], [FIRST.userId, NOW + 5]);
    });

    it('keeps tokens sealed, and tells the audit log who connected and what was called', async () => {
      const { db, testUsers, audit } = await opened(open);
      await testUsers.beginFlow(flow());
      assert.equal(await testUsers.tokensOf(FIRST), undefined);

      assert.equal(await testUsers.connect(FIRST, { tokens: TOKENS, endsAt: NOW + 7, by: ADA }), true);
      assert.deepEqual(await testUsers.tokensOf(FIRST), TOKENS);
      await testUsers.renewTokens(FIRST, { ...TOKENS, accessToken: 'canary-b' });
      await testUsers.noteCall(FIRST, { operation: 'createEvent', status: 201, by: ADA });

      assert.equal((await testUsers.tokensOf(FIRST))?.accessToken, 'canary-b');
      const user = await testUsers.findTestUser('p1', 'acme');
      assert.deepEqual([user?.isConnected, user?.endsAt], [true, NOW + 7]);
      const entries = await audit.listEntries({}, { limit: 10 });
      assert.deepEqual(
        entries.map(({ action, after }) => [action, after]),
        [
          ['playground.called', { operation: 'createEvent', status: 201 }],
          ['playground.connected', undefined],
        ],
      );
      assert.equal(new Set(entries.map(({ subject }) => subject)).size, 1);
      await testUsers.beginFlow(flow({ stateHash: 'state-3' }));
      const rows = JSON.stringify([await db.all('SELECT * FROM playground_user'), entries]);
      assert.doesNotMatch(rows, /canary/);
    });

    it('what is kept of a test user goes with the user', async () => {
      const { testUsers, users } = await opened(open);
      await testUsers.beginFlow(flow());

      await users.deleteUser('acme', FIRST.userId, { now: NOW, by: ADA });

      assert.deepEqual(await testUsers.listTestUsers('p1'), []);
      assert.equal(await testUsers.connect(FIRST, { tokens: TOKENS, endsAt: NOW + 7, by: ADA }), false);
      await testUsers.renewTokens(FIRST, TOKENS);
      assert.equal(await testUsers.tokensOf(FIRST), undefined);
    });

    it('lists who is to be deleted: after their time, or when their person was removed', async () => {
      const { testUsers, people } = await opened(open);
      await testUsers.beginFlow(flow());
      await testUsers.beginFlow(flow({ personId: 'p2', newUserId: 'playground:o', stateHash: 'o' }));
      assert.deepEqual(await testUsers.listEnded(NOW + DAY_MS - 1, 10), []);

      await people.removePerson('p2', ADA);

      assert.deepEqual(await testUsers.listEnded(NOW, 10), [{ ...FIRST, userId: 'playground:o' }]);
      assert.equal((await testUsers.listEnded(NOW + DAY_MS, 10)).length, 2);
      assert.equal((await testUsers.listEnded(NOW + DAY_MS, 1)).length, 1);
      assert.equal(await testUsers.takeFlow('o', bySession('s1')), undefined);
    });
  });
}
