/**
 * Texts of strangers in the dashboard: planted in the database, looked for on every page of the route table. None is markup,
 * none turns the line around it, and none is so long that it fills a page.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';

import { allDashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { openDashboardApp } from './dashboard-app.ts';
import { isPage, type Tour, tourDashboard } from './dashboard-tour.ts';
import { plantDashboard } from './planted-dashboard.ts';

/** Between its two words: what ends an attribute, begins a tag, and turns what follows from right to left. */
const MARK = 'xq7<b onx=1>"\'xq8\u202e';
const MOST_BYTES = 60 * 1024;

/** Rows of the table that no link of a page leads to, and why. */
const WITHOUT_A_LINK: readonly string[] = [
  '/dashboard/*', // what is nowhere else
  '/dashboard/join/:token', // an invitation is handed over
];

onEachDatabase((database, open) => {
  // What a page does with a text does not depend on where the text was kept.
  if (database !== 'SQLite') return;

  async function tourWith(mark: string, lengthen = '') {
    const dashboard = await openDashboardApp(await open());
    dashboard.clock.now = NOW + 60_000;
    const owner = await dashboard.signedIn('owner');
    await plantDashboard(dashboard, mark, lengthen);
    const routes = allDashboardRoutes(dashboard.deps);
    const tour = await tourDashboard(routes, { get: (address) => owner.get(address), mostOfEach: 2 });
    await dashboard.app.close();
    return tour;
  }

  describe('texts of strangers in the dashboard', () => {
    let tour: Tour;
    before(async () => {
      tour = await tourWith(MARK);
    });

    it('are looked for on every page that there is', () => {
      assert.deepEqual(tour.unreached.toSorted(), WITHOUT_A_LINK);
      const failed = tour.stops.filter(({ answer: { status } }) => status >= 500);
      assert.deepEqual(
        failed.map(({ address }) => address),
        [],
      );
      const showing = tour.stops.filter(({ answer: { body } }) => body.includes('xq7'));
      assert.ok(showing.length > tour.stops.length / 2, `${showing.length} of ${tour.stops.length}`);
    });

    it('are text, whatever is in them', () => {
      const pages = tour.stops.filter(({ answer }) => isPage(answer));
      const problems = pages.flatMap(({ address, answer: { body } }) =>
        rawTexts(body).map((text) => `${address}: ${text}`),
      );
      assert.deepEqual(problems, []);
    });

    it('turn nothing that stands around them', () => {
      const pages = tour.stops.filter(({ answer }) => isPage(answer));
      const problems = pages.flatMap(({ address, answer: { body } }) =>
        turningTexts(body).map((text) => `${address}: ${text}`),
      );
      assert.deepEqual(problems, []);
    });

    it('leave no page that another site could frame, or a cache keep', () => {
      for (const { route, address, answer } of tour.stops) {
        assert.equal(answer.headers['cache-control'], 'no-store', address);
        if (!isPage(answer)) continue;
        const policy = String(answer.headers['content-security-policy']);
        const isPreview = route.startsWith('/dashboard/preview/');
        assert.ok(policy.includes(`frame-ancestors '${isPreview ? 'self' : 'none'}'`), address);
        assert.ok(policy.startsWith("default-src 'none'") && !policy.includes('unsafe'), address);
      }
    });

    it('are cut where they are long, so that every page stays light', async () => {
      const { stops } = await tourWith('long', 'w'.repeat(10_000));
      const heavy = stops
        .filter(({ answer }) => isPage(answer))
        .map(({ address, answer }) => [address, Buffer.byteLength(answer.body)] as const)
        .filter(([, bytes]) => bytes > MOST_BYTES);
      assert.deepEqual(heavy, []);
      assert.ok(stops.some(({ answer }) => answer.body.includes('wwww')));
    });
  });
});

/** Where a character of the mark stands as it is. */
const rawTexts = (body: string): string[] =>
  [...body.matchAll(/xq7(?!&#60;|%3C|\\u003c).{0,12}|.{0,12}(?<!&#39;|%27)xq8/gs)].map(([text]) => text);

/** Of these each is a line or a box of its own: what turns in it ends with it. */
const ISOLATES =
  /^(?:bdi|pre|td|th|dt|dd|li|p|h1|h2|h3|div|title|option|textarea|small|summary|label|legend|button)$/;

/** Texts with a mark of direction that share their line with others. */
function turningTexts(body: string): string[] {
  const open: string[] = [];
  const found: string[] = [];
  let isFirst = false;
  for (const [, tag = '', attributes = '', text = ''] of body.matchAll(
    /<(\/?[a-z][^\s>]*)([^>]*)>([^<]*)/g,
  )) {
    const name = attributes.includes('dir="auto"') ? 'bdi' : tag.replace('/', '');
    if (tag.startsWith('/')) open.pop();
    else if (!/^(?:input|img|meta|link|br|path|rect|circle|use|!doctype)$/.test(name)) open.push(name);
    isFirst = !tag.startsWith('/');
    const around = open.findLast((one) => ISOLATES.test(one));
    if (text.includes('\u202e') && around !== 'bdi' && !(isFirst && around === name))
      found.push(`${open.slice(-3).join(' ')}: ${text.trim().slice(0, 60)}`);
  }
  return found;
}
