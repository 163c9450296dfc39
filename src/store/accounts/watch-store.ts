/** WatchStore in SQL; held to test/contract/watch-store.contract.ts on both databases. */
import type { Watch } from '../../watches/watch.ts';
import type { AccountUpdates, FirstSync, Notified, WatchStore } from '../../watches/watch-store.ts';
import type { Database } from '../drivers/database.ts';

const OF_ACCOUNT = `
  SELECT watch_id, account_key, calendar_key, remote_id, state, reason, made_at, trusted_from, renew_at, expires_at
    FROM provider_watch WHERE account_key = :accountKey ORDER BY made_at DESC, watch_id`;
// Skips a deleted account or calendar, whose row would be refused.
const ADD = `
  INSERT INTO provider_watch (watch_id, account_key, calendar_key, token_hash, state, made_at, trusted_from, renew_at,
    expires_at)
  SELECT :watchId, account_key, CAST(:calendarKey AS TEXT), :tokenHash, 'asked', :madeAt, :madeAt, :expiresAt, :expiresAt
    FROM account
   WHERE account_key = :accountKey
     AND (CAST(:calendarKey AS TEXT) IS NULL
          OR EXISTS (SELECT 1 FROM calendar WHERE calendar_key = :calendarKey AND account_key = :accountKey))`;
const SETTLE = `
  UPDATE provider_watch
     SET state = CASE WHEN state = 'live' AND :state = 'made' THEN state ELSE :state END, remote_id = :remoteId,
         reason = :reason, renew_at = :renewAt, expires_at = :expiresAt
   WHERE watch_id = :watchId`;
const NOTIFIED = `
  SELECT w.watch_id, w.account_key, w.calendar_key, w.state, w.token_hash, a.provider
    FROM provider_watch w JOIN account a ON a.account_key = w.account_key WHERE w.watch_id = :watchId`;
const TRUST = `
  UPDATE provider_watch
     SET trusted_from = :now, state = CASE WHEN state IN ('asked', 'made') THEN 'live' ELSE state END
   WHERE watch_id = :watchId`;
const RENEW = `
  UPDATE provider_watch SET renew_at = 0, expires_at = CASE WHEN :isGone = 1 THEN 0 ELSE expires_at END
   WHERE watch_id = :watchId`;
const UPDATES = `
  SELECT a.account_key,
         CASE WHEN EXISTS (SELECT 1 FROM provider_watch w WHERE w.account_key = a.account_key
                             AND w.calendar_key IS NOT NULL AND w.state = 'live' AND w.expires_at > :now)
               AND NOT EXISTS (SELECT 1 FROM calendar c WHERE c.account_key = a.account_key AND c.left_out = 0
                                 AND NOT EXISTS (SELECT 1 FROM provider_watch w WHERE w.calendar_key = c.calendar_key
                                                    AND (w.state = 'unsupported'
                                                         OR (w.state = 'live' AND w.expires_at > :now))))
              THEN 'push' ELSE 'polling' END AS updates,
         MIN(s.synced_at) AS synced_at, a.listed_at, COUNT(s.calendar_key) AS calendars,
         COUNT(s.synced_at) AS calendars_read,
         CAST(COALESCE(SUM(CASE WHEN s.synced_at IS NULL THEN s.sync_read ELSE s.event_count END), 0) AS BIGINT)
           AS events,
         CAST(CASE WHEN COUNT(s.sync_expected) > 0
                   THEN SUM(CASE WHEN s.synced_at IS NULL THEN s.sync_expected ELSE s.event_count END) END AS BIGINT)
           AS events_expected
    FROM account a LEFT JOIN calendar s ON s.account_key = a.account_key AND s.left_out = 0
   WHERE a.client_id = :clientId AND a.user_id = :userId
   GROUP BY a.account_key, a.listed_at`;

export function watchStore(db: Database): WatchStore {
  return {
    listWatches: (accountKey) => db.all<Watch>(OF_ACCOUNT, { accountKey }),

    addWatch: async ({ calendarKey, ...watch }) =>
      (await db.change(ADD, { ...watch, calendarKey: calendarKey ?? null })) > 0,

    async settleWatch(watchId, { remoteId, reason, ...outcome }) {
      const values = { ...outcome, remoteId: remoteId ?? null, reason: reason ?? null };
      await db.change(SETTLE, { watchId, ...values });
    },

    async removeWatch(watchId) {
      await db.change('DELETE FROM provider_watch WHERE watch_id = :watchId', { watchId });
    },

    findNotified: (watchId) => db.get<Notified>(NOTIFIED, { watchId }),

    async trustFrom(watchId, now) {
      await db.change(TRUST, { watchId, now });
    },

    async renewSoon(watchId, isGone) {
      await db.change(RENEW, { watchId, isGone: Number(isGone) });
    },

    async listUpdates(clientId, userId, now) {
      return (await db.all<UpdatesRow>(UPDATES, { clientId, userId, now })).map(parseUpdates);
    },
  };
}

type UpdatesRow = Pick<AccountUpdates, 'accountKey' | 'updates' | 'syncedAt'> &
  FirstSync & { readonly listedAt: number | undefined };

function parseUpdates({ accountKey, updates, syncedAt, listedAt, ...firstSync }: UpdatesRow): AccountUpdates {
  const isRead = firstSync.calendarsRead === firstSync.calendars;
  return {
    ...{ accountKey, updates },
    syncedAt: isRead ? syncedAt : undefined,
    firstSync: isRead && listedAt !== undefined ? undefined : firstSync,
  };
}
