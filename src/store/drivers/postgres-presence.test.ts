import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { PostgresPresence } from './postgres-presence.ts';

const NOW = 1_000_000;

describe('PostgresPresence', () => {
  it('adopts a clock that differs by more than 250 ms and by more than half a round trip', async (t) => {
    let elapsed = 0;
    t.mock.method(performance, 'now', () => elapsed);
    const presence = new PostgresPresence('postgres://127.0.0.1:1/none', {
      underWay: () => 0,
      giveUp: () => {},
      reconnect: () => {},
      now: () => NOW,
    });
    t.after(() => presence.stop());
    const measured = async (ahead: number, roundTripMs: number): Promise<number> => {
      await presence.isReadOnly(async () => {
        elapsed += roundTripMs;
        return { isReadOnly: false, at: NOW + ahead, isOtherEngine: false };
      });
      return presence.clockOffset;
    };

    assert.equal(await measured(250, 0), 0, 'a small difference');
    assert.equal(await measured(240, 40), 260, 'the server read its clock half a round trip ago');
    assert.equal(await measured(10, 0), 260, 'a small change');
    assert.equal(await measured(-1_000, 4_000), 260, 'less than a slow round trip shows');
    assert.equal(await measured(-300_000, 4_000), -298_000, 'more than a slow round trip can be wrong by');
    assert.equal(await measured(-300_000, 2), -299_999, 'a better measurement');
  });

  it('replaces the connections once when the server is found to be read-only', async (t) => {
    let [reads, reconnects] = [0, 0];
    const presence = new PostgresPresence('postgres://127.0.0.1:1/none', {
      underWay: () => 0,
      giveUp: () => {},
      reconnect: () => (reconnects += 1),
      now: undefined,
    });
    t.after(() => presence.stop());
    const isReadOnly = () =>
      presence.isReadOnly(async () => {
        reads += 1;
        return { isReadOnly: true, at: NOW, isOtherEngine: false };
      });

    assert.deepEqual([await isReadOnly(), await isReadOnly(), await isReadOnly()], [true, true, true]);
    assert.deepEqual([reads, reconnects], [1, 1]);
  });
});
