/** Contract tests for the positions of streams in StreamStore. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { NOW } from './calendar-rows.ts';
import { LEASE, openStreams, take, taken, touch } from './stream-rows.ts';

export function streamPositionsContract(database: string, open: () => Promise<Database>): void {
  describe(`StreamPositions on ${database}`, () => {
    it('a stream that is released before its first sync was delivered still has to deliver it', async () => {
      const { db, streams } = await openStreams(open);
      await db.write('UPDATE webhook_stream SET initial = 1');
      const stream = await taken(streams);

      await streams.passOver(stream, stream.delivered, true);

      assert.equal((await taken(streams, NOW + LEASE)).initial, true);
    });

    it('a first sync that ends while a stream is worked on is still to be delivered', async () => {
      const { db, streams } = await openStreams(open);
      const stream = await taken(streams);
      await touch(db, 'c0', 1);

      await streams.passOver(stream, stream.delivered, false);

      assert.equal((await taken(streams, NOW + LEASE)).initial, true);
    });

    for (const [what, initial] of [
      ['change', 0],
      ['first sync', 1],
    ] as const)
      it(`a ${what} after a worker found no grant is not skipped when that worker withholds the stream`, async () => {
        const { db, streams } = await openStreams(open);
        await db.write('UPDATE application_user SET feed_seq = 9');
        const stream = await taken(streams);
        assert.equal(await streams.findDeliveryCalendar('c0'), undefined);
        await touch(db, 'c0', initial);

        await streams.withhold(stream, NOW);

        const { delivered, initial: isInitial } = await taken(streams, NOW + LEASE);
        assert.deepEqual([delivered.seq, isInitial], initial === 1 ? [9, true] : [0, false]);
      });

    it('a stream without a grant is at the present once it is withheld, and its first sync is not delivered', async () => {
      const { db, streams } = await openStreams(open);
      await db.write('UPDATE application_user SET feed_seq = 9');
      await db.write("UPDATE webhook_stream SET initial = 1, told_id = 'x'");

      await streams.withhold(await taken(streams), NOW);

      assert.deepEqual(await take(streams, NOW + LEASE), []);
      await touch(db, 'c0');
      const { delivered, initial } = await taken(streams, NOW + LEASE);
      assert.deepEqual([delivered, initial], [{ seq: 9, id: undefined }, false]);
    });

    it('a stream waits since the deletion of changes that it has not delivered, and no other stream does', async () => {
      const { db, changes } = await openStreams(open, 5);
      const before = NOW + 1;
      // Each calendar has change 5. That of c3 is kept, c2 has delivered its own, and c4 has waited for longer.
      for (const [key, set] of [
        ['c0', 'told_seq = 4'],
        ['c1', "told_seq = 5, told_id = 'a'"],
        ['c2', 'told_seq = 5'],
        ['c3', 'told_seq = 4'],
        ['c4', 'told_seq = 4, pending_since = 7'],
      ] as const) {
        await db.write(`UPDATE webhook_stream SET ${set} WHERE calendar_key = :key`, { key });
        await makeChange(db, key, key === 'c3' ? before : NOW);
      }

      await changes.forgetChanges(before);

      const waiting = await db.all<{ since: number | undefined }>(
        'SELECT pending_since AS "since" FROM webhook_stream ORDER BY stream_id',
      );
      assert.deepEqual(
        waiting.map(({ since }) => since),
        [before, before, undefined, undefined, 7],
      );
    });
  });
}

/** Records change 5 of Ada's feed, of an event of this calendar. */
const makeChange = (db: Database, key: string, notedAt: number) =>
  db.write(
    `INSERT INTO event_change (calendar_key, event_id, client_id, user_id, seq, created_seq, deleted, provider,
       account_id, href, noted_at)
     VALUES (:key, 'b', 'acme', 'ada', 5, 0, 0, 'caldav', 'id', :key, :notedAt)`,
    { key, notedAt },
  );
