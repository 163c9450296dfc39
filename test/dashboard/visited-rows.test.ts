/**
 * No page costs more because a table has more rows: none of its statements reads a large table completely, sorts it, or
 * visits rows in proportion to its size. SQLite shows this in its plans, PostgreSQL by the number of visited rows.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { allDashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import type { Database, Values } from '../../src/store/drivers/database.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, openDashboardApp } from './dashboard-app.ts';
import { LARGE_TABLES } from './filled-tables.ts';
import { type Noted, noting } from './noting-database.ts';
import { openFilledPages, openPage, pagesOf } from './opened-pages.ts';

const USERS = 6_000;
/** Fewer rows than `acme` has in any large table; more than a page counts or checks. */
const MOST_VISITED = 2_500;
/** The size limit of a page with a full list, in bytes of markup. */
const MOST_BYTES = 60 * 1024;
/** Counts that stop at a limit of their own, which is above the number of rows here. */
const BOUNDED = /FROM \(\s*SELECT 1 FROM \w+ |FROM \(SELECT a\.health|LIMIT :most\) AS (?:found|counted)/;

onEachDatabase((database, open) => {
  describe(`pages over large tables, on ${database}`, () => {
    const noted: Noted = new Map();
    let db: Database;
    let dashboard: DashboardApp;
    let browsers: Awaited<ReturnType<typeof openFilledPages>>;
    before(async () => {
      db = await open();
      dashboard = await openDashboardApp(noting(db, noted));
      browsers = await openFilledPages(dashboard, USERS);
    });
    after(() => dashboard.app.close());

    it('every page answers, and none of its statements reads a large table through', async () => {
      const wrong = new Set<string>();
      for (const [role, browser] of browsers) {
        const pages = pagesOf(allDashboardRoutes(dashboard.deps), browser);
        assert.ok(pages.length > 40);
        for (const page of pages) {
          noted.clear();
          const { status, bytes, older } = await openPage(browser, page, 7);
          assert.ok(bytes <= MOST_BYTES, `${page}: ${bytes} bytes`);
          // The playground has no connected test user.
          if (role === 'owner' && !page.includes('/playground'))
            assert.ok(status < 400, `${page}: ${status}`);
          if (older !== undefined) assert.equal((await openPage(browser, older, 7)).status, 200, older);
          for (const [sql, values] of noted)
            for (const problem of await problemsOf(db, sql, values)) wrong.add(`${role} ${page}: ${problem}`);
        }
      }
      assert.deepEqual([...wrong], []);
    });
  });
});

async function problemsOf(db: Database, sql: string, values: Values): Promise<string[]> {
  const text = sql.replace(/\s+/g, ' ').trim();
  if (!/^(?:SELECT|WITH)\b/.test(text) || BOUNDED.test(text)) return [];
  return db.dialect.engine === 'sqlite' ? planProblems(db, sql, values) : visitProblems(db, sql, values);
}

async function planProblems(db: Database, sql: string, values: Values): Promise<string[]> {
  const plan = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
  const tables = LARGE_TABLES.join('|');
  const aliased = new RegExp(`\\b(${tables})(?: AS)? ([a-z]\\w*)\\b`, 'g');
  const names = new Set([...LARGE_TABLES, ...[...sql.matchAll(aliased)].map(([, , alias]) => alias ?? '')]);
  const isLimited =
    /LIMIT/.test(sql) && !plan.some(({ detail }) => detail.includes('TEMP B-TREE FOR ORDER BY'));
  return plan
    .map(({ detail }) => detail)
    .filter((detail) => {
      const scanned = /^SCAN (\w+)/.exec(detail)?.[1];
      return scanned !== undefined && names.has(scanned) && !(isLimited && detail.includes('USING'));
    })
    .map((detail) => `${detail} for ${sql.replace(/\s+/g, ' ')}`);
}

type Node = {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
};

async function visitProblems(db: Database, sql: string, values: Values): Promise<string[]> {
  const rows = await db.all<{ 'QUERY PLAN': readonly { readonly Plan: Node }[] }>(
    `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sql}`,
    values,
  );
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  const visited = plan === undefined ? Number.NaN : visitsOf(plan);
  return visited <= MOST_VISITED ? [] : [`${visited} rows for ${sql.replace(/\s+/g, ' ')}`];
}

function visitsOf(node: Node): number {
  const own = LARGE_TABLES.includes(node['Relation Name'] ?? '')
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + visitsOf(child), own);
}
