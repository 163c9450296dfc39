import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findCheckConditions } from './alert-conditions.ts';
import { checkAdminKeys } from './doctor.ts';
import type { StorageReport } from './storage-report.ts';

const DAY = 24 * 3_600_000;

const check = (...expiries: readonly number[]) =>
  checkAdminKeys(
    {
      ...{ state: 'reachable', engine: 'sqlite', pending: [], keyProblem: undefined, clockSkew: 0 },
      ...{ masterKey: { keyId: undefined, next: undefined, before: undefined }, newestInstant: undefined },
      ...{ watched: [], sharedKeys: [], accountsWithoutTenant: 0, begunAt: undefined, lastBackup: undefined },
      addresses: undefined,
      adminKeys: expiries.map((expiresAt, i) => ({ name: `Key ${i}`, expiresAt })),
    } satisfies StorageReport,
    0,
  );

it('the check of admin keys warns 14 days before the first one expires, and fails 3 days before and afterwards', () => {
  assert.deepEqual(check(14 * DAY), []);
  for (const [expiresAt, status] of [
    [14 * DAY - 1, 'warn'],
    [3 * DAY, 'warn'],
    [3 * DAY - 1, 'fail'],
    [-DAY, 'fail'],
  ] as const)
    assert.equal(check(expiresAt, 20 * DAY)[0]?.status, status);
});

it('the check of admin keys names the keys, and its warning is an alert', () => {
  const checks = check(4 * DAY, 5 * DAY, 20 * DAY);
  assert.match(checks[0]?.message ?? '', /"Key 0" at 1970-01-05.*"Key 1"/);
  assert.doesNotMatch(checks[0]?.message ?? '', /Key 2/);
  const [condition] = findCheckConditions(checks, { dashboardUrl: undefined });
  assert.deepEqual([condition?.subject, condition?.severity], ['admin_keys', 'warning']);
});
