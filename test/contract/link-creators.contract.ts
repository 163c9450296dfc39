/**
 * Contract tests for links of a PersonStore whose creator is ended while links are created and used. Each database's
 * test calls them with its own empty, migrated database.
 */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';

import type { Caller } from '../../src/audit/audit-entry.ts';
import type { Invitation, PersonStore } from '../../src/people/person-store.ts';
import { auditLog } from '../../src/store/audit/audit-log.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { wrappedDatabase } from '../../src/store/drivers/wrapped-database.ts';
import { personStore } from '../../src/store/people/person-store.ts';
import { holdCalls } from '../harness/hold-calls.ts';
import { until } from '../harness/until.ts';
import { NOW, tenTimes } from './calendar-rows.ts';

const HOUR = 3_600_000;
const CALLER: Caller = { actor: { kind: 'command_line', name: 'root' }, address: undefined, now: () => NOW };
const WITHDRAWN = 'person.invitation_withdrawn';

const linkOf = (id: string, personId?: string): Omit<Invitation, 'creator'> => ({
  ...{ invitationId: id, role: 'viewer', login: undefined, clientIds: [], personId },
  purpose: personId === undefined ? 'invite' : 'reset',
  ...{ createdAt: NOW, expiresAt: NOW + HOUR },
});
const newPerson = (personId: string) => ({
  ...{ personId, name: `Name of ${personId}`, login: `${personId}@example.com`, password: 'a hash' },
});

