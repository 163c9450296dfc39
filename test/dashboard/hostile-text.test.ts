/**
 * Hostile texts in the dashboard: planted in the database and searched on every page of the route table. No text acts
 * as markup, reverses the line around it, or is so long that it fills a page.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';

import { allDashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { openDashboardApp } from './dashboard-app.ts';
import { isPage, type Tour, tourDashboard } from './dashboard-tour.ts';
import { plantDashboard } from './planted-dashboard.ts';

/**
 * Between its two words: characters that end an attribute, begin a tag, and reverse the direction of the following
 * text.
 */
const MARK = 'xqbegin<b onx=1>"\'xqend\u202e';
const MOST_BYTES = 60 * 1024;

/** Routes of the table that no page links to, and why. */
const WITHOUT_A_LINK: readonly string[] = [
  '/dashboard/*', // what is nowhere else
  '/dashboard/join/:token', // an invitation is handed over
];

onEachDatabase((database, open) => {
  // How a page renders a text does not depend on the database.
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
      const showing = tour.stops.filter(({ answer: { body } }) => body.includes('xqbegin'));
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

/** Returns the places where a character of the mark is not escaped. */
const rawTexts = (body: string): string[] =>
  [...body.matchAll(/xqbegin(?!&#60;|%3C|\\u003c).{0,12}|.{0,12}(?<!&#39;|%27)xqend/gs)].map(
    ([text]) => text,
  );

/** Elements that isolate text direction: a reversal inside one of them ends with it. */
const ISOLATES =
  /^(?:bdi|pre|td|th|dt|dd|li|p|h1|h2|h3|div|title|option|textarea|small|summary|label|legend|button)$/;

/** Returns texts with a direction mark that share their line with other text. */
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
