/** Contract tests for the log entry of each audited change. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { AuditEntry, Caller } from '../../src/audit/audit-entry.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import {
  ACME,
  addMessage,
  CANARY,
  CASES,
  endpoint,
  googleApp,
  LATER,
  link,
  newClient,
  rotation,
} from './audited-cases.ts';
import { grantAll, makeUsers, NOW, sealer, tenTimes } from './calendar-rows.ts';
import { rowsIn } from './grant-rows.ts';

const ADA: Caller = {
  actor: { kind: 'person', id: 'p1', name: 'Ada' },
  address: '203.0.113.7',
  now: () => NOW + 5,
};
export function auditedChangesContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    await makeUsers(db);
    const stores = { db, ...openStores(db, { sealer }) };
    const entries = () => stores.audit.listEntries({}, { limit: 200 });
    return { db, stores, entries };
  };

  describe(`AuditedChanges on ${database}`, () => {
    for (const { name, before, change, entry } of CASES) {
      it(`${name} leaves one entry of who asked for it, without a secret`, async () => {
        const { db, stores, entries } = await prepare();
        await before?.(stores);
        assert.deepEqual(await entries(), [], 'what is not done for a caller is not audited');

        await change(stores, ADA);

        const [found, ...others] = await entries();
        const { subject, ...facts } = entry;
        assert.deepEqual(others, []);
        const expected = { before: undefined, after: undefined, ...facts };
        // The table names only some of a deleted user's counts, and the name of the user in the log is random.
        if (/^(user\.deleted|delivery\.shown)$/.test(facts.action))
          assert.partialDeepStrictEqual(found, facts);
        else assert.deepEqual(found && factsOf(found), expected);
        if (subject instanceof RegExp) assert.match(found?.subject ?? '', subject);
        else assert.equal(found?.subject, subject);
        assert.deepEqual([found?.actor, found?.address, found?.at], [ADA.actor, ADA.address, NOW + 5]);
        assert.doesNotMatch(JSON.stringify(await db.all('SELECT * FROM audit_entry')), /canary/);
      });
    }

    it('a change of nothing, and of what is not there, leaves no entry', async () => {
      const { stores, entries } = await prepare();
      const { clients, branding, providerApps, endpoints, messages, users, accounts } = stores;

      await clients.updateClient('acme', { name: 'Acme', webhookUrl: null }, { now: NOW, by: ADA });
      await branding.changeLook('acme', { theme: 'auto' }, { now: NOW, by: ADA });
      await clients.updateClient('nobody', { name: 'Nobody' }, { now: NOW, by: ADA });
      await clients.rotateSecret({ ...rotation, clientId: 'nobody', by: ADA });
      await clients.deleteClient('nobody', NOW, ADA);
      await branding.changeLook('nobody', { theme: 'dark' }, { now: NOW, by: ADA });
      await providerApps.setProviderApp({ clientId: 'nobody', kind: 'google' }, googleApp, {
        now: NOW,
        by: ADA,
      });
      await providerApps.removeProviderApp('acme', 'google', ADA);
      await endpoints.pauseEndpoint('nothing', NOW, ADA);
      await endpoints.resumeEndpoint('nothing', ADA);
      await endpoints.removeEndpoint('nothing', ADA);
      await endpoints.changeSecrets('nothing', () => [{ secret: CANARY }], ADA);
      await messages.askReplay('acme', 'nothing', { now: NOW, by: ADA });
      await messages.askReplays({ clientId: 'acme', userId: 'nobody' }, { now: NOW, limit: 10, by: ADA });
      await users.deleteUser('acme', 'nobody', { now: NOW, by: ADA });
      await accounts.removeAccount('nothing', NOW, ADA);
      await accounts.requestSync({ clientId: 'acme', userId: 'nobody' }, NOW, ADA);
      await accounts.requestSync({ clientId: 'acme', userId: 'ada', accountKey: 'nothing' }, NOW, ADA);

      assert.deepEqual(await entries(), []);
    });

    it('a change that fails leaves no entry', async () => {
      const { stores, entries } = await prepare();
      await stores.clients.createClient(newClient, 'hash', ADA);

      await assert.rejects(stores.clients.createClient(newClient, 'hash', ADA));
      await assert.rejects(stores.endpoints.addEndpoint({ ...endpoint, clientId: 'nobody' }, ADA));

      assert.equal((await entries()).length, 1);
    });

    it('each of ten changes at once leaves an entry, which begins where the one before it ended', async () => {
      const { stores, entries } = await prepare();

      await tenTimes((i) =>
        stores.clients.updateClient('acme', { displayName: `Name ${i}` }, { now: NOW, by: ADA }),
      );

      const [newest, ...older] = await entries();
      assert.equal(older.length, 9);
      [...older.entries()].reduce((later, [, earlier]) => {
        assert.equal(later?.before?.display_name, earlier.after?.display_name);
        return earlier;
      }, newest);
    });

    it('of ten deletions at once one leaves an entry, however much the user has', async () => {
      for (const events of [0, 10_000]) {
        const { db, stores, entries } = await prepare();
        await link(stores);
        await grantAll(db);
        await db.write(
          `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, event_count)
           SELECT 'c', account_key, '/c/', 0, 'C', 'UTC', 'read', '{}', CAST(:events AS BIGINT) FROM account`,
          { events },
        );

        await tenTimes(() => stores.users.deleteUser('acme', 'ada', { now: NOW, by: ADA }));

        assert.deepEqual(
          (await entries()).map(({ action, before }) => [action, before?.accounts, before?.grants]),
          [['user.deleted', 1, 1]],
        );
        assert.equal(await rowsIn(db, 'application_user'), 1);
      }
    });

    it('of ten deletions of an application at once one leaves an entry, and it stays', async () => {
      const { stores, entries } = await prepare();
      await stores.clients.createClient(newClient, 'hash', undefined);
      await stores.clients.updateClient('new', { name: 'Newer' }, { now: NOW, by: ADA });

      await tenTimes(() => stores.clients.deleteClient('new', NOW, ADA));

      assert.deepEqual(
        (await entries()).map(({ action, clientId }) => [action, clientId]),
        [
          ['client.deleted', 'new'],
          ['client.updated', 'new'],
        ],
      );
    });

    it('a user has one name in the log, of no meaning to anybody once the user is deleted', async () => {
      const { db, stores, entries } = await prepare();
      await stores.families.endGrantsOf('acme', 'ada', { now: NOW, by: ADA });
      await stores.families.endGrantsOf('acme', 'ben', { now: NOW, by: ADA });
      const named = await stores.audit.subjectOfUser('acme', 'ada');
      await stores.users.deleteUser('acme', 'ada', { now: NOW, by: ADA });

      const [deleted, ben, ada] = (await entries()).map(({ subject }) => subject);
      assert.deepEqual([deleted, ada], [named, named]);
      assert.notEqual(ben, ada);
      assert.equal(await stores.audit.subjectOfUser('acme', 'ada'), undefined);
      assert.doesNotMatch(JSON.stringify(await db.all('SELECT * FROM audit_entry')), /ada|ben/);
      // To the log, the same id is another user now.
      await stores.users.loadOrCreateUser('acme', 'ada', NOW);
      await stores.families.endGrantsOf('acme', 'ada', { now: NOW, by: ADA });
      assert.notEqual((await entries())[0]?.subject, named);
    });

    it('a replay of many says which, without the id of a calendar or of the user', async () => {
      const { stores, entries } = await prepare();
      await addMessage(stores);
      const filter = { ...ACME, userId: 'ada', calendarId: CANARY, from: NOW, to: NOW + 9 };

      await stores.messages.askReplays(filter, { now: NOW, limit: 10, by: ADA });

      const [entry] = await entries();
      const user = await stores.audit.subjectOfUser('acme', 'ada');
      assert.deepEqual(entry?.after, { count: 1, user, from: new Date(NOW).toISOString(), to: LATER });
    });
  });
}

function factsOf({ number: _, at: __, actor: ___, address: ____, subject: _____, ...facts }: AuditEntry) {
  return Object.fromEntries(
    Object.entries(facts).filter(([name, value]) => name !== 'clientId' || value !== undefined),
  );
}
