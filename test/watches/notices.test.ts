/** Work that push notifications make due, and how little forged ones cause. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';

import { createServer } from '../../src/http/server.ts';
import { hashOfSecret } from '../../src/lib/sealing.ts';
import type { Notice } from '../../src/watches/notices.ts';
import { notices } from '../../src/watches/notices.ts';
import { receiverRoutes } from '../../src/watches/receivers.route.ts';
import type { Notified, WatchStore } from '../../src/watches/watch-store.ts';
import { collectingLog } from '../harness/calendar-server.ts';

describe('notices of providers', () => {
  let clock: { now: number };
  let lookups: string[];
  let done: string[];
  let notified: Notified;
  const log = collectingLog();

  beforeEach(() => {
    clock = { now: 1_000_000 };
    lookups = [];
    done = [];
    log.lines.length = 0;
    notified = {
      watchId: 'w',
      accountKey: 'a',
      calendarKey: 'c',
      state: 'live',
      provider: 'microsoft',
      tokenHash: hashOfSecret('token'),
    };
  });

  const depsOf = () => ({
    // A notice uses these members alone.
    watches: {
      findNotified: async (id: string) => {
        lookups.push(id);
        return id === 'w' ? notified : undefined;
      },
      trustFrom: async () => void done.push('trusted'),
      renewSoon: async (_: string, isGone: boolean) => void done.push(isGone ? 'gone' : 'renewed'),
    } as unknown as WatchStore,
    jobs: {
      schedule: async (kind: string, key: string, at: number) =>
        void done.push(`${kind} ${key} ${at - clock.now}`),
    },
    log,
    now: () => clock.now,
  });
  const heard = async (says: Notice['says']) => {
    done = [];
    assert.ok(await notices(depsOf()).take({ provider: 'microsoft', watchId: 'w', token: 'token', says }));
    return done;
  };

  it('make due what they say, and no more', async () => {
    assert.deepEqual(await heard('changed'), ['sync-calendar c 0']);
    assert.deepEqual(await heard('missed'), ['sync-calendar c 0']);
    assert.deepEqual(await heard('ending'), ['renewed', 'sync-account a 0']);
    assert.deepEqual(await heard('gone'), ['gone', 'sync-account a 0', 'sync-calendar c 0']);
    notified = { ...notified, state: 'made' };
    assert.deepEqual(await heard('changed'), ['trusted', 'sync-calendar c 0']);
    notified = { ...notified, calendarKey: undefined, state: 'live' };
    assert.deepEqual(await heard('changed'), ['trusted', 'sync-account a 0']);
  });

  it('make a calendar due once in half a second, the last of them too', async () => {
    const taken = notices(depsOf());
    const hear = () => taken.take({ provider: 'microsoft', watchId: 'w', token: 'token', says: 'changed' });
    for (const after of [0, 100, 100, 400, 2_000]) {
      clock.now += after;
      await hear();
    }
    assert.deepEqual(
      done.map((line) => Number(line.split(' ')[2])),
      [0, 400, 300, 400, 0],
    );
  });

  it('do nothing with another token, at another provider, or under a name that is none', async () => {
    const taken = notices(depsOf());
    const forged = { provider: 'microsoft', watchId: 'w', token: 'token', says: 'changed' } as const;
    assert.equal(await taken.take({ ...forged, token: 'Token' }), false);
    assert.equal(await taken.take({ ...forged, provider: 'google' }), false);
    assert.equal(await taken.take({ ...forged, watchId: 'w\0' }), false);
    assert.deepEqual(lookups, ['w', 'w']);
    assert.deepEqual(done, []);
    assert.equal(log.lines.length, 1);
  });

  it('are looked up a hundred times at most, however many one body has', async () => {
    const app = createServer({ log, trustProxy: undefined, secure: true });
    app.register(receiverRoutes(depsOf()));
    const value = Array.from({ length: 1_500 }, (_, index) => ({ clientState: `${index}.` }));
    const answer = await app.inject({
      method: 'POST',
      url: '/webhook-receiver/microsoft',
      payload: { value },
    });
    await app.close();
    assert.equal(answer.statusCode, 202);
    assert.equal(lookups.length, 100);
  });
});
