/** ChangeFeed in SQL; held to test/contract/change-feed.contract.ts on both databases. */
import type { ChangeFeed, EventName, FeedChange, FeedState } from '../../reading/change-feed.ts';
import type { Database, Dialect, Statements } from '../drivers/database.ts';
import { lookSoon } from '../jobs/followed-accounts.ts';
import { newFeedId } from './change-journal.ts';
import { HAS_ENDPOINT, noteForgotten } from './webhook-streams.ts';

const STATE = 'feed_id AS feed_id, feed_seq AS seq, feed_pruned AS pruned_seq';
const OF_USER = 'client_id = :clientId AND user_id = :userId';
/** Precision of the time of the last read, so that few reads have to write it. */
const READ_PRECISION_MS = 24 * 3_600_000;

export function changeFeed(db: Database): ChangeFeed {
  const changesAfter = changesAfterText(db.dialect);
  const eventsAfter = eventsAfterText(db.dialect);
  return {
    async follow({ clientId, userId }, now) {
      const candidate = newFeedId();
      const [state] = await db.write<FeedState>(
        `UPDATE application_user SET feed_id = COALESCE(feed_id, :candidate), feed_read_at = :now WHERE ${OF_USER}
         RETURNING ${STATE}`,
        { clientId, userId, candidate, now },
      );
      if (state?.feedId === candidate) await db.transaction((tx) => lookSoon(tx, { clientId, userId }, now));
      return state && { ...state };
    },

    async stateOf({ clientId, userId }, now) {
      const row = await db.get<FeedState & { readAt: number }>(
        `SELECT ${STATE}, feed_read_at AS read_at FROM application_user WHERE ${OF_USER} AND feed_id IS NOT NULL`,
        { clientId, userId },
      );
      if (row === undefined) return undefined;
      const { readAt, ...state } = row;
      if (readAt < now - READ_PRECISION_MS) {
        const values = { clientId, userId, feedId: state.feedId, now };
        await db.change(
          `UPDATE application_user SET feed_read_at = :now WHERE ${OF_USER} AND feed_id = :feedId`,
          values,
        );
      }
      return state;
    },

    changesAfter({ clientId, userId, coverageId }, { seq, event }, limit) {
      const place = { seq, atKey: event?.calendarKey ?? null, atId: event?.id ?? null };
      return db.all<FeedChange>(changesAfter, { clientId, userId, coverageId, ...place, limit });
    },

    eventsAfter: (keys, { calendarKey, id }, limit) =>
      db.all<EventName>(eventsAfter, { keys, atKey: calendarKey, atId: id, limit }),

    forgetChanges: (before) => db.transaction((tx) => forgetChanges(tx, before)),
  };
}

/** The groups whose events the grant may see, beyond busy times. */
const COVERED_GROUPS = `SELECT v.group_id FROM grant_coverage v JOIN account_group g ON g.group_id = v.group_id
     WHERE v.coverage_id = :coverageId AND v.scope <> 'free-busy' AND g.expires_at IS NULL`;

const changesAfterText = ({ byBytes }: Dialect): string => `
  SELECT calendar_key, event_id AS id, seq, created_seq, deleted, provider, account_id, href
    FROM event_change
   WHERE ${OF_USER} AND seq >= :seq AND group_id IN (${COVERED_GROUPS})
     AND (seq > :seq OR calendar_key ${byBytes} > CAST(:atKey AS TEXT)
          OR (calendar_key = CAST(:atKey AS TEXT) AND event_id ${byBytes} > CAST(:atId AS TEXT)))
   ORDER BY seq, calendar_key ${byBytes}, event_id ${byBytes} LIMIT :limit`;

const eventsAfterText = ({ byBytes, oneOf }: Dialect): string => `
  SELECT DISTINCT calendar_key ${byBytes} AS calendar_key, event_id ${byBytes} AS id FROM event
   WHERE calendar_key ${oneOf('keys')} AND shape IN ('short', 'long', 'series')
     AND (calendar_key ${byBytes} > :atKey OR (calendar_key = :atKey AND event_id ${byBytes} > :atId))
   ORDER BY 1, 2 LIMIT :limit`;

/** Deletes old changes and notes, and ends unread feeds that no endpoint follows. Locks users first, as writers do. */
async function forgetChanges(tx: Statements, before: number): Promise<number> {
  await tx.change(
    `UPDATE application_user SET feed_id = NULL WHERE feed_id IS NOT NULL AND feed_read_at < :before
        AND NOT ${HAS_ENDPOINT}`,
    { before },
  );
  await tx.change(
    `UPDATE application_user SET feed_pruned = COALESCE(
       (SELECT MAX(c.seq) FROM event_change c
         WHERE c.client_id = application_user.client_id AND c.user_id = application_user.user_id
           AND c.noted_at < :before AND c.seq > application_user.feed_pruned), feed_pruned)
      WHERE (client_id, user_id) IN (SELECT client_id, user_id FROM event_change WHERE noted_at < :before)`,
    { before },
  );
  await noteForgotten(tx, before);
  const deleted = await tx.change(
    `DELETE FROM event_change WHERE noted_at < :before
        AND seq <= (SELECT u.feed_pruned FROM application_user u
                     WHERE u.client_id = event_change.client_id AND u.user_id = event_change.user_id)`,
    { before },
  );
  await tx.change('DELETE FROM user_note WHERE noted_at < :before', { before });
  return deleted;
}
