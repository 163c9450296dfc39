/** PersonStore in SQL; held to test/contract/person-store.contract.ts on both databases. */
import type { Caller } from '../audit/audit-entry.ts';
import { differingFields } from '../audit/differing-fields.ts';
import type { Person, Role } from '../people/person.ts';
import type {
  Accepted,
  Invitation,
  InvitationPurpose,
  NewPerson,
  PersonStore,
  Session,
} from '../people/person-store.ts';
import { auditFor } from './append-audit.ts';
import type { Database, Statements } from './drivers/database.ts';

type PersonRow = Omit<Person, 'clientIds' | 'hasPassword' | 'seenAt'> & {
  readonly password: string | null;
  readonly seenAt: number | null;
  readonly clientIds: string | null;
};
type InvitationRow = Omit<Invitation, 'clientIds' | 'login' | 'personId'> & {
  readonly clientIds: string;
  readonly login: string | null;
  readonly personId: string | null;
};

const PERSON = `
  p.person_id AS "personId", p.name, p.login, p.role, p.password, p.created_at AS "createdAt", p.seen_at AS "seenAt",
  (SELECT string_agg(a.client_id, ',') FROM person_application a WHERE a.person_id = p.person_id) AS "clientIds"`;
const INVITATION = `
  invitation_id AS "invitationId", purpose, role, login, client_ids AS "clientIds", person_id AS "personId",
  created_at AS "createdAt", expires_at AS "expiresAt"`;
const SESSION = `
  s.session_id AS "sessionId", s.created_at AS "createdAt", s.seen_at AS "sessionSeenAt", s.proved_at AS "provedAt",
  s.address, s.browser`;

// A setup link is for an instance without people.
const ADD_INVITATION = `
  INSERT INTO invitation (token_hash, invitation_id, purpose, role, login, client_ids, person_id, created_at, expires_at)
  SELECT :tokenHash, :invitationId, :purpose, :role, CAST(:login AS TEXT), :clientIds, CAST(:personId AS TEXT),
         CAST(:createdAt AS BIGINT), CAST(:expiresAt AS BIGINT)
   WHERE (CAST(:purpose AS TEXT) <> 'setup' OR NOT EXISTS (SELECT 1 FROM person))
     AND (CAST(:personId AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM person WHERE person_id = :personId))
  RETURNING invitation_id`;
