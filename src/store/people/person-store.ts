/** PersonStore in SQL; held to test/contract/person-store.contract.ts on both databases. */
import { differingFields } from '../../audit/differing-fields.ts';
import type { Role } from '../../people/person.ts';
import type { PersonStore } from '../../people/person-store.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { keepKeys } from './admin-key-store.ts';
import { passkeyStore } from './passkeys.ts';
import { identityStore } from './person-identities.ts';
import { personInvitations, withdrawInvites, withdrawLinks, withdrawResets } from './person-invitations.ts';
import { giveApplications, PERSON, type PersonRow, TAKE_TURN, toPerson } from './person-rows.ts';
import { END_OTHERS, notingRefusals, personSessions } from './person-sessions.ts';

const GIVEN = `
  SELECT client_id FROM person_application WHERE person_id = :personId ORDER BY client_id`;

export function personStore(db: Database): PersonStore {
  return {
    ...personLookups(db),
    ...personInvitations(db),
    ...personChanges(db),
    ...personSessions(db),
    ...notingRefusals(db),
    ...passkeyStore(db),
    ...identityStore(db),
  };
}

function personLookups(db: Database) {
  return {
    async hasPeople() {
      return (await db.get('SELECT person_id FROM person LIMIT 1')) !== undefined;
    },
    async listPeople() {
      const rows = await db.all<PersonRow>(`SELECT ${PERSON} FROM person p ORDER BY p.name, p.person_id`);
      return rows.map(toPerson);
    },
    async findPerson(personId) {
      const row = await db.get<PersonRow>(`SELECT ${PERSON} FROM person p WHERE p.person_id = :personId`, {
        personId,
      });
      return row && toPerson(row);
    },
    async findByLogin(login) {
      const row = await db.get<PersonRow>(`SELECT ${PERSON} FROM person p WHERE p.login = :login`, { login });
      return row && { person: toPerson(row), password: row.password };
    },
  } satisfies Partial<PersonStore>;
}

function personChanges(db: Database) {
  return {
    setRole(personId, { role, clientIds }, by) {
      return db.transaction(async (tx) => {
        await tx.change(TAKE_TURN);
        const before = await lockedRole(tx, personId);
        if (before === undefined) return false;
        const given = await tx.all<{ clientId: string }>(GIVEN, { personId });
        if (before === 'owner' && role !== 'owner' && (await ownersIn(tx)) < 2) return 'last_owner';
        await tx.change('UPDATE person SET role = :role WHERE person_id = :personId', { personId, role });
        await tx.change('DELETE FROM person_application WHERE person_id = :personId', { personId });
        await giveApplications(tx, personId, clientIds);
        if (before !== role)
          await tx.change('DELETE FROM person_session WHERE person_id = :personId', { personId });
        if (before !== role) await withdrawLinks(tx, personId, by);
        const changed = differingFields(
          { role: before, client_ids: given.map(({ clientId }) => clientId) },
          { role, client_ids: clientIds.toSorted() },
        );
        if (changed !== undefined)
          await auditFor(tx, by, { action: 'person.role_changed', subject: personId, ...changed });
        return true;
      });
    },
    removePerson(personId, by, keepsKeys = false) {
      return db.transaction(async (tx) => {
        await tx.change(TAKE_TURN);
        const role = await lockedRole(tx, personId);
        if (role === undefined) return false;
        if (role === 'owner' && (await ownersIn(tx)) < 2) return 'last_owner';
        const keptKeys = keepsKeys ? await keepKeys(tx, personId, by) : [];
        if (keptKeys === undefined) return 'own_creator';
        const removed = await tx.get<{ login: string }>(
          'DELETE FROM person WHERE person_id = :personId RETURNING login',
          { personId },
        );
        await withdrawLinks(tx, personId, by);
        await withdrawInvites(tx, removed?.login ?? '', by);
        const before = { role, ...(keepsKeys && { kept_keys: keptKeys }) };
        await auditFor(tx, by, { action: 'person.removed', subject: personId, before });
        return true;
      });
    },
    async setName(personId, name) {
      await db.change('UPDATE person SET name = :name WHERE person_id = :personId', {
        personId,
        name,
      });
    },
    async confirmAddress(personId, now) {
      const sql = 'UPDATE person SET address_confirmed_at = :now WHERE person_id = :personId';
      return (await db.change(sql, { personId, now })) > 0;
    },
    async setAlertMails(personId, getsAlertMails) {
      const sql = 'UPDATE person SET alert_mails = :alertMails WHERE person_id = :personId';
      await db.change(sql, { personId, alertMails: getsAlertMails ? 1 : 0 });
    },
    setPassword(personId, { password, keptSession }, by) {
      return db.transaction(async (tx) => {
        await tx.change(TAKE_TURN);
        await tx.change('UPDATE person SET password = :password WHERE person_id = :personId', {
          personId,
          password,
        });
        await withdrawResets(tx, { personId }, by);
        await tx.change(END_OTHERS, { personId, sessionId: keptSession });
        await auditFor(tx, by, { action: 'person.password_set', subject: personId });
      });
    },
  } satisfies Partial<PersonStore>;
}

/** Locks all owners first: if two owners remove each other, one of them finds the other deleted. */
async function lockedRole(tx: Statements, personId: string): Promise<Role | undefined> {
  await tx.change("UPDATE person SET role = role WHERE role = 'owner' OR person_id = :personId", {
    personId,
  });
  const row = await tx.get<{ role: Role }>('SELECT role FROM person WHERE person_id = :personId', {
    personId,
  });
  return row?.role;
}

async function ownersIn(tx: Statements): Promise<number> {
  const row = await tx.get<{ count: number }>(`SELECT COUNT(*) AS count FROM person WHERE role = 'owner'`);
  return row?.count ?? 0;
}
