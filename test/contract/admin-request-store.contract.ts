/** Contract tests for AdminRequestStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import type { Caller } from '../../src/audit/audit-entry.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { adminRequestStore } from '../../src/store/idempotency-store.ts';
import { adminKeyStore } from '../../src/store/people/admin-key-store.ts';
import { NOW, tenTimes } from './calendar-rows.ts';

const DAY = 24 * 3_600_000;
const LEASE = 1_000;
const REQUEST = { keyId: 'ak_one', keyHash: 'key', requestHash: 'body' };

export function adminRequestStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    const [keys, store] = [adminKeyStore(db), adminRequestStore(db, createSealer(randomBytes(32)))];
    const by: Caller = {
      actor: { kind: 'command_line', name: 'root' },
      address: undefined,
      now: () => NOW,
    };
    const facts = { role: 'owner', clientIds: [], prefix: 'kal_adm_abcd', createdAt: NOW } as const;
    const add = (keyId: string, caller = by) =>
      keys.addKey({ ...facts, keyId, name: keyId, expiresAt: NOW + 2 * DAY }, `hash of ${keyId}`, caller);
    for (const keyId of ['ak_one', 'ak_two']) await add(keyId);
    const claim = (holder: string, at = NOW, change: Partial<typeof REQUEST> = {}) => {
      const terms = { holder, seed: `seed of ${holder}`, now: at, until: at + LEASE, forgottenAt: at - DAY };
      return store.claim({ ...REQUEST, ...change }, terms);
    };
    /** Makes a change for a run of the request: it creates a key. */
    const act = (holder: string) => add(`ak_by_${holder}`, { ...by, claim: { ...REQUEST, holder } });
    return { db, keys, by, store, claim, act };
  };

  describe(`AdminRequestStore on ${database}`, () => {
    it('exactly one of ten concurrent requests with one key is claimed', async () => {
      const { claim } = await prepare();
      const states = (await tenTimes((i) => claim(`run ${i}`))).map(({ state }) => state).sort();
      assert.deepEqual(states, ['claimed', ...Array(9).fill('under_way')]);
    });

    it('a response is returned to the same request of the same key, and stored sealed', async () => {
      const { db, store, claim } = await prepare();
      await claim('first');
      await store.keepAnswer(REQUEST, 'first', { body: 'a new secret' });

      assert.deepEqual(await claim('second'), { state: 'answered', answer: 'a new secret' });
      assert.deepEqual(await claim('third', NOW, { requestHash: 'other' }), { state: 'other_request' });
      assert.equal((await claim('fourth', NOW, { keyId: 'ak_two' })).state, 'claimed');
      const rows = await db.storedRows('SELECT * FROM admin_request');
      assert.doesNotMatch(JSON.stringify(rows), /a new secret/);
    });

    it('a response that was moved to another key or request cannot be opened', async () => {
      const { db, store, claim } = await prepare();
      await claim('first');
      await store.keepAnswer(REQUEST, 'first', { body: 'a new secret' });
      await db.change("UPDATE admin_request SET key_id = 'ak_two'");
      await assert.rejects(claim('second', NOW, { keyId: 'ak_two' }));
    });

    it('a key that was revoked or has expired gets no response', async () => {
      const { keys, by, store, claim } = await prepare();
      await claim('first');
      await claim('other', NOW, { keyId: 'ak_two' });
      await store.keepAnswer(REQUEST, 'first', { body: 'a new secret' });
      await store.keepAnswer({ ...REQUEST, keyId: 'ak_two' }, 'other', { body: 'a new secret' });

      await keys.removeKey('ak_one', by);

      assert.deepEqual(await claim('second'), { state: 'other_request' });
      assert.equal((await claim('third', NOW, { keyId: 'ak_two' })).state, 'answered');
      assert.equal((await claim('fourth', NOW + 2 * DAY, { keyId: 'ak_two' })).state, 'claimed');
    });

    it('the key of the environment gets its responses', async () => {
      const { store, claim } = await prepare();
      const request = { ...REQUEST, keyId: 'environment' };
      await claim('first', NOW, request);
      await store.keepAnswer(request, 'first', { body: 'done' });
      assert.deepEqual(await claim('second', NOW, request), { state: 'answered', answer: 'done' });
    });

    it('a run that died before its change is repeated, and afterwards it cannot make the change', async () => {
      const { keys, claim, act } = await prepare();
      await claim('slow');
      assert.equal((await claim('early', NOW + LEASE - 1)).state, 'under_way');
      assert.equal((await claim('next', NOW + LEASE)).state, 'claimed');

      await assert.rejects(act('slow'), /took too long/);
      await act('next');

      const ids = (await keys.listKeys(NOW)).map(({ keyId }) => keyId);
      assert.deepEqual(ids, ['ak_by_next', 'ak_one', 'ak_two']);
    });

    it('a run that died after its change is never repeated', async () => {
      const { store, claim, act } = await prepare();
      await claim('dead');
      await act('dead');
      assert.equal((await claim('early', NOW + LEASE - 1)).state, 'under_way');

      const states = (await tenTimes((i) => claim(`late ${i}`, NOW + LEASE))).map(({ state }) => state);
      assert.deepEqual(states, Array(10).fill('lost'));
      await store.forget(REQUEST, 'dead');
      await store.release(REQUEST, 'dead');
      assert.deepEqual(await claim('later', NOW + LEASE), { state: 'lost' });
    });

    it('a failed run is repeated unless it made a change', async () => {
      const { store, claim, act } = await prepare();
      await claim('first');
      await store.forget(REQUEST, 'first');
      assert.equal((await claim('second', NOW, { requestHash: 'other' })).state, 'claimed');
      await store.forget({ ...REQUEST, requestHash: 'other' }, 'second');
      await claim('third');
      await store.release(REQUEST, 'third');
      assert.equal((await claim('fourth')).state, 'claimed');
      await act('fourth');
      await store.forget(REQUEST, 'fourth');
      assert.deepEqual(await claim('fifth'), { state: 'lost' });
    });

    it('a change after a concurrent deletion of its claim is undone', async () => {
      const { keys, store, claim, act } = await prepare();
      await claim('first');
      const results = await Promise.allSettled([act('first'), store.forget(REQUEST, 'first')]);
      const isMade = results[0].status === 'fulfilled';
      assert.equal((await keys.listKeys(NOW)).length, isMade ? 3 : 2);
      assert.equal((await claim('second')).state, isMade ? 'lost' : 'claimed');
    });

    it('a key is forgotten after its day', async () => {
      const { store, claim, act } = await prepare();
      await claim('first');
      await act('first');
      const next = await claim('next day', NOW + DAY, { requestHash: 'other' });
      assert.deepEqual(next, { state: 'claimed', seed: 'seed of next day' });
      const other = { requestHash: 'other' };
      await store.release({ ...REQUEST, ...other }, 'next day');
      assert.equal((await claim('again', NOW + DAY, other)).state, 'claimed', 'it made no change');
      assert.equal(await store.deleteOldRequests(NOW + DAY - 1), 0);
      assert.equal(await store.deleteOldRequests(NOW + DAY), 1);
    });
  });
}
