/** Streams and resends of one application beside those of others. Each database's test calls this with its own `open`. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { SlotCounts } from '../../src/lib/fair-slots/slot-counts.ts';
import { WorkSlots } from '../../src/lib/fair-slots/work-slots.ts';
import { createSealer, type Sealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores, type Stores } from '../../src/store/open-stores.ts';
import { messageContext } from '../../src/store/webhooks/webhook-sealing.ts';
import type { TakeTerms } from '../../src/webhooks/stream-store.ts';
import { NOW, tenTimes } from './calendar-rows.ts';
import { takeTerms } from './take-terms.ts';

type Due = {
  readonly clientId: string;
  readonly endpoint: string;
  readonly host?: string;
  readonly count: number;
};
type Kind = {
  readonly slots: number;
  readonly ofEndpoint: number;
  take(
    stores: Stores,
    terms: TakeTerms,
  ): Promise<readonly { readonly clientId: string; readonly place: object }[]>;
  /** Makes as many due at an endpoint, earlier than anything of a later call. */
  add(db: Database, due: Due, sealer: Sealer): Promise<unknown>;
};

const KINDS: Readonly<Record<string, Kind>> = {
  streams: {
    slots: 128,
    ofEndpoint: 8,
    take: ({ streams }, terms) => streams.takeStreams(terms),
    add: (db, { clientId, endpoint, count }) =>
      db.write(
        `INSERT INTO webhook_stream (stream_id, endpoint_id, client_id, user_id, told_seq, due_at)
         SELECT CAST(:endpoint AS TEXT) || ' ' || n, :endpoint, :clientId, 'ada', 0, 1 FROM ${numbers(db, count)}
         RETURNING stream_id`,
        { clientId, endpoint },
      ),
  },
  resends: {
    slots: 16,
    ofEndpoint: 2,
    take: ({ messages }, terms) => messages.takeReplays(terms),
    async add(db, { clientId, endpoint, count }, sealer) {
      await db.write(
        `INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, provider, sequence, change_type,
           event_count, shows, body, state, next_at, created_at, replay_at)
         SELECT CAST(:endpoint AS TEXT) || ' ' || n, :endpoint, :clientId, 'ada', 'caldav', 1, 'updated', 1, 'events', '',
           'dead', 0, n, 1 FROM ${numbers(db, count)} RETURNING message_id`,
        { clientId, endpoint },
      );
      // The oldest are taken.
      for (let n = 1; n <= Math.min(count, 16); n += 1) {
        const id = `${endpoint} ${n}`;
        const text = 'UPDATE webhook_message SET body = :body WHERE message_id = :id RETURNING message_id';
        await db.write(text, { id, body: sealer.seal('{}', messageContext(id)) });
      }
    },
  },
};

const numbers = ({ dialect }: Database, count: number): string =>
  dialect.engine === 'postgres'
    ? `generate_series(1, ${count}) AS g(n)`
    : `(WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < ${count}) SELECT n FROM g) AS g`;

export function neighborsContract(database: string, open: () => Promise<Database>): void {
  for (const [name, { slots, ofEndpoint, take, add }] of Object.entries(KINDS)) {
    const prepare = async () => {
      const db = await open();
      const sealer = createSealer(randomBytes(32));
      const stores = openStores(db, { sealer });
      const due = async (one: Due) => {
        await addEndpoint(db, one);
        await add(db, one, sealer);
      };
      const shared = new SlotCounts({ ofClientAtHost: 16 });
      const fair = () => new WorkSlots(name, { slots, share: 1 / 2 }, { shared });
      const takes = (change: Partial<TakeTerms>) => take(stores, takeTerms(NOW, { ofEndpoint, ...change }));
      return { db, due, shared, fair, takes };
    };

    describe(`${name} of neighbors on ${database}`, () => {
      it('one call finds what a quiet application has due behind 10,000 of a hostile one', async () => {
        const { due, fair, takes } = await prepare();
        for (let n = 0; n < 10; n += 1) await due({ clientId: 'hostile', endpoint: `a${n}`, count: 1_000 });
        await due({ clientId: 'quiet', endpoint: 'q', count: 1 });

        const counts = countsOf(await takes({ slots: fair() }));

        assert.deepEqual(counts, { hostile: slots / 2 - 1, quiet: 1 });
      });

      it('a full application is left out until it gives a slot back', async () => {
        const { due, fair, takes } = await prepare();
        for (let n = 0; n < 140; n += 1) await due({ clientId: 'hostile', endpoint: `a${n}`, count: 1 });
        const held = fair();
        await takes({ slots: held });
        await due({ clientId: 'quiet', endpoint: 'q', count: 1 });

        assert.deepEqual(countsOf(await takes({ slots: held })), { quiet: 1 });
      });

      it('an application with a full origin is served at its others', async () => {
        const { due, shared, fair, takes } = await prepare();
        const slow = { clientId: 'acme', host: 'slow.example:8443' };
        for (let n = 0; n < 140; n += 1) await due({ ...slow, endpoint: `a${n}`, count: 1 });
        const held = fair();
        for (let n = 0; n < 16; n += 1) shared.add({ ...slow, owner: 'a', host: `https://${slow.host}` });
        await due({ clientId: 'acme', endpoint: 'other', host: 'slow.example', count: 1 });

        const [taken, ...more] = await takes({ slots: held });

        assert.deepEqual(taken?.place, { clientId: 'acme', owner: 'other', host: 'https://slow.example' });
        assert.deepEqual(more, []);
      });

      it('ten instances together take no more of an endpoint than it may have', async () => {
        const { due, takes } = await prepare();
        await due({ clientId: 'acme', endpoint: 'a', count: 40 });

        const all = await tenTimes(() => takes({}));

        assert.equal(all.flat().length, ofEndpoint);
        assert.equal((await takes({})).length, 0);
      });

      it('slots of what others took first, or that could not be leased, are free again', async () => {
        const { db, due, fair, takes } = await prepare();
        await due({ clientId: 'acme', endpoint: 'a', count: 40 });
        const counts = Array.from({ length: 10 }, fair);
        const all = await tenTimes((n) => takes(counts[n] === undefined ? {} : { slots: counts[n] }));
        await db.write("UPDATE webhook_endpoint SET secrets = 'not sealed' RETURNING endpoint_id");
        const none = fair();

        await assert.rejects(takes({ slots: none, now: NOW + 32_000 }));

        assert.deepEqual(
          counts.map((one) => one.heldBy({})),
          all.map((taken) => taken.length),
        );
        assert.deepEqual(none.full(), []);
        assert.equal(none.heldBy({}), 0);
      });
    });
  }
}

async function addEndpoint(
  db: Database,
  { clientId, endpoint, host = `${endpoint}.example` }: Due,
): Promise<void> {
  const values = { clientId, endpoint, url: `https://${host}/in` };
  await db.write(
    `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
     VALUES (:clientId, :clientId, 'https://app.example/', 1, 1) ON CONFLICT DO NOTHING`,
    values,
  );
  await db.write(
    `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at) VALUES (:clientId, 'ada', 1, 1)
     ON CONFLICT DO NOTHING`,
    values,
  );
  await db.write(
    `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at)
     VALUES (:endpoint, :clientId, :url, :url, 0, 1) ON CONFLICT DO NOTHING`,
    values,
  );
}

const countsOf = (taken: readonly { readonly clientId: string }[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(taken, ({ clientId }) => clientId)).map(([id, all = []]) => [
      id,
      all.length,
    ]),
  );
