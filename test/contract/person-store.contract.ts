/** Contract tests for PersonStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Caller } from '../../src/audit/audit-entry.ts';
import type { Role } from '../../src/people/person.ts';
import type { Invitation, NewPerson, PersonStore } from '../../src/people/person-store.ts';
import { clientStore } from '../../src/store/applications/client-store.ts';
import { auditLog } from '../../src/store/audit/audit-log.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { personStore } from '../../src/store/people/person-store.ts';
import { userStore } from '../../src/store/users/user-store.ts';
import { webhookKeyStore } from '../../src/store/webhooks/webhook-key-store.ts';
import { NOW, tenTimes } from './calendar-rows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CALLER: Caller = { actor: { kind: 'command_line', name: 'root' }, address: undefined, now: () => NOW };

const TERMS = { now: NOW, by: CALLER };

const invitation = (id: string, change: Partial<Invitation> = {}): Invitation => ({
  invitationId: id,
  purpose: 'invite',
  role: 'owner',
  login: undefined,
  clientIds: [],
  personId: undefined,
  createdAt: NOW,
  expiresAt: NOW + HOUR,
  ...change,
});
const newPerson = (personId: string, login = `${personId}@example.com`): NewPerson => ({
  personId,
  login,
  name: `Name of ${personId}`,
  password: 'a hash',
});

async function join(people: PersonStore, personId: string, change: Partial<Invitation> = {}): Promise<void> {
  assert.equal(
    await people.addInvitation(invitation(`i-${personId}`, change), `h-${personId}`, { by: CALLER }),
    true,
  );
  assert.equal(
    await people.acceptInvitation(`h-${personId}`, newPerson(personId), { now: NOW, by: CALLER }),
    'done',
  );
}

async function opened(open: () => Promise<Database>) {
  const db = await open();
  const clients = clientStore(db);
  for (const clientId of ['acme', 'other']) {
    const facts = { clientId, name: clientId, displayName: undefined, webhookUrl: undefined };
    await clients.createClient(
      { ...facts, redirectUri: 'https://a.example/', createdAt: NOW },
      clientId,
      undefined,
    );
  }
  const people = personStore(db);
  const actions = async () =>
    (await auditLog(db).listEntries({}, { limit: 100 })).map(({ action }) => action);
  return { db, people, actions, clients };
}

const session = (sessionId: string, personId: string, at = NOW) => ({
  ...{ sessionId, personId, sessionHash: `hash of ${sessionId}`, createdAt: at, seenAt: at, provedAt: at },
  ...{ address: '192.0.2.1', browser: 'Firefox' },
});
const SINCE = { seenAfter: NOW - HOUR, createdAfter: NOW - HOUR };

export function personStoreContract(database: string, open: () => Promise<Database>): void {
  describe(`PersonStore on ${database}: links`, () => {
    it('a link lets one person in, however many complete it at once', async () => {
      const { people, actions } = await opened(open);
      await people.addInvitation(invitation('i', { role: 'developer', clientIds: ['acme', 'gone'] }), 'h', {
        by: CALLER,
      });
      const outcomes = await tenTimes((i) =>
        people.acceptInvitation('h', newPerson(`p${i}`), { now: NOW, by: CALLER }),
      );
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1);
      assert.deepEqual(new Set(outcomes), new Set(['done', 'link_ended']));
      const [only, ...others] = await people.listPeople();
      assert.deepEqual(others, []);
      assert.deepEqual([only?.role, only?.clientIds, only?.hasPassword], ['developer', ['acme'], true]);
      assert.deepEqual(await actions(), ['person.registered', 'person.invited']);
    });

    it('of ten that set an instance up at once, each with a link of its own, one is its owner', async () => {
      const { people } = await opened(open);
      await tenTimes((i) =>
        people.addInvitation(invitation(`i${i}`, { purpose: 'setup' }), `h${i}`, { by: CALLER }),
      );
      const outcomes = await tenTimes((i) =>
        people.acceptInvitation(`h${i}`, newPerson(`p${i}`), { now: NOW, by: CALLER }),
      );
      assert.deepEqual(
        outcomes.filter((outcome) => outcome !== 'link_ended'),
        ['done'],
      );
      assert.equal((await people.listPeople()).length, 1);
      assert.deepEqual(await people.listInvitations(NOW), []);
      assert.equal(
        await people.addInvitation(invitation('late', { purpose: 'setup' }), 'late', { by: CALLER }),
        false,
      );
    });

    it('a link is not spent by an address that is taken, nor by being looked at, and ends in time', async () => {
      const { people } = await opened(open);
      await join(people, 'ada');
      await people.addInvitation(invitation('i'), 'h', { by: CALLER });
      assert.equal((await people.findInvitation('h', NOW))?.invitationId, 'i');
      assert.equal(
        await people.acceptInvitation('h', newPerson('b', 'ada@example.com'), { now: NOW, by: CALLER }),
        'login_taken',
      );
      assert.equal(
        await people.acceptInvitation('h', newPerson('b'), { now: NOW + HOUR, by: CALLER }),
        'link_ended',
      );
      assert.equal(await people.findInvitation('h', NOW + HOUR), undefined);
      assert.equal(await people.acceptInvitation('h', newPerson('b'), { now: NOW, by: CALLER }), 'done');
    });

    it('a way back in sets the password, ends all sessions and makes nobody new', async () => {
      const { people, actions } = await opened(open);
      await join(people, 'ada');
      await people.addSession(session('s', 'ada'), CALLER);
      await people.addInvitation(invitation('r', { purpose: 'reset', personId: 'ada' }), 'r', { by: CALLER });
      const changed = { ...newPerson('someone-else', 'else@example.com'), password: 'another hash' };
      assert.equal(await people.acceptInvitation('r', changed, { now: NOW, by: CALLER }), 'done');
      assert.equal((await people.findByLogin('ada@example.com'))?.password, 'another hash');
      assert.equal((await people.listPeople()).length, 1);
      assert.deepEqual(await people.listSessions('ada'), []);
      assert.deepEqual((await actions()).slice(0, 3), [
        'person.password_set',
        'person.reset',
        'person.signed_in',
      ]);
    });
  });

  describe(`PersonStore on ${database}: roles`, () => {
    it('a newer reset link, a new password and a forced sign-out end the reset link of a member', async () => {
      const { people, actions } = await opened(open);
      await join(people, 'ada');
      const addReset = (id: string) =>
        people.addInvitation(invitation(id, { purpose: 'reset', personId: 'ada' }), id, { by: CALLER });
      const openLinks = async () =>
        (await people.listInvitations(NOW)).map(({ invitationId }) => invitationId);
      await addReset('first');
      await addReset('second');
      assert.deepEqual(await openLinks(), ['second']);
      const creator = { personId: 'ada', sessionId: 'ended' };
      const refused = invitation('refused', { purpose: 'reset', personId: 'ada' });
      assert.equal(await people.addInvitation(refused, 'refused', { creator, by: CALLER }), false);
      assert.deepEqual(await openLinks(), ['second']);

      await people.setPassword('ada', { password: 'new', keptSession: 'none' }, CALLER);
      assert.deepEqual(await openLinks(), []);
      await addReset('third');
      await people.endSessions('ada', CALLER);
      assert.deepEqual(await openLinks(), []);
      const withdrawn = (await actions()).filter((action) => action === 'person.invitation_withdrawn');
      assert.equal(withdrawn.length, 3);
    });

    it('the other invitations of an address end when it joins, and those that are left when it is removed', async () => {
      const { people } = await opened(open);
      await join(people, 'ben');
      const login = 'ada@example.com';
      await people.addInvitation(invitation('early', { login }), 'early', { by: CALLER });
      await people.addInvitation(invitation('other', { login: 'cyd@example.com' }), 'other', { by: CALLER });
      await join(people, 'ada', { login });
      assert.equal(await people.acceptInvitation('early', newPerson('x', login), TERMS), 'link_ended');

      await people.addInvitation(invitation('late', { login }), 'late', { by: CALLER });
      await people.removePerson('ada', CALLER);
      assert.equal(await people.acceptInvitation('late', newPerson('x', login), TERMS), 'link_ended');
      assert.equal((await people.listInvitations(NOW)).length, 1);
    });

    it('an instance keeps an owner, however many remove each other at once', async () => {
      const { people } = await opened(open);
      await tenTimes((i) => join(people, `p${i}`));
      const outcomes = await tenTimes((i) => people.removePerson(`p${i}`, CALLER));
      assert.equal(outcomes.filter((outcome) => outcome === 'last_owner').length, 1);
      const [last] = await people.listPeople();
      assert.equal(
        await people.setRole(last?.personId ?? '', { role: 'viewer', clientIds: [] }, CALLER),
        'last_owner',
      );
      assert.equal(last?.role, 'owner');
    });

    it('another role ends the sessions, other applications do not; both are audited once', async () => {
      const { people, actions, clients } = await opened(open);
      await join(people, 'ada');
      await join(people, 'ben', { role: 'developer', clientIds: ['acme'] });
      await people.addSession(session('s', 'ben'), CALLER);
      const change = async (role: Role, ids: string[]) =>
        people.setRole('ben', { role, clientIds: ids }, CALLER);
      await change('developer', ['other']);
      assert.deepEqual((await people.findPerson('ben'))?.clientIds, ['other']);
      assert.equal((await people.listSessions('ben')).length, 1);
      await change('developer', ['other']);
      await change('viewer', []);
      assert.deepEqual(await people.listSessions('ben'), []);
      assert.equal((await actions()).filter((action) => action === 'person.role_changed').length, 2);
      assert.equal(await people.setRole('nobody', { role: 'viewer', clientIds: [] }, CALLER), false);

      await change('developer', ['other']);
      await clients.deleteClient('other', NOW, undefined);
      assert.deepEqual((await people.findPerson('ben'))?.clientIds, []);
    });
  });

  describe(`PersonStore on ${database}: sessions`, () => {
    it('a session is found while it is used and not too old, and by its hash alone', async () => {
      const { people } = await opened(open);
      await join(people, 'ada');
      await people.addSession(session('s', 'ada'), CALLER);
      await people.addSession(session('of-nobody', 'nobody'), CALLER);
      const found = await people.findSession('hash of s', SINCE);
      assert.deepEqual([found?.person.personId, found?.session.provedAt], ['ada', NOW]);
      assert.equal(await people.findSession('hash of of-nobody', SINCE), undefined);
      assert.equal(await people.findSession('hash of s', { ...SINCE, seenAfter: NOW }), undefined);
      assert.equal(await people.findSession('hash of s', { ...SINCE, createdAfter: NOW }), undefined);
      await people.touchSession('s', NOW + 5);
      await people.proveSession('s', NOW + 7);
      const [listed] = await people.listSessions('ada');
      assert.deepEqual([listed?.seenAt, listed?.provedAt], [NOW + 5, NOW + 7]);
      assert.equal((await people.findPerson('ada'))?.seenAt, NOW + 5);
    });

    it('a new password ends the other sessions, and no member can end those of another', async () => {
      const { people } = await opened(open);
      await join(people, 'ada');
      await join(people, 'ben');
      for (const id of ['s1', 's2', 's3']) await people.addSession(session(id, 'ada'), CALLER);
      await people.endSession('ben', 's1');
      assert.equal((await people.listSessions('ada')).length, 3);
      await people.endSession('ada', 's1');
      await people.setPassword('ada', { password: 'newer', keptSession: 's2' }, CALLER);
      assert.deepEqual(
        (await people.listSessions('ada')).map(({ sessionId }) => sessionId),
        ['s2'],
      );
      await people.removePerson('ada', CALLER);
      assert.equal(await people.findSession('hash of s2', SINCE), undefined);
    });

    it('what has ended is deleted, and nothing else', async () => {
      const { people } = await opened(open);
      await join(people, 'ada');
      await people.addSession(session('old', 'ada', NOW - 10), CALLER);
      await people.addSession(session('new', 'ada', NOW), CALLER);
      await people.addInvitation(invitation('ended', { expiresAt: NOW }), 'a', { by: CALLER });
      await people.addInvitation(invitation('open'), 'b', { by: CALLER });
      assert.equal(await people.deleteEnded({ seen: NOW - 10, created: 0, now: NOW }), 2);
      assert.deepEqual((await people.listInvitations(0)).length, 1);
      assert.deepEqual((await people.listSessions('ada')).length, 1);
    });
  });

  describe(`GivenApplications on ${database}`, () => {
    it('an application without messages has own keys once a developer is given it, unless it was switched', async () => {
      const { db, people, clients } = await opened(open);
      const keys = webhookKeyStore(db);
      const owned = async () =>
        (await keys.listKeyUses()).filter((use) => use.keys === 'own').map(({ clientId }) => clientId);
      const facts = { name: 'x', displayName: undefined, redirectUri: 'https://a.example/', createdAt: NOW };
      const used = { ...facts, clientId: 'used', webhookUrl: 'https://a.example/hook' };
      await clients.createClient(used, 'hash of used', undefined);
      await addMessageOf('used', db);
      await keys.switchWebhookKeys({ clientId: 'other', keys: 'instance', overlapUntil: NOW, by: undefined });
      const clientIds = ['acme', 'other', 'used', 'no-such'];

      await join(people, 'ben', { role: 'viewer', clientIds });
      assert.deepEqual(await owned(), []);
      await people.setRole('ben', { role: 'developer', clientIds }, CALLER);

      assert.deepEqual(await owned(), ['acme']);
    });

    it('an invitation and single sign-on give an application its own keys too', async () => {
      const { db, people } = await opened(open);
      await join(people, 'ben', { role: 'developer', clientIds: ['acme'] });
      const person = { personId: 'eve', name: 'Eve', login: 'eve@example.com' };
      const identity = { issuer: 'https://issuer.example', subject: 'eve' };
      await people.registerClaimed(
        { person, identity, role: 'developer', clientIds: ['other'] },
        { now: NOW, by: CALLER },
      );

      const uses = await webhookKeyStore(db).listKeyUses();

      assert.deepEqual(
        uses.map((use) => use.keys),
        ['own', 'own'],
      );
    });
  });

  describe(`PersonStore on ${database}: refused sign-ins`, () => {
    const noted = async (db: Database) =>
      (await auditLog(db).listEntries({ action: 'person.sign_in_refused' }, { limit: 10 })).map(
        ({ at, subject, after }) => ({ at, subject, ...after }),
      );

    it('are audited once in ten minutes per member, however many come at once', async () => {
      const { db, people } = await opened(open);
      for (const name of ['ada', 'ben']) await join(people, name);
      await tenTimes(() => people.noteRefusedSignIn('ada', false, { now: NOW, by: CALLER }));
      await people.noteRefusedSignIn('ben', true, { now: NOW + 1, by: CALLER });
      await people.noteRefusedSignIn('nobody', true, { now: NOW + 1, by: CALLER });
      const later = { ...CALLER, now: () => NOW + 10 * MINUTE };
      await people.noteRefusedSignIn('ada', false, { now: NOW + 10 * MINUTE - 1, by: later });
      await people.noteRefusedSignIn('ada', true, { now: NOW + 10 * MINUTE, by: later });
      assert.deepEqual(await noted(db), [
        { at: NOW + 10 * MINUTE, subject: 'ada', count: 11, known_browser: true },
        { at: NOW, subject: 'ben', count: 1, known_browser: true },
        { at: NOW, subject: 'ada', count: 1, known_browser: false },
      ]);
    });

    it('are counted for a session since the sign-in before it', async () => {
      const { people } = await opened(open);
      await join(people, 'ada');
      const refuse = async (times: number) => {
        for (let time = 0; time < times; time += 1)
          await people.noteRefusedSignIn('ada', false, { now: NOW, by: CALLER });
      };
      const counted = async (id: string) =>
        (await people.findSession(`hash of ${id}`, SINCE))?.refusedSignIns;
      await refuse(2);
      await people.addSession(session('first', 'ada', NOW + 1), CALLER);
      await refuse(3);
      await people.addSession(session('second', 'ada', NOW + 2), CALLER);
      await refuse(4);
      await people.addSession(session('third', 'ada', NOW + 3), CALLER);
      assert.deepEqual(await counted('first'), { count: 9, since: NOW + 1 });
      assert.deepEqual(await counted('second'), { count: 7, since: NOW + 1 });
      assert.deepEqual(await counted('third'), { count: 4, since: NOW + 2 });
    });
  });
}

/** Adds a delivery of an application with a webhook URL. */
async function addMessageOf(clientId: string, db: Database): Promise<void> {
  await userStore(db).loadOrCreateUser(clientId, 'ada', NOW);
  await db.write(
    `INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, provider, sequence, change_type,
       event_count, shows, body, state, next_at, created_at)
     SELECT 'm1', endpoint_id, client_id, 'ada', 'caldav', 1, 'updated', 1, 'events', '', 'dead', 0, 0
       FROM webhook_endpoint WHERE client_id = :clientId`,
    { clientId },
  );
}