const LOCK_AWAITED = `
  SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Every way to end an owner, by its name. */
const ENDS: readonly (readonly [string, (people: PersonStore) => Promise<unknown>])[] = [
  ['is removed', (people) => people.removePerson('ada', CALLER)],
  ['becomes a developer', (people) => people.setRole('ada', { role: 'developer', clientIds: [] }, CALLER)],
  ['is signed out by force', (people) => people.endSessions('ada', CALLER)],
  [
    'comes back by a reset link',
    (people) => people.acceptInvitation('reset', newPerson('ada'), { now: NOW, by: CALLER }),
  ],
];

export function linkCreatorsContract(database: string, open: () => Promise<Database>): void {
  describe(`LinkCreators on ${database}`, () => {
    let db: Database;
    let people: PersonStore;
    beforeEach(async () => {
      db = await open();
      people = personStore(db);
      for (const personId of ['ada', 'ben']) {
        await people.addInvitation({ ...linkOf(`of ${personId}`), role: 'owner' }, personId, { by: CALLER });
        assert.equal(
          await people.acceptInvitation(personId, newPerson(personId), { now: NOW, by: CALLER }),
          'done',
        );
      }
      await addSession('s');
      await people.addInvitation(linkOf('reset', 'ada'), 'reset', { by: CALLER });
    });
    const addSession = (sessionId: string) => {
      const times = { createdAt: NOW, seenAt: NOW, provedAt: NOW };
      const session = { sessionId, sessionHash: `hash of ${sessionId}`, personId: 'ada', ...times };
      return people.addSession({ ...session, address: '192.0.2.1', browser: 'Firefox' }, CALLER);
    };
    const create = (id: string, personId?: string) =>
      people.addInvitation(linkOf(id, personId), id, {
        creator: { personId: 'ada', sessionId: 's' },
        by: CALLER,
      });
    const use = (id: string) =>
      people.acceptInvitation(id, newPerson(`with ${id}`), { now: NOW, by: CALLER });
    /** Returns the withdrawn links, without the one that is for ada herself. */
    const withdrawn = async () =>
      (await auditLog(db).listEntries({}, { limit: 500 }))
        .filter(({ action, subject }) => action === WITHDRAWN && subject !== 'reset')
        .map(({ subject }) => subject);

    /** Returns the same store, whose transactions do all their work but commit only after `open` is called. */
    const held = () => {
      const calls = holdCalls();
      const transaction: Database['transaction'] = (work, terms) =>
        db.transaction(async (tx) => {
          const result = await work(tx);
          await calls.pass();
          return result;
        }, terms);
      return { ...calls, people: personStore(wrappedDatabase(db, { transaction })) };
    };
    /** Resolves when `call` has ended or waits for a lock. SQLite begins no other transaction meanwhile. */
    const begun = (call: Promise<unknown>) =>
      db.dialect.engine === 'sqlite' ? undefined : Promise.race([call, until('a lock', isLockAwaited)]);
    const isLockAwaited = async () => (await db.all(LOCK_AWAITED)).length > 0;

    for (const [end, work] of ENDS) {
      it(`a creator who ${end} leaves no link, and each is audited as withdrawn`, async () => {
        assert.deepEqual(await Promise.all([create('one'), create('two', 'ben')]), [true, true]);
        await people.addInvitation(linkOf('of the command line'), 'of the command line', { by: CALLER });

        await work(people);

        assert.deepEqual((await withdrawn()).toSorted(), ['one', 'two']);
        const open = await people.listInvitations(NOW);
        const others = open.filter(({ purpose }) => purpose === 'invite');
        assert.deepEqual(
          others.map(({ invitationId }) => invitationId),
          ['of the command line'],
        );
        assert.deepEqual([await use('one'), await use('two')], ['link_ended', 'link_ended']);
        assert.equal(await use('of the command line'), 'done');
      });

      it(`a link is not created by somebody who ${end} meanwhile`, async () => {
        const ending = held();
        const ended = work(ending.people);
        await ending.until(1);

        const created = create('late');
        await begun(created);
        ending.open();

        await ended;
        assert.equal(await created, false);
        assert.equal(await use('late'), 'link_ended');
      });

      it(`a link that is being created is withdrawn when its creator ${end}`, async () => {
        const creating = held();
        const by = { personId: 'ada', sessionId: 's' };
        const created = creating.people.addInvitation(linkOf('early'), 'early', { creator: by, by: CALLER });
        await creating.until(1);

        const ended = work(people);
        await begun(ended);
        creating.open();

        assert.equal(await created, true);
        await ended;
        assert.equal(await use('early'), 'link_ended');
        assert.deepEqual(await withdrawn(), ['early']);
      });

      it(`a link is not used while its creator ${end}`, async () => {
        await create('open');
        const ending = held();
        const ended = work(ending.people);
        await ending.until(1);

        const used = use('open');
        await begun(used);
        ending.open();

        await ended;
        assert.equal(await used, 'link_ended');
      });

      it(`however many create and use links while a creator ${end}, none works afterwards`, async () => {
        await tenTimes((i) => create(`open ${i}`, i < 5 ? 'ben' : undefined));
        const ids = Array.from({ length: 10 }, (_, i) => `new ${i}`);

        const [created, used] = await Promise.all([
          Promise.all(ids.map((id) => create(id))),
          tenTimes((i) => use(`open ${i}`)),
          work(people),
        ]);

        const spent = used.filter((outcome) => outcome === 'done').length;
        const added = created.filter(Boolean).length;
        assert.equal((await withdrawn()).length, 10 - spent + added);
        for (const id of [...ids, ...used.map((_, i) => `open ${i}`)])
          assert.deepEqual([await people.findInvitation(id, NOW), await use(id)], [undefined, 'link_ended']);
      });
    }

    it('a link of a member whom an older version made a viewer does not work', async () => {
      await create('one');
      await db.write("UPDATE person SET role = 'viewer' WHERE person_id = 'ada'");

      assert.equal(await people.findInvitation('one', NOW), undefined);
      assert.equal((await people.listInvitations(NOW)).length, 1);
      assert.equal(await use('one'), 'link_ended');
      assert.equal(await create('two'), false);
    });

    it('a link is created in a session of its creator that has not ended', async () => {
      assert.equal(await create('one'), true);
      await people.endSession('ada', 's');
      await addSession('later');
      assert.equal(await create('two'), false);
      assert.equal((await people.listInvitations(NOW))[0]?.creator, 'ada@example.com');
    });

    it('a member withdraws the reset links of their own account alone', async () => {
      await create('one', 'ben');
      await create('two');
      const links = await people.listInvitations(NOW, 'ben');
      assert.deepEqual(
        links.map(({ invitationId }) => invitationId),
        ['one'],
      );
      assert.equal(await people.removeInvitation({ invitationId: 'two', personId: 'ben' }, CALLER), false);
      assert.equal(await people.removeInvitation({ invitationId: 'reset', personId: 'ben' }, CALLER), false);
      assert.equal(await people.removeInvitation({ invitationId: 'one', personId: 'ben' }, CALLER), true);
      assert.deepEqual(await withdrawn(), ['one']);
    });
  });
}
