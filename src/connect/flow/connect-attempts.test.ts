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
