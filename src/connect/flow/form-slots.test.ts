import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { formSlots } from './form-slots.ts';

/** Returns how many of 200 forms run at once. */
async function countRunning(callerAt: (at: number) => { clientId: string; address: string }) {
  const slots = formSlots(1_000);
  let running = 0;
  for (let at = 0; at < 200; at += 1) if ((await slots.enter(callerAt(at))) !== undefined) running += 1;
  return running;
}

describe('forms that run at once', () => {
  it('are ten for an address, of any applications, and for the /64 of an IPv6 address', async () => {
    assert.equal(await countRunning((at) => ({ clientId: `c${at}`, address: '192.0.2.1' })), 10);
    assert.equal(await countRunning((at) => ({ clientId: `c${at}`, address: `2001:db8::${at}` })), 10);
  });

  it('are forty for a /24 or /48, twenty of them of one application', async () => {
    for (const addressAt of [(at: number) => `192.0.2.${at}`, (at: number) => `2001:db8:1:${at}::1`]) {
      assert.equal(await countRunning((at) => ({ clientId: `c${at}`, address: addressAt(at) })), 40);
      assert.equal(await countRunning((at) => ({ clientId: 'acme', address: addressAt(at) })), 20);
    }
  });

  it('are an eighth of the connections, half of them of one application', async () => {
    const addressAt = (at: number) => `2001:db8:${at}::1`;
    assert.equal(await countRunning((at) => ({ clientId: `c${at}`, address: addressAt(at) })), 125);
    assert.equal(await countRunning((at) => ({ clientId: 'acme', address: addressAt(at) })), 62);
  });

  it('are at least one, and a slot that was freed can be taken again', async () => {
    const slots = formSlots(2);
    const leave = await slots.enter({ clientId: 'acme', address: '192.0.2.1' });
    const refused = await slots.enter({ clientId: 'acme', address: '192.0.2.1' });
    leave?.();

    assert.equal(refused, undefined);
    assert.ok(await slots.enter({ clientId: 'acme', address: '192.0.2.1' }));
  });
});
