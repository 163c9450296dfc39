/** Contract tests for the positions of streams in StreamStore. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { NOW } from './calendar-rows.ts';
import { LEASE, openStreams, taken, touch } from './stream-rows.ts';

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
  });
}
