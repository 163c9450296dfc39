/**
 * Role × route × foreign application, from the route table itself: a route that needs a permission without a row here
 * fails the test. No address or form gets past what PERMISSIONS allows.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { allDashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import type { DashboardRoute } from '../../src/dashboard/guard.ts';
import { may, PERMISSIONS, type Permission } from '../../src/people/permission.ts';
import { type Person, ROLES, type Role } from '../../src/people/person.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, type DashboardBrowser, leadsTo, openDashboardApp } from './dashboard-app.ts';

/** The expected permissions of each role, independent of the source; `own`: only applications given to a developer. */
const EXPECTED: Readonly<Record<Permission, Readonly<Record<Role, 'yes' | 'own' | 'no'>>>> = {
  'own.manage': { owner: 'yes', developer: 'yes', viewer: 'yes' },
  'overview.read': { owner: 'yes', developer: 'yes', viewer: 'yes' },
  'people.manage': { owner: 'yes', developer: 'no', viewer: 'no' },
  'system.read': { owner: 'yes', developer: 'no', viewer: 'no' },
  'audit.read': { owner: 'yes', developer: 'yes', viewer: 'yes' },
  'application.create': { owner: 'yes', developer: 'no', viewer: 'no' },
  'application.list': { owner: 'yes', developer: 'yes', viewer: 'yes' },
  'system.change': { owner: 'yes', developer: 'no', viewer: 'no' },
  'application.read': { owner: 'yes', developer: 'own', viewer: 'yes' },
  'application.change': { owner: 'yes', developer: 'own', viewer: 'no' },
  'application.secrets': { owner: 'yes', developer: 'own', viewer: 'no' },
  'endpoint.any_address': { owner: 'yes', developer: 'no', viewer: 'no' },
  'application.signing_keys': { owner: 'yes', developer: 'no', viewer: 'no' },
  'application.delete': { owner: 'yes', developer: 'no', viewer: 'no' },
  'user.list': { owner: 'yes', developer: 'yes', viewer: 'yes' },
  'user.read': { owner: 'yes', developer: 'own', viewer: 'yes' },
  'user.change': { owner: 'yes', developer: 'own', viewer: 'no' },
  'user.name': { owner: 'yes', developer: 'own', viewer: 'no' },
  'delivery.list': { owner: 'yes', developer: 'yes', viewer: 'yes' },
  'delivery.read': { owner: 'yes', developer: 'own', viewer: 'yes' },
  'delivery.body': { owner: 'yes', developer: 'own', viewer: 'no' },
  'delivery.replay': { owner: 'yes', developer: 'own', viewer: 'no' },
  'request.list': { owner: 'yes', developer: 'yes', viewer: 'yes' },
  'request.read': { owner: 'yes', developer: 'own', viewer: 'yes' },
  'playground.open': { owner: 'yes', developer: 'yes', viewer: 'no' },
  'playground.use': { owner: 'yes', developer: 'own', viewer: 'no' },
  'verification.review': { owner: 'yes', developer: 'no', viewer: 'no' },
};

const personOf = (role: Role): Person => ({
  ...{ personId: 'p', name: 'P', login: 'p@example.com', role, clientIds: ['acme'] },
  ...{ hasPassword: true, createdAt: 1, seenAt: undefined },
});

describe('what each role may do', () => {
  for (const permission of Object.keys(PERMISSIONS) as Permission[])
    for (const role of ROLES)
      it(`${permission}, as ${role}`, () => {
        const expected = EXPECTED[permission][role];
        assert.equal(may(personOf(role), permission, 'acme'), expected !== 'no');
        assert.equal(may(personOf(role), permission, 'other'), expected === 'yes');
      });
});

onEachDatabase((database, open) => {
  describe(`role × route × application, on ${database}`, () => {
    let dashboard: DashboardApp;
    let browsers: Record<Role, DashboardBrowser>;
    before(async () => {
      dashboard = await openDashboardApp(await open());
      const { signedIn } = dashboard;
      browsers = {
        owner: await signedIn('owner'),
        developer: await signedIn('developer'),
        viewer: await signedIn('viewer'),
      };
    });
    after(() => dashboard.app.close());

    const addressOf = ({ path }: Pick<DashboardRoute, 'path'>, clientId: string) =>
      path.replace(':clientId', clientId).replace(/:\w+/g, 'nothing-of-that-name');

    it('every route is in the table, and says what it needs', async () => {
      const rows = allDashboardRoutes(dashboard.deps);
      const mounted = dashboard.app.printRoutes({ commonPrefix: false });
      assert.ok(rows.length > 15 && mounted.includes('dashboard'));
      for (const { needs } of rows) assert.ok(needs === 'nobody' || needs in EXPECTED, needs);
      // A page that changes data when it is opened could be triggered by anybody's link.
      const doors = rows
        .filter(({ needs }) => needs === 'nobody')
        .map(({ method, path }) => `${method} ${path}`);
      assert.deepEqual(
        doors.filter((door) => !/\/(?:sign-in|join|theme|passkey|playground\/callback|\*)/.test(door)),
        [],
      );
    });

    it('lets each role past where it may go, and shows nobody else anything', async () => {
      const wrong: string[] = [];
      let count = 0;
      for (const route of allDashboardRoutes(dashboard.deps)) {
        const { needs, method, path } = route;
        if (needs === 'nobody' || path.endsWith('/sign-out')) continue;
        for (const role of ROLES)
          for (const clientId of path.includes(':clientId') ? ['acme', 'other', 'no-such'] : ['']) {
            count += 1;
            const expected = EXPECTED[needs][role];
            const isAllowed = expected === 'yes' || (expected === 'own' && clientId === 'acme');
            // An allowed form is sent with the token of another session, so that it changes nothing.
            const form = isAllowed && method === 'POST' ? { token: 'of-another' } : {};
            const { status } = await (method === 'GET'
              ? browsers[role].get(addressOf(route, clientId))
              : browsers[role].post(addressOf(route, clientId), form));
            const refused = expected === 'no' ? [403] : [404];
            const isRight = isAllowed
              ? method === 'POST'
                ? status === 403
                : status < 400 || status === 404
              : refused.includes(status);
            if (!isRight) wrong.push(`${role} ${method} ${path} of ${clientId}: ${status}`);
          }
      }
      assert.deepEqual(wrong, []);
      assert.ok(count > 40);
    });

    it('leads who is not signed in to the sign-in, from every page and form', async () => {
      for (const route of allDashboardRoutes(dashboard.deps)) {
        if (route.needs === 'nobody') continue;
        const stranger = dashboard.browser({ '__Host-kalends_session': 'x'.repeat(43) });
        const address = addressOf(route, 'acme');
        const answer = await (route.method === 'GET' ? stranger.get(address) : stranger.post(address));
        assert.match(leadsTo(answer), /^\/dashboard\/sign-in\?next=/);
      }
    });

    it('refuses a form without the token of its session and of its own path', async () => {
      const owner = browsers.owner;
      const other = await dashboard.signedIn('owner');
      const secret = other.cookies.get('__Host-kalends_session') ?? '';
      for (const route of allDashboardRoutes(dashboard.deps)) {
        if (route.method !== 'POST' || route.needs === 'nobody') continue;
        for (const token of ['', 'x', secret]) {
          const { status } = await owner.post(addressOf(route, 'acme'), { token });
          assert.equal(status, 403, `${route.path} with ${token.slice(0, 3)}`);
        }
        const { status } = await owner.post(addressOf(route, 'acme'), {}, { 'sec-fetch-site': 'cross-site' });
        assert.equal(status, 403);
      }
    });
  });
});
