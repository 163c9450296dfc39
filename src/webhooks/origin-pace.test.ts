import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { originPace } from './delivery-worker.ts';

const PLACE = { clientId: 'acme', owner: 'we_1', host: 'https://hooks.example:8443' };

/** An egress whose requests take as many milliseconds as their path says. */
function timedPace() {
  let now = 0;
  const request = async ({ url }: { url: string | URL }) => {
    now += Number(new URL(url).pathname.slice(1));
    throw new Error('the connection was refused');
  };
  const pace = originPace({ request, close: async () => undefined }, () => now);
  const send = (ms: number, place = PLACE) => {
    const sent = pace.egress.request({
      method: 'POST',
      url: `${place.host}/${ms}`,
      clientId: place.clientId,
    });
    return assert.rejects(sent, /refused/);
  };
  return { most: pace.most, send };
}

describe('the pace of an origin', () => {
  it('allows 16 turns of an application until a request there took less than 250 ms', async () => {
    const { most, send } = timedPace();

    assert.equal(most(PLACE), 16);
    await send(249);
    assert.equal(most(PLACE), Number.POSITIVE_INFINITY);
    await send(250);
    assert.equal(most(PLACE), 16);
  });

  it('concerns one application and one origin', async () => {
    const { most, send } = timedPace();

    await send(1);

    assert.equal(most({ ...PLACE, clientId: 'other' }), 16);
    assert.equal(most({ ...PLACE, host: 'https://hooks.example' }), 16);
  });

  it('is remembered for the 1,000 most recently measured origins', async () => {
    const { most, send } = timedPace();
    const places = Array.from({ length: 1_000 }, (_, n) => ({ ...PLACE, host: `https://h${n}.example` }));

    for (const place of [PLACE, ...places.slice(0, 999), PLACE, ...places.slice(999)]) await send(1, place);

    const slow = [PLACE, ...places].filter((place) => most(place) === 16);
    assert.deepEqual(slow, places.slice(0, 1));
  });
});
