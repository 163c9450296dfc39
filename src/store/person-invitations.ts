/** The part of PersonStore that keeps links, which are used once. */
import type { AuditAction, Caller } from '../audit/audit-entry.ts';
import type {
  Accepted,
  Invitation,
  InvitationPurpose,
  NewPerson,
  PersonStore,
} from '../people/person-store.ts';
import { auditFor } from './append-audit.ts';
import type { Database, Statements } from './drivers/database.ts';
import { insertPasskey } from './passkeys.ts';
import { insertIdentity } from './person-identities.ts';
import { GIVE } from './person-rows.ts';

type InvitationRow = Omit<Invitation, 'clientIds' | 'login' | 'personId'> & {
  readonly clientIds: string;
  readonly login: string | null;
  readonly personId: string | null;
};

const INVITATION = `
  invitation_id AS "invitationId", purpose, role, login, client_ids AS "clientIds", person_id AS "personId",
  created_at AS "createdAt", expires_at AS "expiresAt"`;
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

export function invitationsOf(db: Database, caller: Caller | undefined) {
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
    // Whoever had taken the account over may have left one.
    await tx.all('DELETE FROM passkey WHERE person_id = :personId', { personId });
    await tx.all('DELETE FROM person_identity WHERE person_id = :personId', { personId });
    await addWays(tx, { personId, person, now });
    await auditFor(tx, caller, { action: actionOf(person), subject: personId });
    return 'done';
  }
  if (purpose === 'setup') {
    // Every start printed one of its own.
    await tx.all("DELETE FROM invitation WHERE purpose = 'setup'");
    if ((await tx.get('SELECT person_id FROM person LIMIT 1')) !== undefined) return 'link_ended';
  }
  const added = await tx.all(ADD_PERSON, { personId: person.personId, name, login, password, role, now });
  if (added.length === 0) throw new NotAccepted('login_taken');
  await addWays(tx, { personId: person.personId, person, now });
  for (const clientId of clientIds) await tx.all(GIVE, { personId: person.personId, clientId });
  const after = { email: login, role, ...(role === 'developer' && { client_ids: clientIds }) };
  await auditFor(tx, caller, { action: 'person.registered', subject: person.personId, after });
  return 'done';
}

/** What somebody signs in with in the place of a password. */
async function addWays(
  tx: Statements,
  { personId, person, now }: { readonly personId: string; readonly person: NewPerson; readonly now: number },
): Promise<void> {
  const { passkey, identity } = person;
  if (passkey !== undefined && !(await insertPasskey(tx, { personId, passkey, now })))
    throw new NotAccepted('passkey_taken');
  const values = { personId, roleSource: 'assigned', now, usedAt: now } as const;
  if (identity !== undefined && !(await insertIdentity(tx, { ...values, identity })))
    throw new NotAccepted('identity_taken');
}

function actionOf({ passkey, identity }: NewPerson): AuditAction {
  if (identity !== undefined) return 'person.identity_set';
  return passkey === undefined ? 'person.password_set' : 'person.passkey_added';
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
