/** The part of PersonStore that keeps sessions. */
import type { Caller } from '../audit/audit-entry.ts';
import type { PersonStore, Session } from '../people/person-store.ts';
import { auditFor } from './append-audit.ts';
import type { Database } from './drivers/database.ts';
import { withdrawLinksOf } from './person-invitations.ts';
import { PERSON, type PersonRow, personOf, TAKE_TURN } from './person-rows.ts';

const SESSION = `
  s.session_id AS "sessionId", s.created_at AS "createdAt", s.seen_at AS "sessionSeenAt", s.proved_at AS "provedAt",
  s.address, s.browser`;
const ADD_SESSION = `
  INSERT INTO person_session (session_hash, session_id, person_id, created_at, seen_at, proved_at, address, browser)
  SELECT :sessionHash, :sessionId, person_id, CAST(:createdAt AS BIGINT), CAST(:seenAt AS BIGINT), CAST(:provedAt AS BIGINT),
         :address, :browser FROM person WHERE person_id = :personId RETURNING session_id`;
export const END_OTHERS =
  'DELETE FROM person_session WHERE person_id = :personId AND session_id <> :sessionId';

const DELETE_LINKS = 'DELETE FROM invitation WHERE expires_at <= :now RETURNING invitation_id';
const DELETE_CHALLENGES = 'DELETE FROM spent_challenge WHERE expires_at <= :now RETURNING challenge_hash';

type SessionRow = Omit<Session, 'seenAt'> & { readonly sessionSeenAt: number };

export function sessionsOf(db: Database, caller: Caller | undefined) {
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
    endSessions(personId) {
      return db.transaction(async (tx) => {
        const sql = 'DELETE FROM person_session WHERE person_id = :personId RETURNING session_id';
        await tx.all(TAKE_TURN);
        const ended = await tx.all(sql, { personId });
        await withdrawLinksOf(tx, personId, caller);
        if (ended.length > 0)
          await auditFor(tx, caller, { action: 'person.signed_out_everywhere', subject: personId });
        return ended.length;
      });
    },
    async deleteEnded({ seen, created, now }) {
      const sessions = await db.write(
        'DELETE FROM person_session WHERE seen_at <= :seen OR created_at <= :created RETURNING session_id',
        { seen, created },
      );
      const links = await db.write(DELETE_LINKS, { now });
      const challenges = await db.write(DELETE_CHALLENGES, { now });
      return sessions.length + links.length + challenges.length;
    },
  } satisfies Partial<PersonStore>;
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
