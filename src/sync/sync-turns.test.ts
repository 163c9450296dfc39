import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';

import { type SyncPlace, SyncTurns } from './sync-turns.ts';

const MOST = { ofOwner: 3, ofOwnerAtHost: 2, ofHost: 4, waiting: 5 };

/** Enters for each, and keeps what has its turn. */
function entering(turns: SyncTurns) {
  const running: { place: SyncPlace; leave: () => void }[] = [];
  const refused: SyncPlace[] = [];
  return {
    running,
    refused,
    async enter(owner: string, ...hosts: string[]) {
      for (const host of hosts) {
        const place = { owner, host };
        void turns.enter(place).then((leave) => {
          if (leave === undefined) refused.push(place);
          else running.push({ place, leave });
        });
      }
      await settled();
    },
    async leave(index: number) {
      running.splice(index, 1)[0]?.leave();
      await settled();
    },
    names: () => running.map(({ place: { owner, host } }) => `${owner}@${host}`),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the turns of syncs', () => {
  it('give an owner a few at once, and let others pass', async () => {
    const syncs = entering(new SyncTurns(MOST));

    await syncs.enter('ada', 'a', 'b', 'c', 'd');
    await syncs.enter('ben', 'd');

    assert.deepEqual(syncs.names(), ['ada@a', 'ada@b', 'ada@c', 'ben@d']);
    await syncs.leave(1);
    assert.deepEqual(syncs.names(), ['ada@a', 'ada@c', 'ben@d', 'ada@d']);
  });

  it('give an owner fewer at one server than in all', async () => {
    const syncs = entering(new SyncTurns(MOST));

    await syncs.enter('ada', 'evil', 'evil', 'evil', 'good');

    assert.deepEqual(syncs.names(), ['ada@evil', 'ada@evil', 'ada@good']);
  });

  it('let owners take turns at a server that is busy', async () => {
    const syncs = entering(new SyncTurns(MOST));
    await syncs.enter('ada', 'h', 'h');
    await syncs.enter('ben', 'h', 'h');
    await syncs.enter('ada', 'h');
    await syncs.enter('cat', 'h', 'h');
    await syncs.enter('dan', 'h');

    await syncs.leave(0);
    await syncs.leave(0);
    await syncs.leave(0);
    await syncs.leave(0);

    assert.deepEqual(syncs.names(), ['ada@h', 'cat@h', 'dan@h', 'cat@h']);
  });

  it('have no limit of a server where the provider has its own', async () => {
    const syncs = entering(new SyncTurns(MOST));

    for (const owner of ['a', 'b', 'c', 'd', 'e']) await syncs.enter(owner, '', '', '');

    assert.equal(syncs.running.length, 15);
  });

  it('refuse those of an owner of whom too many wait', async () => {
    const syncs = entering(new SyncTurns(MOST));

    await syncs.enter('ada', ...Array.from({ length: 10 }, () => 'h'));

    assert.equal(syncs.running.length, 2);
    assert.equal(syncs.refused.length, 3);
  });

  it('forget who has left', async () => {
    const syncs = entering(new SyncTurns(MOST));
    await syncs.enter('ada', 'a', 'a');
    await syncs.leave(0);
    await syncs.leave(0);

    await syncs.enter('ada', 'a', 'a', 'b');

    assert.equal(syncs.running.length, 3);
  });

  it('refuse a sync whose turn does not come in time, and give it no turn later', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const syncs = entering(new SyncTurns(MOST));
      await syncs.enter('ada', 'a', 'a', 'a', 'b');
      mock.timers.tick(299_999);
      await settled();
      assert.equal(syncs.refused.length, 0);
      mock.timers.tick(1);
      await settled();
      assert.deepEqual(syncs.refused, [{ owner: 'ada', host: 'a' }]);

      await syncs.leave(0);
      await syncs.enter('ada', 'a');
      assert.deepEqual(syncs.names(), ['ada@a', 'ada@b', 'ada@a']);
    } finally {
      mock.timers.reset();
    }
  });

  it('leave a sync its place when the time of one that has begun is over', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const syncs = entering(new SyncTurns(MOST));
    await syncs.enter('ada', 'a', 'a', 'a');
    await syncs.leave(0);
    t.mock.timers.tick(10_000);
    await syncs.enter('ada', 'a');
    t.mock.timers.tick(290_000);
    await syncs.leave(0);

    assert.deepEqual([syncs.running.length, syncs.refused], [2, []]);
  });
});
