import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkFapi2 } from './doctor.ts';
import type { StorageReport } from './storage-report.ts';

const check = (url: string, ...haveKeys: readonly boolean[]) =>
  checkFapi2(
    {
      ...{ state: 'reachable', engine: 'sqlite', pending: [], keyProblem: undefined, clockSkew: 0 },
      ...{ masterKey: { keyId: undefined, next: undefined, before: undefined }, newestInstant: undefined },
      ...{ watched: [], sharedKeys: [], accountsWithoutTenant: 0, begunAt: undefined, lastBackup: undefined },
      addresses: undefined,
      fapi2: haveKeys.map((hasKeys, i) => ({ clientId: `app-${i}`, hasKeys })),
    } satisfies StorageReport,
    { url },
  );

it('the check of fapi2 is absent without such applications', () => {
  assert.deepEqual(check('http://kalends.example'), []);
});

it('the check of fapi2 fails for an application without keys, and names it', () => {
  const [result] = check('https://kalends.example', true, false);
  assert.equal(result?.status, 'fail');
  assert.match(result?.message ?? '', /^app-1: .*--jwks FILE/);
});

it('the check of fapi2 fails for plain http unless the server is on this machine', () => {
  const statuses = [
    'http://kalends.example',
    'https://kalends.example',
    'http://127.0.0.1:8080',
    'http://localhost',
  ].map((url) => check(url, true)[0]?.status);
  assert.deepEqual(statuses, ['fail', 'ok', 'ok', 'ok']);
});
