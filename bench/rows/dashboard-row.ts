/** Every page of the dashboard's route table where there are very many users, on both databases, in this process. */
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';

import { allDashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { openSqlite } from '../../src/store/drivers/sqlite-driver.ts';
import { openDashboardApp } from '../../test/dashboard/dashboard-app.ts';
import { openFilledPages, openPage, pagesOf } from '../../test/dashboard/opened-pages.ts';
import type { DurablePostgres } from '../durable-postgres.ts';
import { type RowReport, type Verdict, verdictOf } from '../report.ts';

export type DashboardPace = { readonly users: number; readonly rounds: number };

const MOST_MS = { required: 100, outFor: 50 };
const CONNECTIONS = 10;
/** The distance to the next opening's user, whose rows no earlier opening has read. */
const STEP = 97;

/**
 * Yields the report of each database as soon as it is complete. If no other row uses PostgreSQL, it is started for this
 * one.
 */
export async function* dashboardRow(
  folder: string,
  pace: DashboardPace,
  postgres: () => Promise<DurablePostgres>,
): AsyncGenerator<RowReport> {
  const file = path.join(await mkdtemp(path.join(folder, 'dashboard-')), 'kalends.db');
  yield await measurePages('SQLite', openSqlite(file), pace);
  const url = await (await postgres()).createDatabase('dashboard');
  yield await measurePages('PostgreSQL', openPostgres(url, CONNECTIONS), pace);
}

async function measurePages(
  name: string,
  db: Database,
  { users, rounds }: DashboardPace,
): Promise<RowReport> {
  try {
    await migrate(db, Date.now, async () => {});
    const dashboard = await openDashboardApp(db);
    const browsers = await openFilledPages(dashboard, users);
    const verdicts: Verdict[] = [];
    for (const [role, browser] of browsers)
      for (const page of pagesOf(allDashboardRoutes(dashboard.deps), browser)) {
        const times: number[] = [];
        for (let round = 0, older: string | undefined; round < rounds; round += 1) {
          const began = performance.now();
          // Every other round opens the next page instead, which pagination by key returns as fast.
          const opened = await openPage(browser, older ?? page, round * STEP);
          times.push(performance.now() - began);
          if (opened.status >= 500) throw new Error(`${page} answers ${opened.status}`);
          older = round % 2 === 0 ? opened.older : undefined;
        }
        verdicts.push(verdictOf(`${role} ${page}`, { measured: percentile95(times), unit: 'ms' }, MOST_MS));
      }
    await dashboard.app.close();
    return {
      title: `Dashboard with ${users.toLocaleString('en')} users on ${name}: p95 of each page`,
      subjects: [],
      verdicts: verdicts.toSorted((one, other) => other.measured - one.measured),
    };
  } finally {
    await db.close();
  }
}

function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}
