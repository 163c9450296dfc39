/** Tests which results of two programs the comparison takes for different. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { generateRequests } from '../../scripts/compare-requests.ts';
import { findDifference } from '../../scripts/compare-results.ts';

describe('npm run compare', () => {
  it('takes random ids, times and durations for equal', () => {
    const base = {
      id: 'we_1OaZKAytOAYWDxrG',
      at: '2026-11-01T00:00:00Z',
      duration_ms: 1,
      expires: 1_790_000_000,
    };
    const current = {
      id: 'we_mHxfVvtIJzv1arkR',
      at: '2026-11-01T00:00:09Z',
      duration_ms: 9,
      expires: 1_790_000_009,
    };

    assert.equal(findDifference(base, current), undefined);
  });

  it('finds other values, other names, another order, other lengths and times far apart', () => {
    const differences = [
      [{ a: [1] }, { a: [2] }],
      [{ a: 1 }, { b: 1 }],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [{ a: null }, {}],
      ['event_not_found', 'calendar_not_found'],
      ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'],
    ].map(([base, current]) => findDifference(base, current));

    assert.deepEqual(differences, [
      '.a.0: 1 ≠ 2',
      ': {a} ≠ {b}',
      ': {a,b} ≠ {b,a}',
      ': {a} ≠ {}',
      ': "event_not_found" ≠ "calendar_not_found"',
      ': "2026-11-01T00:00:00Z" ≠ "2026-11-02T00:00:00Z"',
    ]);
  });

  it('sends the same requests for the same seed, valid and broken ones', () => {
    const parameter = { in: 'query', name: 'wait', schema: { minimum: 0, maximum: 25 }, example: 7 };
    const api = { paths: { '/events/changes': { get: { parameters: [parameter] } } }, components: {} };
    const paths = generateRequests(api, { count: 200, seed: 1 }).map(({ path }) => path);

    assert.deepEqual(
      generateRequests(api, { count: 200, seed: 1 }).map(({ path }) => path),
      paths,
    );
    for (const query of ['?wait=7', '?wait=-1', '?wait=0', '?wait=25', '?wait=26', '', '?wait=7&wait=7'])
      assert.ok(paths.includes(`/events/changes${query}`), query);
  });
});
