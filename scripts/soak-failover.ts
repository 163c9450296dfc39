/**
 * `npm run soak -- failover`: faults under load on the deployment of docs/operations.md. Writes docs/proof.md.
 *
 * - `--faults 1000`: the number of faults; by default each once
 * - `--deployments 4`: how many deployments share the faults and run at the same time; by default 1
 * - `--only killed`: the faults with this text in their name
 * - `--control`: Patroni on etcd's version 3, where a frozen primary must lose writes; writes no page
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { makeMemoryFolder } from '../test/harness/memory-folder.ts';
import type { Deployment } from '../test/soak/failover/deployment.ts';
import { allFaults, CONTROL, type Fault } from '../test/soak/failover/faults.ts';
import { renderProof } from '../test/soak/failover/proof.ts';
import { mergeResults, runFailover } from '../test/soak/failover/run-failover.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: {
    control: { type: 'boolean', default: false },
    deployments: { type: 'string', default: '1' },
    faults: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
process.env.TMPDIR ??= makeMemoryFolder() ?? '';
const startedAt = new Date();
const deployments = Number(options.deployments);
const missing = new Set<string>();

/** Returns the faults of one deployment. Each begins at another place of the list. */
function selectFaults(deployment: Deployment, place: number): readonly Fault[] {
  if (deployment.cluster.nodes.some(({ ballast }) => ballast === undefined))
    missing.add('The disk was not filled, because this machine mounts no disk in memory.');
  const selected = options.control
    ? CONTROL
    : allFaults(deployment).filter(({ name }) => name.includes(options.only));
  const count = Number(options.faults ?? selected.length);
  const [first, end] = [place, place + 1].map((at) => Math.round((at * count) / deployments));
  return Array.from({ length: count }, (_, at) => selected[at % selected.length] ?? [])
    .flat()
    .slice(first, end);
}

const runs = Array.from({ length: deployments }, async (_, place) => {
  const name = deployments === 1 ? '' : `-${place + 1}`;
  const note = (text: string) => console.log(deployments === 1 ? text : `Deployment ${place + 1}: ${text}`);
  try {
    return await runFailover({
      etcdVersion: options.control ? 3 : 2,
      faults: (deployment) => selectFaults(deployment, place),
      file: path.join(ROOT, `artefacts/failover-history${name}.jsonl`),
      note,
    });
  } catch (reason) {
    note(String(reason));
    throw reason;
  }
});
// Each run stops its programs before the first error ends the process.
await Promise.allSettled(runs);
const result = mergeResults(await Promise.all(runs));
const { violations, acceptedRevoked, eventProblems } = result;
const problems = [
  ...[...violations.keys()].map((grant) => `No order explains the history of the grant "${grant}"`),
  ...(acceptedRevoked > 0 ? [`${acceptedRevoked} requests with a revoked token were accepted`] : []),
  ...eventProblems,
];
for (const problem of problems) console.log(problem);
const minutes = Math.round((Date.now() - startedAt.getTime()) / 60_000);
console.log(`${result.faults.length} faults in ${minutes} minutes, ${problems.length} problems.`);
if (!options.control)
  await writeFile(
    path.join(ROOT, 'docs/proof.md'),
    renderProof({ result, startedAt, minutes, deployments, missing: [...missing] }),
  );
process.exit(problems.length > 0 === options.control ? 0 : 1);
