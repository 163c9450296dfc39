/** Contract tests for IdentityStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ClaimedPerson } from '../../src/people/identity-store.ts';
import type { NewPerson } from '../../src/people/person-store.ts';
import { auditLog } from '../../src/store/audit/audit-log.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { personStore } from '../../src/store/people/person-store.ts';
import { NOW, tenTimes } from './calendar-rows.ts';

const CALLER = {
  actor: { kind: 'command_line', name: 'root' },
  address: undefined,
  now: () => NOW,
} as const;
const ISSUER = 'https://login.example';

const identity = (subject: string) => ({ issuer: ISSUER, subject });
const claimed = (id: string, change: Partial<ClaimedPerson> = {}): ClaimedPerson => ({
  person: { personId: id, name: id, login: `${id}@example.com` },
  identity: identity(`sub-${id}`),
  ...{ role: 'viewer', clientIds: [] },
  ...change,
});

async function opened(open: () => Promise<Database>) {
  const db = await open();
  const people = personStore(db);
  /** Follows a link: an invitation, or a reset link if `resets` names a member. */
  const join = async (personId: string, ways: Partial<NewPerson>, resets?: string) => {
    await people.addInvitation(
      {
        ...{
          invitationId: `i-${personId}`,
          purpose: resets === undefined ? 'invite' : 'reset',
          role: 'owner',
        },
        ...{ login: undefined, clientIds: [], personId: resets, createdAt: NOW, expiresAt: NOW + 1000 },
      },
      `h-${personId}`,
      { by: CALLER },
    );
    const facts = { personId, name: personId, login: `${personId}@example.com`, password: undefined };
    return people.acceptInvitation(`h-${personId}`, { ...facts, ...ways }, { now: NOW, by: CALLER });
  };
  const actions = async () =>
    (await auditLog(db).listEntries({}, { limit: 100 })).map(({ action }) => action);
  return { people, join, actions };
}

export function identityStoreContract(database: string, open: () => Promise<Database>): void {
  describe(`IdentityStore on ${database}`, () => {
    it('finds a person by issuer and subject, and by no other issuer’s', async () => {
      const { people, join } = await opened(open);
      await join('ada', { identity: identity('a') });

      const found = await people.findByIdentity(identity('a'));

      assert.equal(found?.personId, 'ada');
      assert.deepEqual(found?.identity, { ...identity('a'), roleSource: 'assigned', usedAt: NOW });
      assert.equal(await people.findByIdentity({ issuer: 'https://other.example', subject: 'a' }), undefined);
      assert.equal(await people.findByIdentity(identity('A')), undefined);
    });

    it('registers one of ten that bring the same claims, and nobody at an address that is taken', async () => {
      const { people, actions } = await opened(open);
      const outcomes = await tenTimes((i) =>
        people.registerClaimed(claimed(`p${i}`, { identity: identity('one') }), { now: NOW, by: CALLER }),
      );
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === 'identity_taken').length, 9);
      const [only, ...others] = await people.listPeople();
      assert.deepEqual([only?.role, only?.identity?.roleSource, others], ['viewer', 'claims', []]);
      const taken = claimed('eve', { person: { personId: 'eve', name: 'Eve', login: only?.login ?? '' } });
      assert.equal(await people.registerClaimed(taken, { now: NOW, by: CALLER }), 'login_taken');
      assert.deepEqual(await actions(), ['person.registered']);
    });

    it('an identity has one person, however many ask for it at once, and a person one identity', async () => {
      const { people, join, actions } = await opened(open);
      await tenTimes((i) => join(`p${i}`, { password: 'a hash', identity: identity(`of-${i}`) }));
      const set = await tenTimes((i) =>
        people.setIdentity(`p${i}`, identity('one'), { now: NOW, by: CALLER }),
      );
      assert.equal(set.filter(Boolean).length, 1);
      const subjects = (await people.listPeople()).map(({ identity }) => identity?.subject);
      assert.equal(new Set(subjects).size, 10);
      assert.equal((await actions())[0], 'person.identity_set');
      assert.equal(await join('eve', { identity: identity('one') }), 'identity_taken');
      assert.equal(await people.findPerson('eve'), undefined);
      assert.equal(await people.setIdentity('nobody', identity('two'), { now: NOW, by: CALLER }), false);
    });

    it('one way in stays, whichever is removed', async () => {
      const { people, join } = await opened(open);
      const passkey = { passkeyId: 'k', publicKey: 'a key', counter: 0, transports: [], name: 'Key' };
      await join('ada', { identity: identity('a'), passkey });
      assert.equal(await people.removePasskey('ada', 'k', CALLER), true);
      assert.equal(await people.removeIdentity('ada', CALLER), 'last_way');
      await people.addPasskey('ada', passkey, { now: NOW, most: 20, by: CALLER });
      assert.equal(await people.removeIdentity('ada', CALLER), true);
      assert.equal(await people.removeIdentity('ada', CALLER), false);
      assert.equal(await people.removePasskey('ada', 'k', CALLER), 'last_way');
    });

    it('a reset link removes the previous identity, and its claims no longer apply', async () => {
      const { people, join } = await opened(open);
      await people.registerClaimed(claimed('ada', { role: 'owner' }), { now: NOW, by: CALLER });
      assert.equal(await join('again', { password: 'a hash' }, 'ada'), 'done');
      const person = await people.findPerson('ada');
      assert.deepEqual([person?.identity, person?.hasPassword, person?.role], [undefined, true, 'owner']);
    });

    it('knows whether an owner has signed in at an issuer', async () => {
      const { people, join } = await opened(open);
      await people.registerClaimed(claimed('ben'), { now: NOW, by: CALLER });
      assert.equal(await people.hasOwnerAt(ISSUER), false);
      await join('ada', { identity: identity('a') });
      assert.equal(await people.hasOwnerAt(ISSUER), true);
      assert.equal(await people.hasOwnerAt('https://other.example'), false);
      await people.useIdentity(identity('a'), NOW + 5);
      assert.equal((await people.findPerson('ada'))?.identity?.usedAt, NOW + 5);
    });
  });
}
