/** The numbers of the overview and of the connections page: each equals the list behind its link, for every role. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { AccountProblem } from '../../src/calendars/account-store.ts';
import { dashboardMessages as messages } from '../../src/dashboard/messages/messages.ts';
import { ROLES } from '../../src/people/person.ts';
import { grantAll, NOW, newAccount } from '../contract/calendar-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, type DashboardBrowser, openDashboardApp } from './dashboard-app.ts';

const HOUR = 3_600_000;
/** More than a page of the list. */
const MANY = 43;
const REFUSED = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;
const AWAY = { state: 'degraded', reason: 'provider_unavailable', message: 'Down' } as const;
const REVOKED = { state: 'reauth_required', reason: 'access_revoked', message: 'Revoked' } as const;

type Linked = { readonly path: string; readonly count: number };

onEachDatabase((database, open) => {
  describe(`the numbers of the dashboard, on ${database}`, () => {
    let dashboard: DashboardApp;
    let browsers: readonly DashboardBrowser[];
    before(async () => {
      dashboard = await openDashboardApp(await open());
      browsers = await Promise.all(ROLES.map((role) => dashboard.signedIn(role)));
      await plant(dashboard);
    });
    after(() => dashboard.app.close());

    it('each number with a link on the overview equals the rows that the link lists', async () => {
      for (const browser of browsers) {
        const numbers = linkedNumbers((await browser.get('/dashboard')).body);

        assert.ok(numbers.length >= 6, browser.personId);
        for (const { path, count } of numbers)
          assert.equal(await countRows(browser, path), count, `${browser.personId} ${path}`);
      }
    });

    it('the tiles of the overview lead to the accounts of each state, with the number of them', async () => {
      const tiles = { connected: MANY + 4, active: 1, degraded: MANY, reauth_required: 3 };
      for (const browser of browsers) {
        const isOne = browser.personId.includes('developer');
        const numbers = linkedNumbers((await browser.get('/dashboard')).body);
        const expected = isOne ? { ...tiles, connected: MANY + 3, reauth_required: 2 } : tiles;

        for (const [state, count] of Object.entries(expected)) {
          const path = `/dashboard/connections?state=${state}`;
          assert.deepEqual(
            numbers.find((one) => one.path === path),
            { path, count },
          );
        }
      }
    });

    it('the overview and the list of applications show reviewers how many reviews wait', async () => {
      for (const browser of browsers)
        for (const page of ['/dashboard', '/dashboard/applications']) {
          const numbers = linkedNumbers((await browser.get(page)).body);
          const waiting = numbers.find(({ path }) => path === '/dashboard/reviews')?.count;

          assert.equal(waiting, browser.personId.includes('owner') ? 1 : undefined, page);
        }
      await dashboard.db.write(`DELETE FROM verification WHERE client_id = 'acme'`);
      for (const page of ['/dashboard', '/dashboard/applications'])
        assert.ok(!(await browsers[0]?.get(page))?.body.includes('/dashboard/reviews'), page);
      await submitForReview(dashboard);
    });

    it('each number on the connections page equals the rows of its reason', async () => {
      const reasons = [REFUSED, AWAY, REVOKED].map(({ reason }) => reason);
      for (const browser of browsers) {
        const { body } = await browser.get('/dashboard/connections');
        const counts = new Map(reasons.map((reason) => [reason, numberAfter(body, `reason.${reason}`)]));

        assert.equal(counts.get('provider_unavailable'), MANY);
        for (const [reason, count] of counts)
          assert.equal(await countRows(browser, `/dashboard/connections?reason=${reason}`), count, reason);
      }
    });

    it('the connected accounts of the overview are those of Users, also by the hourly totals', async () => {
      const { db, deps } = dashboard;
      await deps.connectionCounts.keepTotals(NOW + HOUR);
      for (const browser of browsers) {
        const { body } = await browser.get('/dashboard');
        const states = ['active', 'degraded', 'reauth_required'] as const;
        const counts = states.map((state) => numberAfter(body, `health.${state}`, '<dl class="tiles"'));
        const isOne = browser.personId.includes('developer');
        const total = await db.get<{ total: number }>(
          'SELECT total FROM connection_total WHERE client_id = :clientId',
          { clientId: isOne ? 'acme' : '' },
        );

        const accounts = await countAccounts(browser);

        assert.equal(accounts, isOne ? MANY + 3 : MANY + 4);
        assert.deepEqual([counts.reduce((sum, count) => sum + count, 0), total?.total], [accounts, accounts]);
      }
    });
  });
});

