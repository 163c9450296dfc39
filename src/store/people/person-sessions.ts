/** The part of PersonStore that stores sessions. */
import type { ChangeTerms } from '../../audit/audit-entry.ts';
import type { PersonStore, RefusedSignIns, Session } from '../../people/person-store.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database } from '../drivers/database.ts';
import { withdrawLinks, withdrawResets } from './person-invitations.ts';
import { PERSON, type PersonRow, TAKE_TURN, toPerson } from './person-rows.ts';

const SESSION = `
  s.session_id, s.created_at, s.seen_at AS session_seen_at, s.proved_at, s.address, s.browser`;
const ADD_SESSION = `
  INSERT INTO person_session (session_hash, session_id, person_id, created_at, seen_at, proved_at, address, browser,
         signed_in_before_at, refused_before)
  SELECT :sessionHash, :sessionId, person_id, CAST(:createdAt AS BIGINT), CAST(:seenAt AS BIGINT), CAST(:provedAt AS BIGINT),
         :address, :browser, signed_in_at, refused_when_signed_in FROM person WHERE person_id = :personId`;
const NOTE_SIGN_IN = `
  UPDATE person SET seen_at = :now, signed_in_at = :now, refused_when_signed_in = refused_sign_ins
   WHERE person_id = :personId`;
const REFUSED = `
  p.refused_sign_ins - s.refused_before AS count, COALESCE(s.signed_in_before_at, s.created_at) AS since`;
// It locks the row: a second instance waits here, and then sees the entry of the first.
const COUNT_REFUSAL = `
  UPDATE person SET refused_sign_ins = refused_sign_ins + 1 WHERE person_id = :personId
  RETURNING refused_sign_ins - refused_audited AS count`;
const NOTE_AUDITED = `
  UPDATE person SET refused_audited = refused_sign_ins
   WHERE person_id = :personId AND NOT EXISTS (
     SELECT 1 FROM audit_entry WHERE subject = :personId AND made_at > :since AND action = 'person.sign_in_refused')`;
const REFUSALS_AUDITED_EVERY_MS = 10 * 60_000;
export const END_OTHERS =
  'DELETE FROM person_session WHERE person_id = :personId AND session_id <> :sessionId';

const DELETE_LINKS = 'DELETE FROM invitation WHERE expires_at <= :now';
const DELETE_CHALLENGES = 'DELETE FROM spent_challenge WHERE expires_at <= :now';

type SessionRow = Omit<Session, 'seenAt'> & { readonly sessionSeenAt: number };

export function personSessions(db: Database) {
  return {
    addSession(session, by) {
      return db.transaction(async (tx) => {
        const added = await tx.change(ADD_SESSION, session);
        if (added === 0) return;
        const { personId, createdAt: now } = session;
        await tx.change(NOTE_SIGN_IN, { personId, now });
        await auditFor(tx, by, { action: 'person.signed_in', subject: session.personId });
      });
    },
    async findSession(sessionHash, since) {
      const row = await db.get<PersonRow & SessionRow & RefusedSignIns & { readonly sessionBegun: number }>(
        `SELECT ${PERSON}, ${REFUSED}, ${SESSION.replace('s.created_at', 's.created_at AS session_begun')}
           FROM person_session s JOIN person p ON p.person_id = s.person_id
          WHERE s.session_hash = :sessionHash AND s.seen_at > :seenAfter AND s.created_at > :createdAfter`,
        { sessionHash, ...since },
      );
      if (row === undefined) return undefined;
      const session = toSession({ ...row, createdAt: row.sessionBegun });
      return { person: toPerson(row), session, refusedSignIns: refusedIn(row) };
    },
    async listSessions(personId) {
      const rows = await db.all<SessionRow>(
        `SELECT ${SESSION} FROM person_session s WHERE s.person_id = :personId ORDER BY s.seen_at DESC, s.session_id`,
        { personId },
      );
      return rows.map(toSession);
    },
    async touchSession(sessionId, now) {
      await db.transaction(async (tx) => {
        const rows = await tx.all<{ personId: string }>(
          `UPDATE person_session SET seen_at = :now WHERE session_id = :sessionId AND seen_at < :now
           RETURNING person_id`,
          { sessionId, now },
        );
        for (const { personId } of rows)
          await tx.change('UPDATE person SET seen_at = :now WHERE person_id = :personId', { personId, now });
      });
    },
    async proveSession(sessionId, now) {
      await db.change('UPDATE person_session SET proved_at = :now WHERE session_id = :sessionId', {
        sessionId,
        now,
      });
    },
    async endSession(personId, sessionId) {
      await db.change('DELETE FROM person_session WHERE person_id = :personId AND session_id = :sessionId', {
        personId,
        sessionId,
      });
    },
    endOtherSessions(personId, sessionId, by) {
      return db.transaction(async (tx) => {
        await tx.change(END_OTHERS, { personId, sessionId });
        await auditFor(tx, by, { action: 'person.signed_out_everywhere', subject: personId });
      });
    },
    endSessions(personId, by) {
      return db.transaction(async (tx) => {
        const sql = 'DELETE FROM person_session WHERE person_id = :personId';
        await tx.change(TAKE_TURN);
        const ended = await tx.change(sql, { personId });
        await withdrawLinks(tx, personId, by);
        await withdrawResets(tx, { personId }, by);
        if (ended > 0) await auditFor(tx, by, { action: 'person.signed_out_everywhere', subject: personId });
        return ended;
      });
    },
    async deleteEnded({ seen, created, now }) {
      const sessions = await db.change(
        'DELETE FROM person_session WHERE seen_at <= :seen OR created_at <= :created',
        { seen, created },
      );
      const links = await db.change(DELETE_LINKS, { now });
      const challenges = await db.change(DELETE_CHALLENGES, { now });
      return sessions + links + challenges;
    },
  } satisfies Partial<PersonStore>;
}

const refusedIn = ({ count, since }: RefusedSignIns): RefusedSignIns => ({ count, since });

export const notingRefusals = (db: Database) => ({
  noteRefusedSignIn: (personId: string, isKnownBrowser: boolean, { now, by }: ChangeTerms): Promise<void> =>
    db.transaction(async (tx) => {
      const counted = await tx.get<{ count: number }>(COUNT_REFUSAL, { personId });
      const due = await tx.change(NOTE_AUDITED, { personId, since: now - REFUSALS_AUDITED_EVERY_MS });
      if (counted === undefined || due === 0) return;
      const after = { ...counted, known_browser: isKnownBrowser };
      await auditFor(tx, by, { action: 'person.sign_in_refused', subject: personId, after });
    }),
});

const toSession = ({
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
