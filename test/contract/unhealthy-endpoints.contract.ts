/** Contract tests for UnhealthyEndpoints. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { UNHEALTHY_ON_A_PAGE, type UnhealthyEndpoint } from '../../src/webhooks/unhealthy-endpoints.ts';
import { makeUsers, NOW, sealer } from './calendar-rows.ts';

const MINUTE = 60_000;

export function unhealthyEndpointsContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    await makeUsers(db);
    await db.write(
      `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
       VALUES ('other', 'Other', 'https://other.example/cb', :now, :now)`,
      { now: NOW },
    );
    const { endpoints, unhealthyEndpoints } = openStores(db, { sealer });
    const idsOf = async (clientIds?: readonly string[], now = NOW) =>
      (await unhealthyEndpoints.listUnhealthy({ clientIds, now })).map(({ endpointId }) => endpointId);
    return { db, endpoints, unhealthyEndpoints, idsOf };
  };

  describe(`UnhealthyEndpoints on ${database}`, () => {
    it('lists endpoints that are paused, failed three times in a row, or have failed for a minute', async () => {
      const { db, idsOf } = await prepare();
      await addEndpoint(db, { id: 'works' });
      await addEndpoint(db, { id: 'failed-twice', failures: 2, failingSince: NOW - MINUTE + 1 });
      await addEndpoint(db, { id: 'failed-thrice', failures: 3, failingSince: NOW });
      await addEndpoint(db, { id: 'failed-for-a-minute', failures: 1, failingSince: NOW - MINUTE });
      await addEndpoint(db, { id: 'paused', pausedAt: NOW - 9 * MINUTE });
      await addEndpoint(db, { id: 'listener', failures: 9, failingSince: 1, expiresAt: NOW + MINUTE });

      assert.deepEqual(await idsOf(), ['failed-thrice', 'failed-for-a-minute', 'paused']);
      assert.ok((await idsOf(undefined, NOW + 1)).includes('failed-twice'), 'a minute later');
    });

    it('lists only endpoints of the requested applications', async () => {
      const { db, idsOf } = await prepare();
      await addEndpoint(db, { id: 'of-acme', pausedAt: NOW - 1 });
      await addEndpoint(db, { id: 'of-other', clientId: 'other', pausedAt: NOW });

      assert.deepEqual(await idsOf(), ['of-other', 'of-acme']);
      assert.deepEqual(await idsOf(['acme']), ['of-acme']);
      assert.deepEqual(await idsOf(['acme', 'other', 'acme']), ['of-other', 'of-acme']);
      assert.deepEqual(await idsOf([]), []);
    });

    it('returns each endpoint with its state, the start of the problem and the last fault', async () => {
      const { db, endpoints, unhealthyEndpoints } = await prepare();
      await addEndpoint(db, { id: 'we_1', failures: 4, failingSince: NOW - MINUTE });
      await failDelivery(db, 'we_1');
      await addEndpoint(db, { id: 'we_2' });
      await endpoints.pauseEndpoint('we_2', NOW, undefined);

      const [paused, failing] = await unhealthyEndpoints.listUnhealthy({ now: NOW });

      const facts = { clientId: 'acme', url: 'https://hook.example/in' };
      assert.deepEqual(paused, {
        ...{ ...facts, endpointId: 'we_2', state: 'paused', pausedReason: 'operator' },
        ...{ failures: 0, lastFault: undefined, since: NOW },
      });
      assert.deepEqual(failing, {
        ...{ ...facts, endpointId: 'we_1', state: 'active', pausedReason: undefined },
        ...{ failures: 4, lastFault: 'It returned 502', since: NOW - MINUTE },
      });
    });

    it('lists each endpoint on exactly one page of 50, the newest problem first', async () => {
      const { db, unhealthyEndpoints } = await prepare();
      const ids = Array.from({ length: 2 * UNHEALTHY_ON_A_PAGE + 3 }, (_, index) => `we_${1_000 + index}`);
      for (const [index, id] of ids.entries())
        await addEndpoint(db, { id, pausedAt: NOW - Math.floor(index / 3) });

      for (const clientIds of [undefined, ['acme', 'other']]) {
        const pages: UnhealthyEndpoint[][] = [];
        for (let after: UnhealthyEndpoint | undefined; ; after = pages.at(-1)?.at(-1)) {
          const page = await unhealthyEndpoints.listUnhealthy({ clientIds, now: NOW }, after);
          if (page.length === 0) break;
          pages.push(page);
        }
        assert.deepEqual(
          pages.map(({ length }) => length),
          [UNHEALTHY_ON_A_PAGE, UNHEALTHY_ON_A_PAGE, 3],
        );
        const since = pages.flat().map((one) => one.since);
        assert.deepEqual(
          since,
          since.toSorted((one, other) => other - one),
        );
        assert.deepEqual(
          pages
            .flat()
            .map(({ endpointId }) => endpointId)
            .toSorted(),
          ids,
        );
      }
    });
  });
}

type Added = {
  readonly id: string;
  readonly clientId?: string;
  readonly failures?: number;
  readonly failingSince?: number;
  readonly pausedAt?: number;
  readonly expiresAt?: number;
};

function addEndpoint(db: Database, { id, clientId = 'acme', failures = 0, ...times }: Added) {
  const { failingSince = null, pausedAt = null, expiresAt = null } = times;
  const state = pausedAt === null ? 'active' : 'paused';
  return db.write(
    `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, state, paused_at, failures,
       failing_since, expires_at, created_at)
     VALUES (:id, :clientId, 'https://hook.example/in', 'https://hook.example/in', 0, :state, :pausedAt, :failures,
       :failingSince, :expiresAt, 1)`,
    { id, clientId, state, pausedAt, failures, failingSince, expiresAt },
  );
}

/** Adds a delivery whose only attempt failed, and the stream that waits to retry it. */
async function failDelivery(db: Database, endpointId: string): Promise<void> {
  const values = { endpointId, now: NOW };
  await db.write(
    `INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, provider, sequence, change_type,
       event_count, shows, body, state, attempts, next_at, created_at)
     VALUES ('msg_1', :endpointId, 'acme', 'ada', 'google', 1, 'updated', 1, 'events', '', 'pending', 1, :now, :now)`,
    values,
  );
  await db.write(
    `INSERT INTO webhook_attempt (message_id, number, started_at, duration_ms, status, fault)
     VALUES ('msg_1', 1, :now, 5, 502, 'It returned 502')`,
    { now: NOW },
  );
  await db.write(
    `INSERT INTO webhook_stream (stream_id, endpoint_id, client_id, user_id, told_seq, message_id, due_at)
     VALUES ('s1', :endpointId, 'acme', 'ada', 1, 'msg_1', :now)`,
    values,
  );
}
