import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { connectAttempts } from './connect-attempts.ts';

const MINUTE = 60;
const limits = {
  authorizePerMinute: 1,
  newUsersPerHour: 1,
  passwordsPerTransaction: 1,
  passwordsPerAddress: 1,
  passwordsPerAccount: 1,
};

describe('the limits of the pages', () => {
  for (const [name, seconds] of [
    ['authorize', MINUTE],
    ['newUsers', 60 * MINUTE],
  ] as const) {
    it(`count ${name} per application and /64 network`, async () => {
      const count = connectAttempts(limits)[name];
      const first = await count({ clientId: 'acme', address: '2001:db8::1' });

      const sameNetwork = await count({ clientId: 'acme', address: '2001:db8::2' });
      const otherApplication = await count({ clientId: 'other', address: '2001:db8::1' });
      const otherNetwork = await count({ clientId: 'acme', address: '2001:db8:0:1::1' });

      assert.deepEqual([first, otherApplication, otherNetwork], [undefined, undefined, undefined]);
      assert.ok(sameNetwork !== undefined && sameNetwork > seconds / 2 && sameNetwork <= seconds);
    });
  }

  it('count passwords per /64 network', async () => {
    const { passwordsFromAddress: count } = connectAttempts(limits);

    assert.equal(await count('2001:db8::1'), undefined);
    assert.equal(typeof (await count('2001:db8::2')), 'number');
    assert.equal(await count('2001:db8:0:1::1'), undefined);
  });

  it('count the sites and wide networks of addresses too, with 10 and 100 times the limit', async () => {
    const allowed = async (addressAt: (at: number) => string) => {
      const { authorize, newUsers, passwordsFromAddress } = connectAttempts(limits);
      const counts = [0, 0, 0];
      for (let at = 0; at < 150; at += 1) {
        const address = addressAt(at);
        const caller = { clientId: 'acme', address };
        const waits = [await authorize(caller), await newUsers(caller), await passwordsFromAddress(address)];
        for (const [index, wait] of waits.entries())
          if (wait === undefined) counts[index] = (counts[index] ?? 0) + 1;
      }
      return counts;
    };

    assert.deepEqual(await allowed((at) => `2001:db8:1:${at}::1`), [10, 10, 10]);
    assert.deepEqual(await allowed((at) => `2001:db8:${at}::1`), [100, 100, 100]);
    assert.deepEqual(await allowed((at) => `192.0.2.${at}`), [10, 10, 10]);
    assert.deepEqual(await allowed((at) => `192.0.${at}.1`), [100, 100, 100]);
  });

  for (const name of ['passwordsInTransaction', 'passwordsFromAddress', 'passwordsForAccount'] as const) {
    it(`take back the attempt with a correct password from ${name}`, async () => {
      const count = connectAttempts(limits)[name];
      await count('a');
      await count.refund('a');

      assert.equal(await count('a'), undefined);
      assert.ok(Number(await count('a')) > 9 * MINUTE);
      assert.equal(await count('b'), undefined, 'each for itself');
    });
  }
});
