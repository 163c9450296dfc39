/** Texts of refusals and titles in the dashboard, as pages and clients read them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import Fastify from 'fastify';

import { showDashboardErrors } from '../../src/dashboard/dashboard-errors.ts';
import { acceptCookies } from '../../src/http/cookies.ts';
import { PeopleRefusal, type PeopleRefusalKind } from '../../src/people/people-refusal.ts';
import { onSqlite } from '../harness/databases.ts';
import { openDashboardApp } from './dashboard-app.ts';

onSqlite((open) => {
  it('a refusal is a sentence on its page and in JSON, with the time to wait', async () => {
    const dashboard = await openDashboardApp(await open());
    const app = Fastify();
    await acceptCookies(app);
    showDashboardErrors(app, dashboard.deps);
    app.get<{ Params: { kind: PeopleRefusalKind } }>('/:kind', async ({ params: { kind } }) => {
      throw new PeopleRefusal(kind, { retryAfter: 7 });
    });
    for (const [kind, status, sentence] of [
      ['too_many', 429, 'Too many attempts. Try again in 7 seconds.'],
      ['wrong_login', 401, 'The email address or the password is wrong. Check both and try again.'],
      ['not_allowed', 403, 'The role Viewer does not allow this. Ask an owner to change your role.'],
    ] as const) {
      const page = await app.inject({ url: `/${kind}`, headers: { accept: 'text/html' } });
      assert.deepEqual([page.statusCode, page.headers['retry-after']], [status, '7']);
      assert.ok(page.body.replace(/<\/?bdi>/g, '').includes(sentence), page.body);
      assert.ok(!page.body.includes(kind));
      const json = await app.inject({ url: `/${kind}`, headers: { accept: 'application/json' } });
      assert.deepEqual(json.json(), { error: kind, message: sentence });
    }
    await Promise.all([app.close(), dashboard.app.close()]);
  });

  it('the title of a page shows invisible characters of a name as their codes', async () => {
    const { app, db, signedIn } = await openDashboardApp(await open());
    const owner = await signedIn('owner');
    await db.write('UPDATE person SET name = :name', { name: '\u202e<Ada' });

    const { body } = await owner.get(`/dashboard/people/${owner.personId}`);

    assert.match(body, /<title>\\u202e&#60;Ada – Kalends<\/title>/);
    await app.close();
  });
});
