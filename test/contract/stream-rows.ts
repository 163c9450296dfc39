/** Streams that the contract tests of StreamStore start from. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';

import { createSealer } from '../../src/lib/sealing.ts';
import { noteChanges, noteFirstSync } from '../../src/store/changes/webhook-streams.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import type { NewMessage, TakenStream } from '../../src/webhooks/message.ts';
import type { StreamStore, TakeTerms } from '../../src/webhooks/stream-store.ts';
import { NOW } from './calendar-rows.ts';
import { makeCalendar, makeCalendars, makeFamily } from './grant-rows.ts';
import { takeTerms } from './take-terms.ts';

/** The length of a lease in milliseconds. */
export const LEASE = 30_000;

/** Opens a database with an endpoint and streams of `c0`, `c1` and so on. */
export async function openStreams(open: () => Promise<Database>, calendars = 1) {
  const db = await open();
  const sealer = createSealer(randomBytes(32));
  const { streams, messages, changes } = openStores(db, { sealer });
  await makeCalendars(db, []);
  await db.write(
    `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at)
     VALUES ('we_acme', 'acme', 'https://hook.example/', 'https://hook.example/', 1, :now) RETURNING client_id`,
    { now: NOW },
  );
  for (let index = 0; index < calendars; index += 1) await makeStream(db, `c${index}`);
  return { db, streams, messages, changes };
}

export const take = (streams: StreamStore, now = NOW, change: Partial<TakeTerms> = {}) =>
  streams.takeStreams(takeTerms(now, { leaseUntil: now + LEASE, ...change }));

/** Makes changed streams due and takes them. Returns the first. */
export async function taken(streams: StreamStore, now = NOW): Promise<TakenStream> {
  await streams.scheduleChanged(now);
  const [stream] = await take(streams, now);
  assert.ok(stream !== undefined);
  return stream;
}

/** Returns a message of one updated event. */
export const newMessage = (): NewMessage => ({
  messageId: `msg_${randomUUID()}`,
  sequence: 1,
  changeType: 'updated',
  eventCount: 1,
  shows: 'events',
  body: '{"title":"x"}',
  createdAt: NOW,
});

/** Creates a calendar and its stream, which has a change. */
async function makeStream(db: Database, key: string): Promise<void> {
  await makeCalendar(db, key, NOW);
  await db.write(
    `INSERT INTO webhook_stream (stream_id, endpoint_id, client_id, user_id, calendar_key, told_seq, due_at)
     VALUES ('we_acme ' || CAST(:key AS TEXT), 'we_acme', 'acme', 'ada', :key, 0, 0) RETURNING stream_id`,
    { key },
  );
}

/** Records change 9 of a calendar, as a commit of the mirror does; with `initial` 1 the end of its first sync. */
export async function touch(db: Database, key: string, initial: 0 | 1 = 0): Promise<void> {
  const note = initial === 1 ? noteFirstSync : noteChanges;
  await db.transaction((tx) => note(tx, key, { seq: 9 }));
}

/** Creates a grant that covers Ada's account. */
export async function makeGrant(db: Database, scope = 'read'): Promise<void> {
  const coverageId = randomUUID();
  await db.write(
    `INSERT INTO grant_coverage (coverage_id, group_id, scope) VALUES (:coverageId, 'acme-ada', 'read-write')
     RETURNING coverage_id`,
    { coverageId },
  );
  await makeFamily(db, { clientId: 'acme', userId: 'ada', coverageId });
  await db.write(
    'UPDATE token_family SET scope = :scope WHERE coverage_id = :coverageId RETURNING family_id',
    {
      coverageId,
      scope,
    },
  );
}