// Of several that set an instance up at once one may: they take turns at this row.
const TAKE_TURN = `
  INSERT INTO setting (name, value) VALUES ('person_registered', :personId)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
const SPEND = `DELETE FROM invitation WHERE token_hash = :tokenHash AND expires_at > :now RETURNING ${INVITATION}`;
const ADD_PERSON = `
  INSERT INTO person (person_id, name, login, role, password, created_at)
  VALUES (:personId, :name, :login, :role, :password, :now) ON CONFLICT (login) DO NOTHING RETURNING person_id`;
const GIVE = `
  INSERT INTO person_application (person_id, client_id)
  SELECT CAST(:personId AS TEXT), client_id FROM application WHERE client_id = :clientId ON CONFLICT DO NOTHING`;
const GIVEN = `
  SELECT client_id AS "clientId" FROM person_application WHERE person_id = :personId ORDER BY client_id`;
const ADD_SESSION = `
  INSERT INTO person_session (session_hash, session_id, person_id, created_at, seen_at, proved_at, address, browser)
  SELECT :sessionHash, :sessionId, person_id, CAST(:createdAt AS BIGINT), CAST(:seenAt AS BIGINT), CAST(:provedAt AS BIGINT),
         :address, :browser FROM person WHERE person_id = :personId RETURNING session_id`;

/** People in `db`. What `caller` changes is audited. */
export function personStore(db: Database, caller?: Caller): PersonStore {
  return {
    ...peopleOf(db),
    ...invitationsOf(db, caller),
    ...changesOf(db, caller),
    ...sessionsOf(db, caller),
  };
}

function peopleOf(db: Database) {
  return {
    async hasPeople() {
      return (await db.get('SELECT person_id FROM person LIMIT 1')) !== undefined;
    },
    async listPeople() {
      const rows = await db.all<PersonRow>(`SELECT ${PERSON} FROM person p ORDER BY p.name, p.person_id`);
      return rows.map(personOf);
    },
    async findPerson(personId) {
      const row = await db.get<PersonRow>(`SELECT ${PERSON} FROM person p WHERE p.person_id = :personId`, {
        personId,
      });
      return row && personOf(row);
    },
    async findByLogin(login) {
      const row = await db.get<PersonRow>(`SELECT ${PERSON} FROM person p WHERE p.login = :login`, { login });
      return row && { person: personOf(row), password: row.password ?? undefined };
    },
  } satisfies Partial<PersonStore>;
}

function invitationsOf(db: Database, caller: Caller | undefined) {
  return {
    addInvitation({ login, personId, clientIds, ...invitation }, tokenHash) {
      const values = {
        login: login ?? null,
        personId: personId ?? null,
        clientIds: JSON.stringify(clientIds),
      };
      return db.transaction(async (tx) => {
        const added = await tx.all(ADD_INVITATION, { ...invitation, ...values, tokenHash });
        if (added.length === 0) return false;
        const isReset = personId !== undefined;
        await auditFor(tx, caller, {
          action: isReset ? 'person.reset' : 'person.invited',
          subject: personId ?? invitation.invitationId,
          ...(!isReset && { after: { role: invitation.role, email: login ?? null, client_ids: clientIds } }),
        });
        return true;
      });
    },
    async findInvitation(tokenHash, now) {
      const row = await db.get<InvitationRow>(
        `SELECT ${INVITATION} FROM invitation WHERE token_hash = :tokenHash AND expires_at > :now`,
        { tokenHash, now },
      );
      return row && invitationOf(row);
    },
    async listInvitations(now) {
      const rows = await db.all<InvitationRow>(
        `SELECT ${INVITATION} FROM invitation WHERE expires_at > :now ORDER BY created_at DESC, invitation_id`,
        { now },
      );
      return rows.map(invitationOf);
    },
    removeInvitation(invitationId) {
      const sql = 'DELETE FROM invitation WHERE invitation_id = :invitationId RETURNING invitation_id';
      return db.transaction(async (tx) => {
        if ((await tx.all(sql, { invitationId })).length === 0) return false;
        await auditFor(tx, caller, { action: 'person.invitation_withdrawn', subject: invitationId });
        return true;
      });
    },
    async acceptInvitation(tokenHash, person, now) {
      try {
        return await db.transaction((tx) => accept(tx, { tokenHash, person, now, caller }));
      } catch (reason) {
        // The link is not spent by a form that cannot be accepted.
        if (reason instanceof NotAccepted) return reason.outcome;
        throw reason;
      }
    },
  } satisfies Partial<PersonStore>;
}

/** Undoes the transaction. */
class NotAccepted extends Error {
  readonly outcome: Accepted;
  constructor(outcome: Accepted) {
    super(outcome);
    this.outcome = outcome;
  }
}

type Acceptance = {
  readonly tokenHash: string;
  readonly person: NewPerson;
  readonly now: number;
  readonly caller: Caller | undefined;
};

async function accept(tx: Statements, { tokenHash, person, now, caller }: Acceptance): Promise<Accepted> {
  await tx.all(TAKE_TURN, { personId: person.personId });
  const spent = await tx.get<InvitationRow>(SPEND, { tokenHash, now });
  if (spent === undefined) return 'link_ended';
  const { purpose, role, clientIds, personId } = invitationOf(spent);
  const { name, login, password = null } = person;
  if (personId !== undefined) {
    await tx.all('UPDATE person SET password = :password WHERE person_id = :personId RETURNING person_id', {
      personId,
      password,
    });
    await tx.all('DELETE FROM person_session WHERE person_id = :personId', { personId });
    await auditFor(tx, caller, { action: 'person.password_set', subject: personId });
    return 'done';
  }
  if (purpose === 'setup') {
    // Every start printed one of its own.
    await tx.all("DELETE FROM invitation WHERE purpose = 'setup'");
    if ((await tx.get('SELECT person_id FROM person LIMIT 1')) !== undefined) return 'link_ended';
  }
  const added = await tx.all(ADD_PERSON, { personId: person.personId, name, login, password, role, now });
  if (added.length === 0) throw new NotAccepted('login_taken');
  for (const clientId of clientIds) await tx.all(GIVE, { personId: person.personId, clientId });
  const after = { email: login, role, ...(role === 'developer' && { client_ids: clientIds }) };
  await auditFor(tx, caller, { action: 'person.registered', subject: person.personId, after });
  return 'done';
}

function changesOf(db: Database, caller: Caller | undefined) {
  return {
    setRole(personId, role, clientIds) {
      return db.transaction(async (tx) => {
        const before = await lockedRole(tx, personId);
        if (before === undefined) return false;
        const given = await tx.all<{ clientId: string }>(GIVEN, { personId });
        if (before === 'owner' && role !== 'owner' && (await ownersIn(tx)) < 2) return 'last_owner';
        await tx.all('UPDATE person SET role = :role WHERE person_id = :personId', { personId, role });
        await tx.all('DELETE FROM person_application WHERE person_id = :personId', { personId });
        for (const clientId of clientIds) await tx.all(GIVE, { personId, clientId });
        if (before !== role)
          await tx.all('DELETE FROM person_session WHERE person_id = :personId', { personId });
        const changed = differingFields(
          { role: before, client_ids: given.map(({ clientId }) => clientId) },
          { role, client_ids: clientIds.toSorted() },
        );
        if (changed !== undefined)
          await auditFor(tx, caller, { action: 'person.role_changed', subject: personId, ...changed });
        return true;
      });
    },
    removePerson(personId) {
      return db.transaction(async (tx) => {
        const role = await lockedRole(tx, personId);
        if (role === undefined) return false;
        if (role === 'owner' && (await ownersIn(tx)) < 2) return 'last_owner';
        await tx.all('DELETE FROM person WHERE person_id = :personId', { personId });
        await auditFor(tx, caller, { action: 'person.removed', subject: personId, before: { role } });
        return true;
      });
    },
    async setName(personId, name) {
      await db.write('UPDATE person SET name = :name WHERE person_id = :personId RETURNING person_id', {
        personId,
        name,
      });
    },
    setPassword(personId, password, keptSession) {
      return db.transaction(async (tx) => {
        await tx.all('UPDATE person SET password = :password WHERE person_id = :personId', {
          personId,
          password,
        });
        await tx.all(END_OTHERS, { personId, sessionId: keptSession });
        await auditFor(tx, caller, { action: 'person.password_set', subject: personId });
      });
    },
  } satisfies Partial<PersonStore>;
}

/** Locks all owners first, so that of two that remove each other one finds the other gone. */
async function lockedRole(tx: Statements, personId: string): Promise<Role | undefined> {
  await tx.all(
    "UPDATE person SET role = role WHERE role = 'owner' OR person_id = :personId RETURNING person_id",
    {
      personId,
    },
  );
  const row = await tx.get<{ role: Role }>('SELECT role FROM person WHERE person_id = :personId', {
    personId,
  });
  return row?.role;
}

async function ownersIn(tx: Statements): Promise<number> {
  const row = await tx.get<{ count: number }>(`SELECT COUNT(*) AS "count" FROM person WHERE role = 'owner'`);
  return row?.count ?? 0;
}

const END_OTHERS = 'DELETE FROM person_session WHERE person_id = :personId AND session_id <> :sessionId';

type SessionRow = Omit<Session, 'seenAt'> & { readonly sessionSeenAt: number };

function sessionsOf(db: Database, caller: Caller | undefined) {
  return {
    addSession(session) {
      return db.transaction(async (tx) => {
        const added = await tx.all(ADD_SESSION, session);
        if (added.length === 0) return;
        const { personId, createdAt: now } = session;
        await tx.all('UPDATE person SET seen_at = :now WHERE person_id = :personId', { personId, now });
        await auditFor(tx, caller, { action: 'person.signed_in', subject: session.personId });
      });
    },
    async findSession(sessionHash, since) {
      const row = await db.get<PersonRow & SessionRow & { readonly sessionBegun: number }>(
        `SELECT ${PERSON}, ${SESSION.replace('AS "createdAt"', 'AS "sessionBegun"')}
           FROM person_session s JOIN person p ON p.person_id = s.person_id
          WHERE s.session_hash = :sessionHash AND s.seen_at > :seenAfter AND s.created_at > :createdAfter`,
        { sessionHash, ...since },
      );
      if (row === undefined) return undefined;
      return { person: personOf(row), session: sessionOf({ ...row, createdAt: row.sessionBegun }) };
    },
    async listSessions(personId) {
      const rows = await db.all<SessionRow>(
        `SELECT ${SESSION} FROM person_session s WHERE s.person_id = :personId ORDER BY s.seen_at DESC, s.session_id`,
        { personId },
      );
      return rows.map(sessionOf);
    },
    async touchSession(sessionId, now) {
      await db.transaction(async (tx) => {
        const rows = await tx.all<{ personId: string }>(
          `UPDATE person_session SET seen_at = :now WHERE session_id = :sessionId AND seen_at < :now
           RETURNING person_id AS "personId"`,
          { sessionId, now },
        );
        for (const { personId } of rows)
          await tx.all('UPDATE person SET seen_at = :now WHERE person_id = :personId', { personId, now });
      });
    },
    async proveSession(sessionId, now) {
      await db.write(
        'UPDATE person_session SET proved_at = :now WHERE session_id = :sessionId RETURNING session_id',
        { sessionId, now },
      );
    },
    async endSession(personId, sessionId) {
      await db.write(
        'DELETE FROM person_session WHERE person_id = :personId AND session_id = :sessionId RETURNING session_id',
        { personId, sessionId },
      );
    },
    endOtherSessions(personId, sessionId) {
      return db.transaction(async (tx) => {
        await tx.all(END_OTHERS, { personId, sessionId });
        await auditFor(tx, caller, { action: 'person.signed_out_everywhere', subject: personId });
      });
    },
    async deleteEnded({ seen, created, now }) {
      const sessions = await db.write(
        'DELETE FROM person_session WHERE seen_at <= :seen OR created_at <= :created RETURNING session_id',
        { seen, created },
      );
      const links = await db.write(
        'DELETE FROM invitation WHERE expires_at <= :now RETURNING invitation_id',
        { now },
      );
      return sessions.length + links.length;
    },
  } satisfies Partial<PersonStore>;
}

// Named one by one: a row has the hash of the password too.
function personOf(row: PersonRow): Person {
  const { personId, name, login, role, createdAt, password, seenAt, clientIds } = row;
  return {
    ...{ personId, name, login, role, createdAt },
    clientIds: clientIds === null ? [] : clientIds.split(',').toSorted(),
    hasPassword: password !== null,
    seenAt: seenAt ?? undefined,
  };
}

function invitationOf(row: InvitationRow): Invitation {
  const { invitationId, role, login, personId, createdAt, expiresAt } = row;
  return {
    ...{ invitationId, role, createdAt, expiresAt },
    purpose: row.purpose satisfies InvitationPurpose,
    login: login ?? undefined,
    personId: personId ?? undefined,
    // Written by addInvitation.
    clientIds: JSON.parse(row.clientIds) as string[],
  };
}

const sessionOf = ({
  sessionId,
  createdAt,
  sessionSeenAt,
  provedAt,
  address,
  browser,
}: SessionRow): Session => ({
  ...{ sessionId, createdAt, provedAt, address, browser },
  seenAt: sessionSeenAt,
});