/** Links accounts of every state in two applications, and further ones whose flows are unfinished. */
async function plant({ stores, db, clock }: DashboardApp): Promise<void> {
  const link = async (clientId: string, userId: string, problem?: AccountProblem) => {
    await stores.users.loadOrCreateUser(clientId, userId, clock.now);
    const input = newAccount({ clientId, userId, accountId: userId, display: `${userId}@dav.example` });
    const account = await stores.accounts.linkAccount(input, clock.now);
    if (problem !== undefined) await stores.accounts.setHealth(account, problem, clock.now);
  };
  await link('acme', 'well');
  for (const name of ['ada', 'ben']) await link('acme', name, REFUSED);
  for (let number = 0; number < MANY; number += 1) await link('acme', `user-${number}`, AWAY);
  await link('other', 'foreign', REVOKED);
  await db.write('UPDATE account_group SET expires_at = NULL');
  for (const problem of [undefined, REFUSED, AWAY, REVOKED])
    for (const clientId of ['acme', 'other'])
      await link(clientId, `unfinished-${problem?.reason ?? 'well'}`, problem);
  await grantAll(db, { userId: 'ada' });
  await submitForReview({ db });
}

const submitForReview = ({ db }: Pick<DashboardApp, 'db'>) =>
  db.write(`INSERT INTO verification (client_id, status, submitted_at) VALUES ('acme', 'under_review', 1)`);

/** Returns the numbers of a page that are in a link, in a tile with one, or in a row of a table that starts with one. */
function linkedNumbers(body: string): Linked[] {
  const main = body.slice(body.indexOf('<main'));
  const row = /<th scope="row"><a href="([^"]+\?reason[^"]+)"(?:(?!<\/tr>).)*?>([\d,]+) accounts?</gs;
  const link = /<a [^>]*href="([^"]+)"[^>]*>((?:(?!<\/a>).)*)<\/a>/gs;
  const inLinks = [...main.matchAll(link)].map(([, path = '', content = '']) => {
    const [count] = /\d[\d,]*/.exec(content.replaceAll(/<[^>]+>/g, ' ')) ?? [];
    return [path, count] as const;
  });
  const tile = /<dt><a href="([^"]+)">(?:(?!<\/dt>).)*<\/a><\/dt><dd>([\d,]+)<\/dd>/gs;
  const inRows = [...main.matchAll(row), ...main.matchAll(tile)].map(
    ([, path = '', count]) => [path, count] as const,
  );
  return [...inLinks, ...inRows].flatMap(([path, count]) =>
    count === undefined ? [] : [{ path: decoded(path), count: toNumber(count) }],
  );
}

/** Returns the first number after the text of `key`. */
function numberAfter(body: string, key: Parameters<typeof messages.text>[0], start = '<main'): number {
  const [, rest = ''] = body.slice(body.indexOf(start)).split(messages.text(key));
  const [count = '0'] = /\d[\d,]*/.exec(rest.replaceAll(/<[^>]+>/g, ' ')) ?? [];
  return toNumber(count);
}

/** Reads a list to its end and returns its pages. */
async function readPages(browser: DashboardBrowser, first: string): Promise<string[]> {
  const pages: string[] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const { status, body } = await browser.get(path);
    assert.equal(status, 200, path);
    pages.push(body);
    const [, next] = /rel="next" href="([^"]+)"/.exec(body) ?? [];
    path = next === undefined ? undefined : decoded(next);
  }
  return pages;
}

const countRows = async (browser: DashboardBrowser, path: string): Promise<number> =>
  (await readPages(browser, path)).join('').split('<tr><th scope="row">').length - 1;

/** Returns the sum of the accounts in the list of users. */
async function countAccounts(browser: DashboardBrowser): Promise<number> {
  const text = (await readPages(browser, '/dashboard/users')).join('');
  return [...text.matchAll(/>(\d+) accounts?</g)].reduce((sum, [, count = '']) => sum + Number(count), 0);
}

const toNumber = (text: string): number => Number(text.replaceAll(',', ''));
const decoded = (text: string): string =>
  text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
