/** The part of PersonStore that stores one-time links. */
import type { AuditAction, Caller, ChangeTerms } from '../../audit/audit-entry.ts';
import type { Accepted, Invitation, NewPerson, PersonStore } from '../../people/person-store.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { creatorColumns, WORKING_KEYS } from './admin-key-store.ts';
import { insertPasskey } from './passkeys.ts';
import { insertIdentity } from './person-identities.ts';
import { giveApplications, TAKE_TURN } from './person-rows.ts';

type InvitationRow = Omit<Invitation, 'clientIds'> & {
  readonly clientIds: string;
  readonly creatorId: string | undefined;
};

const INVITATION = `
  invitation_id, purpose, role, login, client_ids, person_id, created_at, expires_at,
  COALESCE(created_by, created_by_key) AS creator_id, COALESCE((SELECT p.login FROM person p WHERE p.person_id = created_by),
    (SELECT k.name FROM admin_key k WHERE k.key_id = invitation.created_by_key), invitation.created_by_key) AS creator`;
const WORKS = `expires_at > :now AND (created_by IS NULL
    OR EXISTS (SELECT 1 FROM person p WHERE p.person_id = created_by AND p.role = 'owner'))
  AND (COALESCE(created_by_key, 'environment') = 'environment' OR created_by_key IN ${WORKING_KEYS})`;
// A setup link is for an instance without people. A creator whose session has ended creates none.
const ADD_INVITATION = `
  INSERT INTO invitation (token_hash, invitation_id, purpose, role, login, client_ids, person_id, created_at, expires_at,
    created_by, created_by_key)
  SELECT :tokenHash, :invitationId, :purpose, :role, CAST(:login AS TEXT), :clientIds, CAST(:personId AS TEXT),
         CAST(:createdAt AS BIGINT), CAST(:expiresAt AS BIGINT), CAST(:creatorId AS TEXT),
         CAST(:createdByKey AS TEXT)
   WHERE (CAST(:purpose AS TEXT) <> 'setup' OR NOT EXISTS (SELECT 1 FROM person))
     AND (CAST(:personId AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM person WHERE person_id = :personId))
     AND (CAST(:creatorId AS TEXT) IS NULL OR EXISTS
       (SELECT 1 FROM person p JOIN person_session s ON s.person_id = p.person_id
         WHERE p.person_id = :creatorId AND p.role = 'owner' AND s.session_id = CAST(:sessionId AS TEXT)))`;
const SPEND = `DELETE FROM invitation WHERE token_hash = :tokenHash AND ${WORKS} RETURNING ${INVITATION}`;
const OF_PERSON = '(CAST(:personId AS TEXT) IS NULL OR person_id = :personId)';
const WITHDRAW = `DELETE FROM invitation WHERE invitation_id = :invitationId AND ${OF_PERSON} RETURNING ${INVITATION}`;
const WITHDRAW_OF = `DELETE FROM invitation WHERE created_by = :creatorId RETURNING ${INVITATION}`;
const WITHDRAW_RESETS = `
  DELETE FROM invitation WHERE person_id = :personId AND invitation_id <> :kept RETURNING ${INVITATION}`;
const WITHDRAW_INVITES = `DELETE FROM invitation WHERE purpose = 'invite' AND login = :login RETURNING ${INVITATION}`;
const MANAGE_PERSON = 'UPDATE managed SET id = :personId WHERE id = :invitationId';
const ADD_PERSON = `
  INSERT INTO person (person_id, name, login, role, password, created_at)
  VALUES (:personId, :name, :login, :role, :password, :now) ON CONFLICT (login) DO NOTHING`;

export function personInvitations(db: Database) {
  return {
    addInvitation({ login, personId, clientIds, ...invitation }, tokenHash, { creator, by }) {
      const values = {
        login: login ?? null,
        personId: personId ?? null,
        clientIds: JSON.stringify(clientIds),
        creatorId: creator?.personId ?? null,
        sessionId: creator?.sessionId ?? null,
        createdByKey: creatorColumns(by?.actor).createdByKey,
      };
      return db.transaction(async (tx) => {
        await tx.change(TAKE_TURN);
        const added = await tx.change(ADD_INVITATION, { ...invitation, ...values, tokenHash });
        if (added === 0) return false;
        const isReset = personId !== undefined;
        if (isReset) await withdrawResets(tx, { personId, kept: invitation.invitationId }, by);
        await auditFor(tx, by, {
          action: isReset ? 'person.reset' : 'person.invited',
          subject: personId ?? invitation.invitationId,
          ...(!isReset && { after: { role: invitation.role, email: login ?? null, client_ids: clientIds } }),
        });
        return true;
      });
    },
    async findInvitation(tokenHash, now) {
      const row = await db.get<InvitationRow>(
        `SELECT ${INVITATION} FROM invitation WHERE token_hash = :tokenHash AND ${WORKS}`,
        { tokenHash, now },
      );
      return row && toInvitation(row);
    },
    async listInvitations(now, personId) {
      const rows = await db.all<InvitationRow>(
        `SELECT ${INVITATION} FROM invitation WHERE ${WORKS} AND ${OF_PERSON} ORDER BY created_at DESC, invitation_id`,
        { now, personId: personId ?? null },
      );
      return rows.map(toInvitation);
    },
    removeInvitation({ invitationId, personId }, by) {
      return db.transaction(async (tx) => {
        const links = await tx.all<InvitationRow>(WITHDRAW, { invitationId, personId: personId ?? null });
        await auditWithdrawn(tx, links, by);
        return links.length > 0;
      });
    },
    async acceptInvitation(tokenHash, person, terms) {
      try {
        return await db.transaction((tx) => accept(tx, { tokenHash, person, ...terms }));
      } catch (reason) {
        // A form that is not accepted leaves the link unused.
        if (reason instanceof NotAccepted) return reason.outcome;
        throw reason;
      }
    },
  } satisfies Partial<PersonStore>;
}

