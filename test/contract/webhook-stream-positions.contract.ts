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
  });
}
