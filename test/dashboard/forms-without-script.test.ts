/**
 * Every form of every page is sent as a browser without scripts sends it, and its fields are all that its route needs.
 * No button depends on a script.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import { allDashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import { unescaped } from '../connect/connect-harness.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { onSqlite } from '../harness/databases.ts';
import { type DashboardBrowser, openDashboardApp } from './dashboard-app.ts';
import { isPage, tourDashboard } from './dashboard-tour.ts';
import { plantDashboard } from './planted-dashboard.ts';

/** Forms with these endings delete data that other forms need, so they are sent last, the least destructive first. */
const TAKING = ['withdraw', 'end', 'revoke', 'disconnect', 'remove', 'delete', 'sign-out'];

type SentForm = { readonly action: string; readonly values: Readonly<Record<string, string>> };

onSqlite((open) => {
  it('every form is taken as it stands on its page, with its own token', async () => {
    const dashboard = await openDashboardApp(await open());
    dashboard.clock.now = NOW + 60_000;
    const owner = await dashboard.signedIn('owner');
    await plantDashboard(dashboard, 'Ada');
    const routes = allDashboardRoutes(dashboard.deps);
    const { stops } = await tourDashboard(routes, { get: (address) => owner.get(address) });
    // The preview is inert.
    const pages = stops.filter(({ answer, route }) => isPage(answer) && !route.includes('/preview/'));
    const forms = new Map(
      pages.flatMap(({ answer }) => formsIn(answer.body)).map((form) => [form.action, form]),
    );
    const ordered = [...forms.values()].toSorted((one, other) => rankOf(one) - rankOf(other));

    const wrong: string[] = [];
    for (const form of ordered) {
      const { status, body } = await send(owner, form);
      if (status >= 500 || body.includes('This form has expired')) wrong.push(`${form.action}: ${status}`);
      // A form with empty required fields gets an error, but no form may be unknown.
      if (![200, 303, 400, 404, 409].includes(status)) wrong.push(`${form.action}: ${status}`);
    }

    assert.ok(ordered.length > 30, `${ordered.length} forms`);
    assert.deepEqual(wrong, []);
    const idle = pages.flatMap(({ route, answer }) =>
      [...answer.body.matchAll(/<button type="button"[^>]*>/g)]
        .filter(([tag]) => !/ hidden| popovertarget=/.test(tag))
        .map(([tag]) => `${route}: ${tag}`),
    );
    assert.deepEqual(idle, []);
    await dashboard.app.close();
  });
});

const rankOf = ({ action }: SentForm): number => TAKING.findIndex((word) => action.endsWith(word));

/** Returns the POST forms of a page, with the values that a browser sends for untouched fields. */
function formsIn(markup: string): SentForm[] {
  return [...markup.matchAll(/<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action = '', content = '']) => ({ action: unescaped(action), values: valuesIn(content) }),
  );
}

function valuesIn(content: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [tag] of content.matchAll(/<(?:input|button)\b[^>]*>/g)) {
    const name = / name="([^"]*)"/.exec(tag)?.[1];
    const isPicked = !/type="(?:radio|checkbox)"/.test(tag) || / checked/.test(tag);
    if (name !== undefined && isPicked) values[name] ??= unescaped(/ value="([^"]*)"/.exec(tag)?.[1] ?? '');
  }
  return values;
}

/** Sends the form with the page's own token; without one, the harness would add its own. */
function send(browser: DashboardBrowser, { action, values }: SentForm) {
  assert.ok('token' in values || action === '/dashboard/theme', `${action} has no token`);
  return browser.post(action, values);
}
