import assert from 'node:assert/strict';
import { it } from 'node:test';

import { dailyCalls } from './daily-calls.ts';

const DAY_MS = 24 * 3_600_000;

it('returns quantiles over accounts for today and for yesterday', () => {
  let now = 0;
  const calls = dailyCalls(() => now);
  for (let account = 1; account <= 100; account += 1)
    for (let call = 0; call < account; call += 1) calls.add('google', String(account));
  const listSamples = () =>
    calls.family().samples.map(({ labels, value }) => [labels?.day, labels?.quantile, value]);

  const quantiles = [
    ['0.5', 50],
    ['0.9', 90],
    ['0.99', 99],
    ['1', 100],
  ];
  assert.deepEqual(
    listSamples(),
    quantiles.map((one) => ['today', ...one]),
  );
  now += DAY_MS;
  assert.deepEqual(
    listSamples(),
    quantiles.map((one) => ['yesterday', ...one]),
  );
  now += DAY_MS;
  assert.deepEqual(listSamples(), []);
});

it('counts a sample of very many accounts, each from its first call on', () => {
  const calls = dailyCalls(() => 0, 100);
  for (let call = 0; call < 3; call += 1)
    for (let account = 0; account < 5_000; account += 1) calls.add('google', String(account));

  for (const { value } of calls.family().samples) assert.equal(value, 3);
});
