/** Deliveries of several applications, as the worker would have left them. */
import type { Sealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { answerContext, messageContext } from '../../src/store/webhooks/webhook-sealing.ts';
import type { DashboardApp } from './dashboard-app.ts';

export type PlantedDelivery = {
  readonly messageId: string;
  readonly clientId: string;
  readonly state: 'pending' | 'delivered' | 'dead' | 'withheld';
  readonly createdAt: number;
  /** `we_` and the id of the application unless it is given. */
  readonly endpointId?: string;
  readonly userId?: string;
  readonly calendarId?: string;
  readonly calendarKey?: string;
  /** The attempts of its row; one by default. */
  readonly attempts?: number;
  /** The only attempt: the body of its response, and `fault` if it failed. */
  readonly attempt?: { readonly answer?: string; readonly fault?: string };
};

/** Returns a body that names the message, so that tests can find it. */
export const bodyOf = (messageId: string): string =>
  JSON.stringify({ eventType: 'connection.connected', data: { title: `Secret of ${messageId}` } });

/** An endpoint for each of the two applications, with a secret. */
export async function plantEndpoints({
  stores,
  clock,
}: Pick<DashboardApp, 'stores' | 'clock'>): Promise<void> {
  for (const clientId of ['acme', 'other']) {
    const hears = { events: true, calendars: false, connections: false, own: false };
    const url = `https://${clientId}.example/in?key=hush`;
    const secret = `whsec_${Buffer.alloc(32, clientId).toString('base64')}`;
    await stores.endpoints.addEndpoint(
      {
        ...{ endpointId: `we_${clientId}`, clientId, url, hears, secret },
        createdAt: clock.now,
      },
      undefined,
    );
  }
}

/** Plants a calendar of a user of `acme`. */
export async function plantCalendar(
  { db }: { readonly db: Database },
  { calendarKey, title }: { readonly calendarKey: string; readonly title: string },
): Promise<void> {
  await db.write(
    `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
     VALUES ('acme', 'ada@example.com', 1, 1) ON CONFLICT (client_id, user_id) DO NOTHING`,
  );
  await db.write(
    `INSERT INTO account_group (group_id, client_id, user_id, created_at) VALUES ('g1', 'acme', 'ada@example.com', 1)`,
  );
  await db.write(
    `INSERT INTO account (account_key, client_id, user_id, provider, account_id, display, credentials, granted_scopes,
       health, health_since, linked_at, group_id, key_in_group)
     VALUES ('a1', 'acme', 'ada@example.com', 'google', 'a1', 'ada', '', '', 'active', 1, 1, 'g1', 'a1')`,
  );
  await db.write(
    `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, synced_at)
     VALUES (:calendarKey, 'a1', '/c/', 0, :title, 'UTC', 'write', '{}', 1)`,
    { calendarKey, title },
  );
}

/** Plants a delivery without an account, so that no mirror is needed. */
export async function plantDelivery(
  { db, sealer }: { readonly db: Database; readonly sealer: Sealer },
  planted: PlantedDelivery,
): Promise<void> {
  const { messageId, clientId, state, createdAt, userId = 'ada@example.com', attempt } = planted;
  const { endpointId = `we_${clientId}` } = planted;
  const { calendarId = null, calendarKey = null, attempts = 1 } = planted;
  await db.write(
    `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
     VALUES (:clientId, :userId, 1, 1) ON CONFLICT (client_id, user_id) DO NOTHING RETURNING user_id`,
    { clientId, userId },
  );
  await db.write(
    `INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, provider, calendar_id, calendar_key, sequence,
       change_type, event_count, shows, body, state, attempts, next_at, created_at)
     VALUES (:messageId, :endpointId, :clientId, :userId, 'google', :calendarId, :calendarKey, 7, 'updated', 3,
       'events', :body, :state, :attempts, :createdAt, :createdAt) RETURNING message_id`,
    {
      endpointId,
      ...{ messageId, clientId, userId, state, createdAt, calendarId, calendarKey, attempts },
      body: sealer.seal(bodyOf(messageId), messageContext(messageId)),
    },
  );
  if (attempt === undefined) return;
  const { answer, fault } = attempt;
  await db.write(
    `INSERT INTO webhook_attempt (message_id, number, started_at, duration_ms, status, fault, answer)
     VALUES (:messageId, 1, :createdAt, 12, 500, :fault, :answer) RETURNING number`,
    {
      ...{ messageId, createdAt, fault: fault ?? null },
      answer: answer === undefined ? null : sealer.seal(answer, answerContext(messageId)),
    },
  );
}
