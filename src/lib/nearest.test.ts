import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { nearestOf } from './nearest.ts';

const KNOWN = ['display_name', 'redirect_uris', 'role', 'theme', 'webhook_url'];

describe('nearestOf', () => {
  it('returns the name with the fewest differing characters, at most four and a third', () => {
    const cases: readonly (readonly [string, string | undefined])[] = [
      ['display_nam', 'display_name'],
      ['dsiplay_name', 'display_name'],
      ['redirecturi', 'redirect_uris'],
      ['roles', 'role'],
      ['teme', 'theme'],
      ['them🌊', 'theme'],
      ['webhook', undefined],
      ['web', undefined],
      ['rule-book', undefined],
      ['x'.repeat(101), undefined],
    ];
    for (const [name, nearest] of cases) assert.equal(nearestOf(name, KNOWN), nearest, name);
    assert.equal(nearestOf('webhook', ['webhook_url', 'webhooks']), 'webhooks');
    assert.equal(nearestOf('name', []), undefined);
  });

  it('takes little time for the thousands of unknown names of a request', () => {
    const names = Array.from({ length: 50 }, (_, i) => `authorization_details_${i}`);
    const start = performance.now();
    for (let i = 0; i < 9_000; i++) assert.equal(nearestOf(`${i}`.padEnd(99, 'x'), names), undefined);
    assert.ok(performance.now() - start < 2_000);
  });
});
