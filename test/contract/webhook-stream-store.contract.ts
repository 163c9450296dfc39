/** Contract tests for StreamStore. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { currentTrace, toTraceparent } from '../../src/lib/current-trace.ts';
import { noteChanges } from '../../src/store/changes/webhook-streams.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { tracedDatabase } from '../../src/store/drivers/wrapped-database.ts';
import type { TakenStream } from '../../src/webhooks/message.ts';
import type { StreamStore } from '../../src/webhooks/stream-store.ts';
import { NOW } from './calendar-rows.ts';
import { LEASE, makeGrant, newMessage, openStreams, take, taken, touch } from './stream-rows.ts';

export function streamStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = (calendars = 1) => openStreams(open, calendars);
  const delivered = { seq: 5, id: undefined };
  const begin = async (streams: StreamStore, stream: TakenStream, message = newMessage()) => {
    const calendar = await streams.findDeliveryCalendar(stream.calendarKey ?? '');
    assert.ok(calendar !== undefined);
    assert.equal(await streams.startMessage(stream, message, { of: calendar, delivered }), true);
    return message;
  };
  const attempt = { startedAt: NOW, durationMs: 12, status: 500, fault: 'It answered 500', answer: 'no' };

  describe(`StreamStore on ${database}`, () => {
    it('gives a stream that is due to exactly one of ten callers', async () => {
      const { streams } = await prepare();
      await streams.scheduleChanged(NOW);

      const all = await Promise.all(Array.from({ length: 10 }, () => take(streams)));

      assert.equal(all.flat().length, 1);
    });

    it('a stream knows the trace of the change that came last', async () => {
      const { db, streams } = await prepare();
      const context = { traceId: 'a'.repeat(32), spanId: '1'.repeat(16), isSampled: true, isOfJob: true };
      await currentTrace.run(context, () =>
        tracedDatabase(db).transaction((tx) => noteChanges(tx, 'c0', { seq: 9 })),
      );

      assert.equal((await taken(streams)).trace, toTraceparent(context));
    });

    it('all callers together take no more streams of an endpoint than its limit', async () => {
      const { streams } = await prepare(20);
      await streams.scheduleChanged(NOW);

      const all = await Promise.all(Array.from({ length: 6 }, () => take(streams, NOW, { ofEndpoint: 3 })));

      assert.equal(all.flat().length, 3);
    });

    it('takes one only while the circuit is open, and none before its time or while it is paused', async () => {
      const { db, streams } = await prepare(4);
      await streams.scheduleChanged(NOW);
      const set = (change: string) => db.write(`UPDATE webhook_endpoint SET ${change} RETURNING endpoint_id`);

      await set(`failures = 5, gate_at = ${NOW + 1000}`);
      assert.equal((await take(streams)).length, 0);
      assert.equal(await streams.nextDueAt(), NOW + 1000);
      assert.equal((await take(streams, NOW + 1000)).length, 1);
      assert.equal((await take(streams, NOW + 1000)).length, 0);
      await set(`failures = 0, gate_at = 0, state = 'paused'`);
      assert.equal((await take(streams, NOW + 1000)).length, 0);
      assert.equal(await streams.nextDueAt(), undefined);
    });

    it('a stream whose lease expired is taken over, and its former holder changes nothing', async () => {
      const { db, streams } = await prepare();
      await makeGrant(db);
      const first = await taken(streams);
      const [second] = await take(streams, NOW + LEASE);
      assert.ok(second !== undefined);
      const calendar = await streams.findDeliveryCalendar('c0');
      assert.ok(calendar !== undefined);

      assert.equal(await streams.startMessage(first, newMessage(), { of: calendar, delivered }), false);
      await streams.passOver(first, delivered, false);
      await streams.withhold(first, NOW);

      assert.equal(await streams.startMessage(second, newMessage(), { of: calendar, delivered }), true);
    });

    it('the former holder of a lease also settles its delivery, and the lease stays with the new holder', async () => {
      const { db, streams } = await prepare();
      await makeGrant(db);
      const first = await taken(streams);
      const { messageId } = await begin(streams, first);
      const [second] = await take(streams, NOW + LEASE);
      assert.equal(second?.message?.messageId, messageId);
      const good = { ...attempt, status: 204, fault: undefined };
      const then = { more: false, keepsLease: false };

      await streams.settleDelivered(first, { messageId, attempt: good, now: NOW }, then);
      const held = async () => {
        const text = 'SELECT lease_holder AS "holder", message_id AS "messageId" FROM webhook_stream';
        return (await db.all<object>(text)).map((row) => ({ ...row }));
      };
      assert.deepEqual(await held(), [{ holder: second.holder, messageId }]);
      await streams.settleDelivered(second, { messageId, attempt: good, now: NOW }, then);

      assert.deepEqual(await held(), [{ holder: undefined, messageId: undefined }]);
      const attempts = await db.all<{ number: number }>('SELECT number FROM webhook_attempt ORDER BY number');
      assert.deepEqual(
        attempts.map(({ number }) => number),
        [1, 2],
      );
    });

    it('a change that comes while a message is sent makes the stream due again', async () => {
      const { db, streams } = await prepare();
      await makeGrant(db);
      const stream = await taken(streams);
      const { messageId } = await begin(streams, stream);
      await touch(db, 'c0');
      const good = { ...attempt, status: 204, fault: undefined };

      await streams.settleDelivered(
        stream,
        { messageId, attempt: good, now: NOW },
        { more: false, keepsLease: false },
      );

      assert.equal(await streams.scheduleChanged(NOW + 1), 1);
    });

    it('a change that comes while a stream is worked makes it due again', async () => {
      const { db, streams } = await prepare();
      const stream = await taken(streams);
      await touch(db, 'c0');
      await streams.passOver(stream, delivered, false);

      assert.equal(await streams.scheduleChanged(NOW + 1), 1);
    });

    it('a change that comes while a stream is worked waits until it is given back', async () => {
      const { db, streams } = await prepare();
      const stream = await taken(streams);
      await touch(db, 'c0');

      assert.equal(await streams.scheduleChanged(NOW + 1), 0);
      await streams.passOver(stream, delivered, false);
      assert.equal(await streams.scheduleChanged(NOW + 2), 1);
    });

    it('a change that arrived while a stream was worked on makes it due again when its worker dies', async () => {
      const { db, streams } = await prepare();
      await makeGrant(db);
      const { messageId } = await begin(streams, await taken(streams));
      await touch(db, 'c0');
      const later = NOW + LEASE;

      assert.equal(await streams.scheduleChanged(later - 1), 0);
      assert.equal(await streams.scheduleChanged(later), 1);
      assert.equal(await streams.nextDueAt(), later);
      const [again] = await take(streams, later);
      assert.equal(again?.message?.messageId, messageId);
    });

    for (const [what, change] of [
      ['is of an endpoint that hears of other things', 'webhook_endpoint SET hears_events = 0'],
      ['was left out by its user', 'calendar SET left_out = 1'],
      ['was never synced', 'calendar SET synced_at = NULL'],
      ['is of a transaction that is not finished', 'account_group SET expires_at = 1'],
      ['was unsubscribed', 'webhook_subscription SET ended = 1'],
    ])
      it(`nothing is noted of a calendar that ${what}`, async () => {
        const { db } = await prepare();
        await db.write('DELETE FROM webhook_stream RETURNING stream_id');
        await db.write(
          `INSERT INTO webhook_subscription (calendar_key, client_id, user_id, ended, updated_at)
           VALUES ('c0', 'acme', 'ada', 0, 1) RETURNING calendar_key`,
        );
        await db.write(`UPDATE ${change}`);
        await touch(db, 'c0');

        assert.deepEqual(await db.all('SELECT stream_id FROM webhook_stream'), []);
      });

    it('a calendar that is left out, unsubscribed, or not yet its user’s is not delivered', async () => {
      const { db, streams } = await prepare(4);
      await makeGrant(db);
      await db.write(
        `INSERT INTO webhook_subscription (calendar_key, client_id, user_id, ended, updated_at)
         VALUES ('c1', 'acme', 'ada', 1, 1), ('c2', 'acme', 'ada', 0, 1) RETURNING calendar_key`,
      );
      await db.write("UPDATE calendar SET left_out = 1 WHERE calendar_key = 'c3' RETURNING calendar_key");
      const heardOf = async () => {
        const all = await Promise.all(
          ['c0', 'c1', 'c2', 'c3'].map((key) => streams.findDeliveryCalendar(key)),
        );
        return all.flatMap((calendar) => calendar?.calendarKey ?? []);
      };

      assert.deepEqual(await heardOf(), ['c0', 'c2']);
      await db.write('UPDATE account_group SET expires_at = 1 RETURNING group_id');
      assert.deepEqual(await heardOf(), []);
    });

    it('a stream that has nothing left is not due', async () => {
      const { streams } = await prepare();
      const stream = await taken(streams);

      await streams.passOver(stream, delivered, false);

      assert.equal(await streams.scheduleChanged(NOW), 0);
      assert.equal(await streams.nextDueAt(), undefined);
    });

    it('a message that waits to be tried again is not brought forward by changes', async () => {
      const { db, streams } = await prepare();
      await makeGrant(db);
      const stream = await taken(streams);
      const message = await begin(streams, stream);
      const settled = { messageId: message.messageId, attempt, now: NOW };
      const retryAt = NOW + 5_000;
      await streams.settleFailed(stream, settled, {
        counts: true,
        retryAt,
        reason: undefined,
        gateAt: NOW,
        pause: undefined,
      });

      await touch(db, 'c0');

      assert.equal(await streams.scheduleChanged(NOW), 0);
      assert.equal((await take(streams, NOW + 4_000)).length, 0);
      const [again] = await take(streams, retryAt);
      assert.equal(again?.message?.messageId, message.messageId);
      assert.equal(again?.message?.body, message.body);
      assert.equal(again?.message?.attempts, 1);
      assert.equal(again?.endpoint.failures, 1);
    });

    it('an attempt that fails is logged, and so are replays of its message that end at the same time', async () => {
      const { db, streams, messages } = await prepare();
      await makeGrant(db);
      const stream = await taken(streams);
      const { messageId } = await begin(streams, stream);
      const retry = { counts: true, retryAt: NOW + 5_000, reason: undefined, gateAt: NOW, pause: undefined };

      await Promise.all([
        streams.settleFailed(stream, { messageId, attempt, now: NOW }, retry),
        ...Array.from({ length: 5 }, () => messages.settleReplay(messageId, attempt, NOW)),
      ]);

      const { log = [], attempts } = (await messages.findMessage('acme', messageId, undefined)) ?? {};
      assert.deepEqual([log.map(({ number }) => number), attempts], [[1, 2, 3, 4, 5, 6], 1]);
    });

    it('a delivered message leaves its stream free and its endpoint well', async () => {
      const { db, streams } = await prepare();
      await makeGrant(db);
      await db.write('UPDATE webhook_endpoint SET failures = 3, failing_since = 1 RETURNING endpoint_id');
      const stream = await taken(streams);
      const { messageId } = await begin(streams, stream);
      const good = { ...attempt, status: 204, fault: undefined };

      await streams.settleDelivered(
        stream,
        { messageId, attempt: good, now: NOW },
        { more: false, keepsLease: false },
      );

      const [row] = await db.all<Record<string, unknown>>(
        'SELECT s.message_id AS "messageId", s.due_at AS "dueAt", s.told_seq AS "seq", e.failures FROM webhook_stream s, webhook_endpoint e',
      );
      assert.deepEqual({ ...row }, { messageId: undefined, dueAt: undefined, seq: 5, failures: 0 });
      assert.equal(await streams.nextDueAt(), undefined);
    });

    it('shows a calendar by the widest living grant, and to nobody without one', async () => {
      const { db, streams } = await prepare();
      assert.equal(await streams.findDeliveryCalendar('c0'), undefined);
      await makeGrant(db, 'free-busy');
      assert.equal((await streams.findDeliveryCalendar('c0'))?.shows, 'busy');
      await makeGrant(db, 'read-write');
      assert.equal((await streams.findDeliveryCalendar('c0'))?.shows, 'events');
      await db.write('UPDATE token_family SET ended_at = 1 RETURNING family_id');

      assert.equal(await streams.findDeliveryCalendar('c0'), undefined);
    });

    it('shows of an account what living grants that cover it show, and of one that is gone what its user’s do', async () => {
      const { db, streams } = await prepare();
      const [account] = await db.all<{ provider: string; accountId: string }>(
        `SELECT provider, account_id AS "accountId" FROM account WHERE account_key = 'acme-ada'`,
      );
      assert.ok(account !== undefined);
      const user = { clientId: 'acme', userId: 'ada' };
      const shown = () => streams.shownOfAccount({ ...user, ...account });
      const shownOfGone = () => streams.shownOfAccount({ ...user, ...account, accountId: 'gone' });

      assert.deepEqual([await shown(), await shownOfGone()], [undefined, undefined]);
      await makeGrant(db, 'free-busy');
      assert.deepEqual([await shown(), await shownOfGone()], ['busy', 'busy']);
      await makeGrant(db, 'read');
      assert.deepEqual([await shown(), await shownOfGone()], ['events', 'events']);
      await db.write(`DELETE FROM grant_coverage WHERE group_id = 'acme-ada' RETURNING coverage_id`);
      assert.deepEqual([await shown(), await shownOfGone()], [undefined, 'events']);
      await db.write('UPDATE token_family SET ended_at = 1 RETURNING family_id');
      assert.deepEqual([await shown(), await shownOfGone()], [undefined, undefined]);
    });

    it('deletes streams and messages with their account', async () => {
      const { db, streams } = await prepare();
      await makeGrant(db);
      await begin(streams, await taken(streams));

      await db.write("DELETE FROM account WHERE account_key = 'acme-ada' RETURNING account_key");

      assert.deepEqual(await db.all('SELECT message_id FROM webhook_message'), []);
      assert.deepEqual(await db.all('SELECT stream_id FROM webhook_stream'), []);
    });
  });
}
