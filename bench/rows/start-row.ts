/** How long a start takes, from the process to the first 200, and how much memory load leaves behind. */
import path from 'node:path';

import { freePort } from '../../test/harness/loopback.ts';
import { createApplication, kalendsEnvironment, MAIN, untilHealthy } from '../kalends.ts';
import { median, type SubjectResult } from '../measure.ts';
import { spawnPeer } from '../peer-process.ts';
import { type ServerProcess, startNode } from '../pinned-process.ts';
import { type RowReport, type Verdict, verdictOf } from '../report.ts';
import { KALENDS, OIDC_MEMORY } from './token-subjects.ts';

/** Milliseconds, and MB. */
const MOST_START = { required: 600, outFor: 600 };
const MOST_MEMORY = { required: 130, outFor: 130 };

/** Starts Kalends on its data, on nothing, and oidc-provider, in turns. */
export async function startRow(folder: string, rounds: number): Promise<RowReport> {
  const dataDir = path.join(folder, 'start');
  await createApplication(kalendsEnvironment(dataDir, await freePort()));
  const serve = (folder: string, port: number) =>
    startNode([MAIN, 'serve'], { env: kalendsEnvironment(folder, port) });
  const subjects: Record<string, (port: number, round: number) => ServerProcess> = {
    'Kalends, on its data': (port) => serve(dataDir, port),
    'Kalends, first start': (port, round) => serve(path.join(folder, `first-${round}`), port),
    'oidc-provider, memory': (port) => spawnPeer('oidc-provider', ['memory', '-', 'jwt'], port),
  };
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
    verdictOf(
      name,
      { measured: median(milliseconds), unit: 'ms' },
      name === 'Kalends, on its data' ? MOST_START : undefined,
    ),
  );
  return { title: 'Cold start to the first 200 of /health', subjects: [], verdicts };
}

/** The most that any row's load left each program with. */
export function loadMemoryRow(reports: readonly RowReport[]): RowReport {
  const most = (isIt: (subject: SubjectResult) => boolean): number =>
    Math.max(
      ...reports.flatMap(({ subjects }) =>
        subjects.filter(isIt).flatMap(({ residentMegabytes }) => residentMegabytes ?? []),
      ),
    );
  const ofOurs = most(({ name }) => name === KALENDS);
  const ofTheirs = most(({ name }) => name === OIDC_MEMORY);
  const verdicts: Verdict[] = [
    verdictOf(KALENDS, { measured: ofOurs, unit: 'MB' }, MOST_MEMORY),
    verdictOf(OIDC_MEMORY, { measured: ofTheirs, unit: 'MB' }, undefined),
  ];
  const measurable = verdicts.filter(({ measured }) => Number.isFinite(measured));
  return { title: 'Resident memory after the load of the token rows', subjects: [], verdicts: measurable };
}
