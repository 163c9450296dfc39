/** IdentityStore in SQL; held to test/contract/identity-store.contract.ts on both databases. */
import type { ChangeTerms } from '../../audit/audit-entry.ts';
import type { Identity, RoleSource } from '../../people/identity.ts';
import type { ClaimedPerson, IdentityStore } from '../../people/identity-store.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { giveApplications, LOCK_WAYS_IN, PERSON, type PersonRow, toPerson } from './person-rows.ts';

const ADD = `
  INSERT INTO person_identity (issuer, subject, person_id, role_source, created_at, used_at)
  VALUES (:issuer, :subject, :personId, :roleSource, :now, :usedAt)
  ON CONFLICT (issuer, subject) DO NOTHING`;
const ADD_PERSON = `
  INSERT INTO person (person_id, name, login, role, created_at)
  VALUES (:personId, :name, :login, :role, :now) ON CONFLICT (login) DO NOTHING`;
const REMOVE = 'DELETE FROM person_identity WHERE person_id = :personId RETURNING issuer, subject';

/** Rolls the transaction back: another member received the identity in the meantime. */
class IdentityTaken extends Error {}

export function identityStore(db: Database): IdentityStore {
  return {
    async findByIdentity({ issuer, subject }) {
      const row = await db.get<PersonRow>(
        `SELECT ${PERSON} FROM person_identity i JOIN person p ON p.person_id = i.person_id
          WHERE i.issuer = :issuer AND i.subject = :subject`,
        { issuer, subject },
      );
      return row && toPerson(row);
    },
    async registerClaimed(claimed, terms) {
      const registration = db.transaction((tx) => register(tx, claimed, terms));
      return unlessTaken(registration, 'identity_taken' as const);
    },
    async setIdentity(personId, identity, { now, by }) {
      const change = db.transaction(async (tx) => {
        if ((await tx.change(LOCK_WAYS_IN, { personId })) === 0) return false;
        const { issuer, subject } = identity;
        const owner = await tx.get<{ personId: string }>(
          'SELECT person_id FROM person_identity WHERE issuer = :issuer AND subject = :subject',
          { issuer, subject },
        );
        if (owner !== undefined) return owner.personId === personId;
        await tx.change(REMOVE, { personId });
        if (!(await insertIdentity(tx, { personId, identity, roleSource: 'assigned', now, usedAt: now })))
          throw new IdentityTaken();
        await auditFor(tx, by, {
          action: 'person.identity_set',
          subject: personId,
          after: { ...identity },
        });
        return true;
      });
      return unlessTaken(change, false);
    },
    removeIdentity(personId, by) {
      return db.transaction(async (tx) => {
        const person = await tx.get<{ password: string | undefined }>(LOCK_WAYS_IN, { personId });
        if (person === undefined) return false;
        const passkey = await tx.get('SELECT passkey_id FROM passkey WHERE person_id = :personId LIMIT 1', {
          personId,
        });
        if (person.password === undefined && passkey === undefined) return 'last_way';
        const [before] = await tx.all<Identity>(REMOVE, { personId });
        if (before === undefined) return false;
        await auditFor(tx, by, {
          action: 'person.identity_removed',
          subject: personId,
          before: { ...before },
        });
        return true;
      });
    },
    async useIdentity({ issuer, subject }, now) {
      await db.change(
        `UPDATE person_identity SET used_at = :now WHERE issuer = :issuer AND subject = :subject`,
        { issuer, subject, now },
      );
    },
    async hasOwnerAt(issuer) {
      const sql = `
        SELECT i.person_id FROM person_identity i JOIN person p ON p.person_id = i.person_id
         WHERE i.issuer = :issuer AND i.used_at IS NOT NULL AND p.role = 'owner' LIMIT 1`;
      return (await db.get(sql, { issuer })) !== undefined;
    },
  };
}

async function register(
  tx: Statements,
  { person: { personId, name, login }, identity, role, clientIds }: ClaimedPerson,
  { now, by }: ChangeTerms,
): Promise<'done' | 'login_taken'> {
  if ((await tx.change(ADD_PERSON, { personId, name, login, role, now })) === 0) return 'login_taken';
  if (!(await insertIdentity(tx, { personId, identity, roleSource: 'claims', now, usedAt: now })))
    throw new IdentityTaken();
  await giveApplications(tx, personId, clientIds);
  const given = role === 'developer' && { client_ids: clientIds };
  const after = { email: login, role, ...identity, ...given };
  await auditFor(tx, by, { action: 'person.registered', subject: personId, after });
  return 'done';
}

async function unlessTaken<T, U>(change: Promise<T>, taken: U): Promise<T | U> {
  try {
    return await change;
  } catch (reason) {
    if (reason instanceof IdentityTaken) return taken;
    throw reason;
  }
}

/** Returns false if a member has the identity already. The person's row is locked or new in this transaction. */
export async function insertIdentity(
  tx: Statements,
  {
    identity: { issuer, subject },
    ...values
  }: {
    readonly personId: string;
    readonly identity: Identity;
    readonly roleSource: RoleSource;
    readonly now: number;
    readonly usedAt: number | undefined;
  },
): Promise<boolean> {
  return (await tx.change(ADD, { ...values, usedAt: values.usedAt ?? null, issuer, subject })) > 0;
}