/** Deletes and audits a member's links. The transaction begins with TAKE_TURN; only audits may follow. */
export const withdrawLinks = async (tx: Statements, creatorId: string, by: Caller | undefined) =>
  auditWithdrawn(tx, await tx.all<InvitationRow>(WITHDRAW_OF, { creatorId }), by);

/** Deletes and audits the reset links of a member, except `kept`, as withdrawLinks does. */
export const withdrawResets = async (
  tx: Statements,
  { personId, kept = '' }: { readonly personId: string; readonly kept?: string },
  by: Caller | undefined,
) => auditWithdrawn(tx, await tx.all<InvitationRow>(WITHDRAW_RESETS, { personId, kept }), by);

/** Deletes and audits the invitations of an address, as withdrawLinks does. */
export const withdrawInvites = async (tx: Statements, login: string, by: Caller | undefined) =>
  auditWithdrawn(tx, await tx.all<InvitationRow>(WITHDRAW_INVITES, { login }), by);

async function auditWithdrawn(
  tx: Statements,
  links: readonly InvitationRow[],
  by: Caller | undefined,
): Promise<void> {
  for (const { invitationId, purpose, role, login, creatorId } of links)
    await auditFor(tx, by, {
      action: 'person.invitation_withdrawn',
      subject: invitationId,
      before: { purpose, role, email: login ?? null, created_by: creatorId ?? null },
    });
}

class NotAccepted extends Error {
  readonly outcome: Accepted;
  constructor(outcome: Accepted) {
    super(outcome);
    this.outcome = outcome;
  }
}

type Acceptance = ChangeTerms & { readonly tokenHash: string; readonly person: NewPerson };

async function accept(tx: Statements, { tokenHash, person, now, by }: Acceptance): Promise<Accepted> {
  await tx.change(TAKE_TURN);
  const spent = await tx.get<InvitationRow>(SPEND, { tokenHash, now });
  if (spent === undefined) return 'link_ended';
  const { invitationId, purpose, role, clientIds, personId } = toInvitation(spent);
  const { name, login, password = null } = person;
  if (personId !== undefined) {
    await tx.change('UPDATE person SET password = :password WHERE person_id = :personId', {
      personId,
      password,
    });
    await tx.change('DELETE FROM person_session WHERE person_id = :personId', { personId });
    // An attacker who had taken over the account may have added passkeys.
    await tx.change('DELETE FROM passkey WHERE person_id = :personId', { personId });
    await tx.change('DELETE FROM person_identity WHERE person_id = :personId', { personId });
    await addWays(tx, { personId, person, now });
    await withdrawLinks(tx, personId, by);
    await auditFor(tx, by, { action: chooseAction(person), subject: personId });
    return 'done';
  }
  if (purpose === 'setup') {
    // Every start printed another link.
    await tx.change("DELETE FROM invitation WHERE purpose = 'setup'");
    if ((await tx.get('SELECT person_id FROM person LIMIT 1')) !== undefined) return 'link_ended';
  }
  const added = await tx.change(ADD_PERSON, { personId: person.personId, name, login, password, role, now });
  if (added === 0) throw new NotAccepted('login_taken');
  await addWays(tx, { personId: person.personId, person, now });
  await giveApplications(tx, person.personId, clientIds);
  await tx.change(MANAGE_PERSON, { personId: person.personId, invitationId });
  await withdrawInvites(tx, login, by);
  const after = { email: login, role, ...(role === 'developer' && { client_ids: clientIds }) };
  await auditFor(tx, by, { action: 'person.registered', subject: person.personId, after });
  return 'done';
}

/** Adds the passkey and the identity with which the person signs in instead of a password. */
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

function chooseAction({ passkey, identity }: NewPerson): AuditAction {
  if (identity !== undefined) return 'person.identity_set';
  return passkey === undefined ? 'person.password_set' : 'person.passkey_added';
}

function toInvitation({ creatorId: _, clientIds, ...row }: InvitationRow): Invitation {
  // Written by addInvitation.
  return { ...row, clientIds: JSON.parse(clientIds) as string[] };
}
