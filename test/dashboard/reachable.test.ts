/** The origins and networks from which the dashboard can be reached. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { allDashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import { addressRanges } from '../../src/lib/address-ranges.ts';
import { onSqlite } from '../harness/databases.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { openDashboardApp } from './dashboard-app.ts';

onSqlite((open) => {
  it('every page and form of the dashboard is 404 outside its networks, also for an owner', async () => {
    const isDashboardNetwork = addressRanges(['10.0.0.0/8']);
    const { app, deps, signedIn } = await openDashboardApp(await open(), { isDashboardNetwork });
    const cookie = [...(await signedIn('owner')).cookies].map((pair) => pair.join('=')).join('; ');

    for (const { method, path } of allDashboardRoutes(deps)) {
      const request = { method, url: path.replace(':clientId', 'acme'), headers: { cookie } };
      const answer = await app.inject({ ...request, remoteAddress: '11.0.0.1' });
      assert.equal(answer.statusCode, 404, `${method} ${path}`);
      assert.equal(answer.headers['set-cookie'], undefined);
    }
    const inside = await app.inject({ url: '/dashboard', headers: { cookie }, remoteAddress: '10.9.9.9' });
    assert.equal(inside.statusCode, 200);
    await app.close();
  });
});

describe('the networks of the dashboard behind a proxy', () => {
  let program: Program;
  before(async () => {
    program = await startProgram({
      env: { KALENDS_DASHBOARD_NETWORKS: '10.0.0.0/8, 2001:db8::/32', KALENDS_TRUST_PROXY: '1' },
    });
  });
  after(() => program?.dispose());
  const statusOf = async (path: string, caller: string): Promise<number> =>
    (await fetch(program.url + path, { headers: { 'x-forwarded-for': caller } })).status;

  it('the dashboard is there for callers in its networks, as the trusted proxy names them', async () => {
    for (const caller of ['10.1.2.3', '2001:db8::7', '192.0.2.1, 10.1.2.3'])
      assert.equal(await statusOf('/dashboard/sign-in', caller), 200, caller);
    for (const caller of ['11.0.0.1', '2001:db9::7', '10.1.2.3, 192.0.2.1', '127.0.0.1', 'unknown'])
      assert.equal(await statusOf('/dashboard/sign-in', caller), 404, caller);
    assert.equal(await statusOf('/health', '192.0.2.1'), 200);
  });
});
