/** SubscriptionStore in SQL; held to test/contract/webhook-subscription-store.contract.ts on both databases. */
import type { Subscription, SubscriptionStore } from '../../webhooks/subscription-store.ts';
import { firstSyncRecorder } from '../changes/change-journal.ts';
import { lockUser } from '../changes/user-lock.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { endStreams } from './webhook-settling.ts';

type Row = Omit<Subscription, 'ended'> & { ended: number };

const COLUMNS = `calendar_key, channel_id, expires_at, ended`;
const IS_TAKEN = `
  SELECT calendar_key FROM webhook_subscription
   WHERE client_id = :clientId AND user_id = :userId AND channel_id = :channelId AND calendar_key <> :calendarKey`;
const BEFORE = 'SELECT ended FROM webhook_subscription WHERE calendar_key = :calendarKey';
const OF_USER = `
  SELECT c.calendar_key FROM calendar c JOIN account a ON a.account_key = c.account_key
   WHERE c.calendar_key = :calendarKey AND a.client_id = :clientId AND a.user_id = :userId`;
const SUBSCRIBE = `
  INSERT INTO webhook_subscription (calendar_key, client_id, user_id, channel_id, expires_at, ended, updated_at)
  VALUES (:calendarKey, :clientId, :userId, :channelId, :expiresAt, 0, :now)
  ON CONFLICT (calendar_key) DO UPDATE SET channel_id = COALESCE(excluded.channel_id, webhook_subscription.channel_id),
    expires_at = excluded.expires_at, ended = 0, updated_at = excluded.updated_at
  RETURNING ${COLUMNS}`;
// The channel id is free again: another calendar may have it.
const END = `
  INSERT INTO webhook_subscription (calendar_key, client_id, user_id, ended, updated_at)
  VALUES (:calendarKey, :clientId, :userId, 1, :now)
  ON CONFLICT (calendar_key) DO UPDATE SET channel_id = NULL, expires_at = NULL, ended = 1,
    updated_at = excluded.updated_at`;
export function subscriptionStore(db: Database): SubscriptionStore {
  return {
    async hasEndpoint(clientId) {
      const endpoint = await db.get(
        'SELECT endpoint_id FROM webhook_endpoint WHERE client_id = :clientId AND hears_events = 1 LIMIT 1',
        { clientId },
      );
      return endpoint !== undefined;
    },

    async listSubscriptions(clientId, userId) {
      const rows = await db.all<Row>(
        `SELECT ${COLUMNS} FROM webhook_subscription WHERE client_id = :clientId AND user_id = :userId`,
        { clientId, userId },
      );
      return rows.map(toSubscription);
    },

    subscribe: ({ channelId, expiresAt, ...calendar }, now) =>
      db.transaction(async (tx) => {
        await lockUser(tx, calendar);
        if (!(await isOfUser(tx, calendar))) return 'gone';
        const values = { ...calendar, channelId: channelId ?? null };
        if (channelId !== undefined && (await tx.get(IS_TAKEN, values)) !== undefined) return 'taken';
        const before = await tx.get<{ ended: number }>(BEFORE, { calendarKey: calendar.calendarKey });
        const row = await tx.get<Row>(SUBSCRIBE, { ...values, expiresAt: expiresAt ?? null, now });
        if (before?.ended === 1) await (await firstSyncRecorder(tx, calendar.calendarKey))();
        return row === undefined ? 'gone' : toSubscription(row);
      }),

    unsubscribe(calendar, now) {
      const { calendarKey } = calendar;
      return db.transaction(async (tx) => {
        await lockUser(tx, calendar);
        if (!(await isOfUser(tx, calendar))) return;
        await tx.change(END, { ...calendar, now });
        await endStreams(tx, calendarKey, { now, reason: 'The calendar was unsubscribed' });
      });
    },
  };
}

type OfUser = { readonly clientId: string; readonly userId: string; readonly calendarKey: string };

const isOfUser = async (tx: Statements, calendar: OfUser): Promise<boolean> =>
  (await tx.get(OF_USER, calendar)) !== undefined;

const toSubscription = ({ ended, ...row }: Row): Subscription => ({ ...row, ended: ended === 1 });
