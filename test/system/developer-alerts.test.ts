/** Alerts of their applications for developers, with a virtual clock, on both databases. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Mail, MailError } from '../../src/lib/mail/mailer.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { mailChannel } from '../../src/system/alert-channels.ts';
import { alertsDue } from '../../src/system/alert-schedule.ts';
import { NOW, sealer } from '../contract/calendar-rows.ts';
import { collectingLog } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';

const MINUTE = 60_000;
const PUBLIC = 'https://kalends.example';
const by = undefined;

/** Opens a worker on a database with a developer of `acme`, and a failing endpoint of `acme` and of `other`. */
async function openWorker(db: Database) {
  const stores = openStores(db, { sealer });
  const sent: Mail[] = [];
  const state = { now: NOW, isDown: false };
  const mailer = {
    async send(mail: Mail) {
      if (state.isDown) throw new MailError('The mail server cannot be reached.');
      sent.push(mail);
    },
  };
  for (const id of ['acme', 'other']) {
    await db.change(
      `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
       VALUES (:id, :id, 'https://acme.example/cb', 1, 1)`,
      { id },
    );
    await db.change(
      `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, state, failures, failing_since, created_at)
       VALUES (:id, :id, :url, :url, 0, 'active', 9, :since, 1)`,
      { id, url: `https://${id}.example/hook`, since: NOW - 60 * MINUTE },
    );
  }
  const addMember = async (personId: string, role: 'developer' | 'viewer' = 'developer') => {
    const link = { invitationId: personId, role, login: undefined, clientIds: ['acme'], createdAt: NOW };
    const until = { expiresAt: NOW + MINUTE, purpose: 'invite', personId: undefined } as const;
    await stores.people.addInvitation({ ...link, ...until }, personId, { by });
    const person = { personId, name: personId, login: `${personId}@example.com`, password: 'hash' };
    assert.equal(await stores.people.acceptInvitation(personId, person, { now: NOW, by }), 'done');
  };
  const now = () => state.now;
  const look = alertsDue({
    ...stores,
    ...{ channels: [], program: { check: async () => [] }, log: collectingLog(), now, dashboardUrl: PUBLIC },
    openMailChannel: (address) => mailChannel(address, { mailer, publicUrl: PUBLIC }),
  });
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      await look();
      state.now += MINUTE;
    }
  };
  const recipients = () => sent.splice(0).map(({ to }) => to);
  return { ...stores, db, state, sent, addMember, pass, recipients };
}

onEachDatabase((database, open) => {
  it(`a developer with a confirmed address gets the alerts of their applications alone, on ${database}`, async () => {
    const { people, addMember, pass, sent } = await openWorker(await open());
    for (const id of ['ada', 'ben']) await addMember(id);
    await addMember('eve', 'viewer');
    for (const id of ['ada', 'eve']) assert.equal(await people.confirmAddress(id, NOW), true);
    assert.equal(await people.confirmAddress('nobody', NOW), false);

    await pass(10);

    assert.deepEqual(
      sent.map(({ to }) => to),
      ['ada@example.com'],
    );
    assert.match(String(sent[0]?.text), /acme/);
    assert.doesNotMatch(String(sent[0]?.text), /other/);
  });

  it(`a developer who turns alerts off, or loses the application, gets no notice that waits, on ${database}`, async () => {
    const { people, state, addMember, pass, recipients } = await openWorker(await open());
    for (const id of ['ada', 'ben', 'cleo', 'dan']) {
      await addMember(id);
      await people.confirmAddress(id, NOW);
    }
    state.isDown = true;
    await pass(3);
    await people.setAlertMails('ada', false);
    await people.setRole('ben', { role: 'developer', clientIds: ['other'] }, by);
    await people.removePerson('cleo', by);
    state.isDown = false;

    await pass(10);

    assert.deepEqual(recipients(), ['dan@example.com']);
  });

  it(`a mail that fails delays all developers, and each gets it once, on ${database}`, async () => {
    const { people, state, addMember, pass, recipients } = await openWorker(await open());
    for (const id of ['ada', 'ben']) {
      await addMember(id);
      await people.confirmAddress(id, NOW);
    }
    state.isDown = true;
    await pass(8);
    assert.deepEqual(recipients(), []);
    state.isDown = false;
    await pass(15);
    assert.deepEqual(recipients().toSorted(), ['ada@example.com', 'ben@example.com']);
  });
});
