/** How long a start takes, from the process to the first 200, and how much memory load leaves behind. */
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';

import { freePort } from '../../test/harness/loopback.ts';
import {
  createApplication,
  kalendsEnvironment,
  MAIN,
  PACKAGE_MAIN,
  startKalends,
  untilHealthy,
} from '../kalends.ts';
import { runLoad } from '../load/http-load.ts';
import { median } from '../measure.ts';
import { spawnPeer } from '../peer-process.ts';
import { type ServerProcess, startNode } from '../pinned-process.ts';
import { residentMegabytes } from '../process-usage.ts';
import { type RowReport, verdictOf } from '../report.ts';
import type { Target } from '../row.ts';
import { refreshing } from './token-subjects.ts';

export type LoadMemoryPace = { readonly processes: number; readonly calls: number };

const MAINS = { checkout: MAIN, package: PACKAGE_MAIN };
const CHECKOUT = 'Kalends, on its data';
const PACKAGE = 'Kalends, package';
/** Milliseconds, and MB. */
const MOST_START: Readonly<Record<string, Target>> = {
  [CHECKOUT]: { required: 600, outFor: 600 },
  [PACKAGE]: { required: 450, outFor: 450 },
};
const MOST_MEMORY = { required: 130, outFor: 130 };
const CONNECTIONS = 64;
/** Far more than the calls take. */
const PATIENCE_SECONDS = 600;

/** Starts Kalends on its data, from the checkout and from the package, on nothing, and oidc-provider, in turns. */
export async function startRow(folder: string, rounds: number): Promise<RowReport> {
  const dataDir = path.join(folder, 'start');
  await createApplication(kalendsEnvironment(dataDir, await freePort()));
  const serve = (folder: string, port: number, main = MAIN) =>
    startNode([main, 'serve'], { env: kalendsEnvironment(folder, port) });
  const subjects: Record<string, (port: number, round: number) => ServerProcess> = {
    [CHECKOUT]: (port) => serve(dataDir, port),
    [PACKAGE]: (port) => serve(dataDir, port, PACKAGE_MAIN),
    'Kalends, first start': (port, round) => serve(path.join(folder, `first-${round}`), port),
    'oidc-provider, memory': (port) => spawnPeer('oidc-provider', ['memory', '-', 'jwt'], port),
  };
  // The first start compiles what later ones find in the cache.
  const first = await freePort();
  const compiling = serve(dataDir, first, PACKAGE_MAIN);
  await untilHealthy(compiling, first);
  await compiling.stop();
  const times = new Map<string, number[]>(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, start] of Object.entries(subjects)) {
      const port = await freePort();
      const began = performance.now();
      const server = start(port, round);
      await untilHealthy(server, port);
      times.get(name)?.push(performance.now() - began);
      await server.stop();
    }
  }
  const verdicts = [...times].map(([name, milliseconds]) =>
    verdictOf(name, { measured: median(milliseconds), unit: 'ms' }, MOST_START[name]),
  );
  return { title: 'Cold start to the first 200 of /health', subjects: [], verdicts };
}

/** Resident memory after token calls, each time of another process: single processes differ by a third. */
export async function loadMemoryRow(
  folder: string,
  { processes, calls }: LoadMemoryPace,
): Promise<RowReport> {
  const measured: Record<keyof typeof MAINS, number[]> = { checkout: [], package: [] };
  for (let process = 0; process < processes; process++)
    for (const name of ['checkout', 'package'] as const)
      measured[name].push(
        await memoryAfterLoad(await mkdtemp(path.join(folder, 'load-')), MAINS[name], calls),
      );
  const verdicts = Object.entries(measured).map(([name, megabytes]) =>
    verdictOf(`Kalends, ${name}`, { measured: median(megabytes), unit: 'MB' }, MOST_MEMORY),
  );
  const title = `Resident memory after ${calls.toLocaleString('en')} refreshes, median of ${processes} processes`;
  return { title, subjects: [], verdicts };
}

async function memoryAfterLoad(folder: string, main: string, calls: number): Promise<number> {
  const server = await startKalends({ folder, main });
  try {
    const subject = await refreshing({ pace: { users: Math.min(1000, calls) } }, 'refresh', server);
    const source = await subject.prepare(0);
    let left = calls;
    const load = {
      port: server.port,
      connections: CONNECTIONS,
      seconds: PATIENCE_SECONDS,
      expectedStatus: 200,
    };
    await runLoad(load, () => (left-- > 0 ? source() : undefined));
    return residentMegabytes(server.process.pid) ?? Number.NaN;
  } finally {
    await server.stop();
  }
}
