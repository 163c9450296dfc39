/**
 * A storm: many accounts have the same shared calendars, and each edit changes them for all. At most one message for each
 * stream and quarter second, and none is lost. 20 accounts with 50 calendars by `npm run soak -- notifications`.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { startDeliveries } from '../../src/webhooks/delivery-worker.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { link } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { scale } from '../harness/rounds.ts';
import { type DeliveryServer, openDeliveryServer } from '../webhooks/delivery-server.ts';
import { toldState } from './told-state.ts';

const SMALL = scale() === 1;
const ACCOUNTS = SMALL ? 5 : 20;
const CALENDARS = SMALL ? 8 : 50;
const EDITS = SMALL ? 4 : 20;
const QUARTER_MS = 250;
/** Each edit comes as several changes, one soon after the other. */
const PARTS = 3;
const PATIENCE_MS = SMALL ? 30_000 : 300_000;
/** The number of calendars that are synced at once. */
const AT_ONCE = 50;

onEachDatabase((database, open) => {
  describe(`a storm in shared calendars, on ${database}`, () => {
    it('is at most one message for each stream and quarter second, and none is lost', async (t) => {
      const telling = await openDeliveryServer({ db: await open() });
      const told = toldState();
      // Apart by account: a shared event has one id everywhere.
      telling.receiver.answer = (received) => {
        telling.receiver.received.length = 0;
        told.hear(received, true);
        return { status: 204 };
      };
      Object.defineProperty(telling.server.clock, 'now', { get: () => Date.now() });
      const worker = startDeliveries(telling.deps);
      try {
        const keys = await linkAll(telling);
        await untilQuiet(telling);
        const began = performance.now();
        for (let edit = 0; edit < EDITS * PARTS; edit += 1) {
          for (const href of hrefs()) telling.server.provider.put(href, meeting(href, edit));
          await syncAll(telling, keys);
        }
        await untilQuiet(telling);

        const seconds = (performance.now() - began) / 1_000;
        const sent = await sentByStream(telling);
        t.diagnostic(
          `${keys.length} streams, ${EDITS} edits told ${PARTS} times in ${Math.round(seconds)} s: ${told.messages()} messages`,
        );
        assert.deepEqual(told.faults, []);
        assert.equal(sent.size, keys.length);
        assert.deepEqual(tooSoon(sent), []);
        assert.deepEqual(await untold(telling), []);
      } finally {
        await worker.stop();
        await telling.close();
      }
    });
  });
});

const hrefs = () => Array.from({ length: CALENDARS }, (_, index) => `/shared-${index}/`);

const meeting = (href: string, edit: number) =>
  resource(`${href.replaceAll('/', '')}-1`, event('2026-11-20T09:00:00', { title: `Edit ${edit}` }));

/** Users with an account each, who all have the shared calendars. Answers the keys of their calendars. */
async function linkAll(telling: DeliveryServer): Promise<string[]> {
  const { server } = telling;
  for (const href of hrefs()) server.provider.addCalendar(calendar(href));
  const keys: string[] = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const userId = `user-${index}`;
    await server.deps.users.loadOrCreateUser('acme', userId, server.clock.now);
    const { accountKey } = await link(server, { userId, accountId: `https://dav.example/${userId}/` });
    await server.token('read', userId);
    await server.deps.sync.syncList(accountKey, server.clock.now);
    const calendars = await server.deps.mirror.listCalendars(accountKey);
    keys.push(...calendars.map(({ calendarKey }) => calendarKey));
  }
  await syncAll(telling, keys);
  return keys;
}

async function syncAll({ server }: DeliveryServer, keys: readonly string[]): Promise<void> {
  const left = [...keys];
  const sync = async () => {
    for (let key = left.pop(); key !== undefined; key = left.pop())
      await server.deps.sync.syncCalendar(key, server.clock.now);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sync));
}

async function untilQuiet({ server }: DeliveryServer): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const waiting = await server.db.get(
      'SELECT stream_id FROM webhook_stream WHERE due_at IS NOT NULL LIMIT 1',
    );
    if (waiting === undefined) return;
    if (Date.now() > end) throw new Error('Deliveries still wait');
  }
}

type Sent = { readonly key: string; readonly at: number };

/** When the messages of each stream were made, without that of its first sync. */
async function sentByStream({ server }: DeliveryServer): Promise<ReadonlyMap<string, readonly Sent[]>> {
  const rows = await server.db.all<Sent>(
    `SELECT calendar_key AS "key", created_at AS "at" FROM webhook_message WHERE sequence > 1
      ORDER BY calendar_key, sequence`,
  );
  return Map.groupBy(rows, ({ key }) => key);
}

function tooSoon(sent: ReadonlyMap<string, readonly Sent[]>): string[] {
  const problems: string[] = [];
  for (const [key, messages] of sent)
    for (const [index, { at }] of messages.entries()) {
      const after = at - (messages[index - 1]?.at ?? 0);
      if (after < QUARTER_MS) problems.push(`${key}: ${after} ms after the one before`);
    }
  return problems;
}

/** Returns the ids of the calendars' last messages that lack the last edit. */
async function untold({ server, deps }: DeliveryServer): Promise<string[]> {
  const rows = await server.db.all<{ messageId: string; clientId: string }>(
    `SELECT m.message_id AS "messageId", m.client_id AS "clientId"
       FROM (SELECT calendar_key, MAX(sequence) AS sequence FROM webhook_message GROUP BY calendar_key) l
       JOIN webhook_message m ON m.calendar_key = l.calendar_key AND m.sequence = l.sequence`,
  );
  const last = `Edit ${EDITS * PARTS - 1}`;
  const untold: string[] = [];
  for (const { clientId, messageId } of rows) {
    const found = await deps.messages.findMessage(clientId, messageId, undefined);
    if (!JSON.stringify(found).includes(last)) untold.push(messageId);
  }
  return untold;
}
