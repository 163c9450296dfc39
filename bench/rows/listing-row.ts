/** 100 events of one user's month, out of a mirror of 100,000 events of 1,000 users. */
import type { Stores } from '../../src/start/open-storage.ts';
import { type KalendsOptions, startKalends } from '../kalends.ts';
import { sendOnce } from '../load/http-load.ts';
import { type Application, bearerGet, tokensFor } from '../load/oauth-calls.ts';
import { meeting, seedUser } from '../mirror-seed.ts';
import type { LoadRow } from '../row.ts';
import { bareFastify, getWith, presenting, repeating } from './token-subjects.ts';

const EVENTS_OF_EACH = 100;
const SEEDED_AT_ONCE = 50;
export const LISTING = '/events?pageSize=100&start=2026-11-01T00:00:00Z&end=2026-12-01T00:00:00Z';

const KALENDS = 'Kalends, 100 events, SQLite';
const BARE = 'bare Fastify, the same bytes as text';

export const listingRow: LoadRow = {
  name: 'listing',
  title: 'Listing of 100 events, mirror of 100,000 events of 1,000 users',
  comparisons: [{ ours: KALENDS, theirs: BARE, unit: '%', required: 1 / 3, outFor: 1 / 3 }],
  async subjects(context) {
    const seed: KalendsOptions['seed'] = (stores, application) =>
      // One more than have their tokens presented: the first one's listing is the body to compare with.
      seedMirror(stores, application, context.pace.users + 1);
    const server = await startKalends({ folder: context.folder, seed });
    context.after(server.stop);
    const { port } = server;
    const [tokens] = await tokensFor(server, await server.seedCodes(1));
    const body = await sendOnce(port, bearerGet(LISTING, tokens?.access_token ?? ''));
    const { events }: { events: unknown[] } = JSON.parse(body);
    if (events.length !== EVENTS_OF_EACH) throw new Error(`The listing has ${events.length} events`);
    return [
      await presenting(context, { name: KALENDS, server }, getWith(LISTING)),
      repeating(BARE, await bareFastify(context, body), 'GET /text HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
    ];
  },
};

/** Each user has one account with one calendar, fresh for longer than the bench runs. */
async function seedMirror(stores: Stores, { clientId }: Application, count: number): Promise<void> {
  const users = Array.from({ length: count }, (_, i) => `user-${i}`);
  while (users.length > 0) {
    await Promise.all(
      users.splice(0, SEEDED_AT_ONCE).map((userId) => seedUser(stores, { clientId, userId }, resources())),
    );
  }
  // Nobody is there to be synced with.
  await stores.db.write('DELETE FROM job');
}

const resources = () => Array.from({ length: EVENTS_OF_EACH }, (_, i) => meeting(i));
