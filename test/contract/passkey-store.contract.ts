/** Contract tests for PasskeyStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { NewPasskey } from '../../src/people/passkey-store.ts';
import type { Invitation } from '../../src/people/person-store.ts';
import { auditLog } from '../../src/store/audit/audit-log.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { personStore } from '../../src/store/people/person-store.ts';
import { NOW, tenTimes } from './calendar-rows.ts';

const CALLER = {
  actor: { kind: 'command_line', name: 'root' },
  address: undefined,
  now: () => NOW,
} as const;
const TERMS = { now: NOW, most: 20 };

const passkey = (passkeyId: string, change: Partial<NewPasskey> = {}): NewPasskey => ({
  ...{ passkeyId, publicKey: 'a key', counter: 0, transports: ['usb', 'nfc'], name: `Key ${passkeyId}` },
  ...change,
});
const invitation = (id: string, personId?: string): Invitation => ({
  ...{ invitationId: id, purpose: personId === undefined ? 'invite' : 'reset', role: 'viewer' },
  ...{ login: undefined, clientIds: [], personId, createdAt: NOW, expiresAt: NOW + 1000 },
});

async function opened(open: () => Promise<Database>) {
  const db = await open();
  const people = personStore(db);
  const join = async (personId: string, ways: { password?: string; passkey?: NewPasskey }) => {
    await people.addInvitation(invitation(`i-${personId}`), `h-${personId}`, { by: CALLER });
    const person = {
      personId,
      name: personId,
      login: `${personId}@example.com`,
      password: undefined,
      ...ways,
    };
    return people.acceptInvitation(`h-${personId}`, person, { now: NOW, by: CALLER });
  };
  const actions = async () =>
    (await auditLog(db).listEntries({}, { limit: 100 })).map(({ action }) => action);
  return { db, people, join, actions };
}

export function passkeyStoreContract(database: string, open: () => Promise<Database>): void {
  describe(`PasskeyStore on ${database}`, () => {
    it('keeps what a credential is, and lists those of one person', async () => {
      const { people, join, actions } = await opened(open);
      await join('ada', { password: 'a hash' });
      await join('bob', { passkey: passkey('b') });
      assert.equal(await people.addPasskey('ada', passkey('a'), { ...TERMS, by: CALLER }), true);
      const kept = { ...passkey('a'), personId: 'ada', createdAt: NOW, usedAt: undefined };
      assert.deepEqual(await people.listPasskeys('ada'), [kept]);
      assert.deepEqual(await people.findPasskey('a'), kept);
      assert.equal(await people.findPasskey('c'), undefined);
      assert.deepEqual(Object.fromEntries(await people.countPasskeys()), { ada: 1, bob: 1 });
      assert.equal((await actions())[0], 'person.passkey_added');
    });

    it('a credential has one person, however many register it at once, and a person not too many', async () => {
      const { people, join } = await opened(open);
      await tenTimes((i) => join(`p${i}`, { password: 'a hash' }));
      const added = await tenTimes((i) =>
        people.addPasskey(`p${i}`, passkey('one'), { ...TERMS, by: CALLER }),
      );
      assert.equal(added.filter(Boolean).length, 1);
      const many = await tenTimes((i) =>
        people.addPasskey('p0', passkey(`k${i}`), { now: NOW, most: 3, by: CALLER }),
      );
      assert.ok(many.filter(Boolean).length <= 3 && many.some(Boolean));
      assert.equal((await people.listPasskeys('p0')).length, 3);
      assert.equal(await people.addPasskey('nobody', passkey('x'), { ...TERMS, by: CALLER }), false);
      assert.equal(await join('eve', { passkey: passkey('one') }), 'passkey_taken');
      assert.equal(await people.findPerson('eve'), undefined);
    });

    it('one way in stays, also where two are removed at once', async () => {
      const { people, join, actions } = await opened(open);
      await join('ada', { passkey: passkey('a0') });
      for (let i = 1; i < 10; i++) await people.addPasskey('ada', passkey(`a${i}`), { ...TERMS, by: CALLER });
      await join('bob', { password: 'a hash' });
      assert.equal(await people.removePasskey('bob', 'a1', CALLER), false);
      const outcomes = await tenTimes((i) => people.removePasskey('ada', `a${i}`, CALLER));
      assert.equal(outcomes.filter((outcome) => outcome === true).length, 9);
      assert.equal(outcomes.filter((outcome) => outcome === 'last_way').length, 1);
      assert.equal((await people.listPasskeys('ada')).length, 1);
      await people.addPasskey('bob', passkey('b'), { ...TERMS, by: CALLER });
      assert.equal(await people.removePasskey('bob', 'b', CALLER), true);
      assert.equal((await actions())[0], 'person.passkey_removed');
    });

    it('one of ten calls with the same higher counter succeeds; a counter that stays at 0 is not checked', async () => {
      const { people, join, actions } = await opened(open);
      await join('ada', { passkey: passkey('a', { counter: 4 }) });
      const used = await tenTimes(() => people.usePasskey('a', 5, { now: NOW + 1, by: CALLER }));
      assert.equal(used.filter(Boolean).length, 1);
      assert.equal(await people.usePasskey('a', 3, { now: NOW, by: CALLER }), false);
      assert.equal(await people.usePasskey('a', 0, { now: NOW, by: CALLER }), false);
      const { counter, usedAt } = (await people.findPasskey('a')) ?? {};
      assert.deepEqual([counter, usedAt], [5, NOW + 1]);
      assert.equal((await actions()).filter((action) => action === 'person.passkey_refused').length, 11);
      await join('bob', { passkey: passkey('b') });
      assert.deepEqual(
        await tenTimes(() => people.usePasskey('b', 0, { now: NOW, by: CALLER })),
        Array(10).fill(true),
      );
      assert.equal(await people.usePasskey('gone', 1, { now: NOW, by: CALLER }), false);
    });

    it('one of ten spends a challenge, and it is forgotten after its end', async () => {
      const { people } = await opened(open);
      const spent = await tenTimes(() => people.spendChallenge('c', NOW + 10));
      assert.equal(spent.filter(Boolean).length, 1);
      assert.equal(await people.deleteEnded({ seen: 0, created: 0, now: NOW + 9 }), 0);
      assert.equal(await people.spendChallenge('c', NOW + 10), false);
      assert.equal(await people.deleteEnded({ seen: 0, created: 0, now: NOW + 10 }), 1);
    });

    it('who comes back in by a link has one way in, and passkeys go with their person', async () => {
      const { people, join } = await opened(open);
      await join('ada', { password: 'a hash' });
      await people.addPasskey('ada', passkey('stolen'), { ...TERMS, by: CALLER });
      await people.addInvitation(invitation('again', 'ada'), 'again', { by: CALLER });
      const back = { personId: 'ada', name: '', login: 'ada@example.com', password: undefined };
      assert.equal(
        await people.acceptInvitation(
          'again',
          { ...back, passkey: passkey('new') },
          { now: NOW, by: CALLER },
        ),
        'done',
      );
      const keys = await people.listPasskeys('ada');
      assert.deepEqual(
        keys.map(({ passkeyId }) => passkeyId),
        ['new'],
      );
      assert.equal((await people.findPerson('ada'))?.hasPassword, false);
      await people.removePerson('ada', CALLER);
      assert.equal(await people.findPasskey('new'), undefined);
    });
  });
}
