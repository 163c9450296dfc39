/** Rows that the contract tests of MessageLog start from. */
import { randomBytes } from 'node:crypto';

import { createSealer, type Sealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { messageContext } from '../../src/store/webhooks/webhook-sealing.ts';
import type { MessageState } from '../../src/webhooks/message.ts';
import type { MessageFilter, MessageLog, ReplayFilter } from '../../src/webhooks/message-log.ts';
import { NOW } from './calendar-rows.ts';
import { makeAccount, makeCalendars } from './grant-rows.ts';

export const OF_ACME: ReplayFilter = { clientId: 'acme' };

/** Opens a database with an endpoint of each of two applications, and `add`, which creates messages. */
export async function openMessages(open: () => Promise<Database>) {
  const db = await open();
  const sealer = createSealer(randomBytes(32));
  const { endpoints, messages } = openStores(db, { sealer });
  await makeCalendars(db, [NOW]);
  await db.write(
    `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
       VALUES ('other', 'other', 'https://other.example/cb', :now, :now) RETURNING client_id`,
    { now: NOW },
  );
  await makeAccount(db, 'other', 'ada');
  for (const clientId of ['acme', 'other']) {
    const hears = { events: true, calendars: false, connections: false, own: false };
    const url = `https://${clientId}.example/in`;
    const endpoint = { endpointId: `we_${clientId}`, clientId, url, hears, secret: `whsec_${clientId}` };
    await endpoints.addEndpoint({ ...endpoint, createdAt: NOW }, undefined);
  }
  const add = (messageId: string, change: Partial<Made> = {}) =>
    makeMessage({ db, sealer }, { ...MADE, messageId, ...change });
  return { db, endpoints, messages, add };
}

/** Returns the ids of the first hundred matching messages. */
export const listIds = async (messages: MessageLog, filter: MessageFilter = OF_ACME): Promise<string[]> =>
  (await messages.listMessages(filter, { after: undefined, limit: 100 })).map(({ messageId }) => messageId);

type Made = {
  readonly messageId: string;
  readonly clientId: string;
  readonly provider: string;
  readonly calendarId: string;
  readonly state: MessageState;
  readonly reason: string | null;
  readonly attempts: number;
  readonly createdAt: number;
};
const MADE: Omit<Made, 'messageId'> = {
  clientId: 'acme',
  provider: 'caldav',
  calendarId: '/c0/',
  state: 'delivered',
  reason: null,
  attempts: 3,
  createdAt: NOW,
};

/** Creates a message whose row says that it had three attempts, unless `made` says otherwise. */
async function makeMessage({ db, sealer }: { db: Database; sealer: Sealer }, made: Made): Promise<void> {
  const body = sealer.seal(`{"of":"${made.messageId}"}`, messageContext(made.messageId));
  await db.write(
    `INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, account_key, calendar_key, provider,
       calendar_id, sequence, change_type, event_count, shows, body, state, reason, attempts, next_at, created_at)
     VALUES (:messageId, 'we_' || CAST(:clientId AS TEXT), :clientId, 'ada', CAST(:clientId AS TEXT) || '-ada', 'c0',
       :provider, :calendarId, 1, 'updated', 2, 'events', :body, :state, :reason, :attempts, :nextAt, :createdAt)
     RETURNING message_id`,
    { ...made, body, nextAt: NOW + 5 },
  );
}
