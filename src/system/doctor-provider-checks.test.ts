import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { loadConfig } from '../config/config.ts';
import { checkTenants } from './doctor-provider-checks.ts';
import type { StorageReport } from './storage-report.ts';

const having = (accountsWithoutTenant: number): StorageReport => ({
  ...{
    state: 'reachable',
    engine: 'sqlite',
    pending: [],
    keyProblem: undefined,
    addresses: undefined,
    clockSkew: 0,
  },
  ...{ masterKey: { keyId: undefined, next: undefined, before: undefined }, newestInstant: undefined },
  ...{ watched: [], sharedKeys: [], lastBackup: undefined, begunAt: undefined, accountsWithoutTenant },
});
const at = (tenant: string, shared = 'off') =>
  loadConfig({
    KALENDS_MICROSOFT_ISSUER: `https://login.microsoftonline.com/${tenant}/v2.0`,
    KALENDS_MICROSOFT_SHARED_CALENDARS: shared,
  });

describe('the check of Microsoft’s tenants', () => {
  it('warns about accounts without a known tenant if many tenants can sign in', () => {
    for (const tenant of ['common', 'organizations']) {
      const [check, ...more] = checkTenants(having(3), at(tenant));

      assert.equal(check?.status, 'warn');
      assert.match(check?.message ?? '', /^The tenant of 3 Microsoft account\(s\)/);
      assert.deepEqual(more, []);
    }
  });

  it('has no warning if all tenants are known, one tenant signs in, or the database is unreachable', () => {
    assert.deepEqual(checkTenants(having(0), at('common')), []);
    assert.deepEqual(checkTenants(having(3), at('consumers')), []);
    assert.deepEqual(checkTenants({ state: 'absent' }, at('common')), []);
  });

  it('warns about shared calendars if personal accounts can sign in', () => {
    for (const tenant of ['common', 'consumers']) {
      const [check] = checkTenants({ state: 'absent' }, at(tenant, 'on'));
      assert.match(check?.message ?? '', /^KALENDS_MICROSOFT_SHARED_CALENDARS is on/);
    }
    assert.deepEqual(checkTenants(having(0), at('organizations', 'on')), []);
    assert.equal(checkTenants(having(2), at('common', 'on')).length, 2);
  });
});
