/** docs/proof.md, from the result of a run. */
import { spawnSync } from 'node:child_process';

import { version } from '../../../src/lib/version.ts';
import type { FailoverResult } from './run-failover.ts';

const PACKAGES = ['postgresql-15', 'patroni', 'etcd-server', 'haproxy', 'pgbouncer'];

export type Run = {
  readonly result: FailoverResult;
  /** The time of the run, in UTC. */
  readonly startedAt: Date;
  readonly minutes: number;
  /** How many deployments ran at the same time. */
  readonly deployments: number;
  /** Sentences about faults that the machine could not cause. */
  readonly missing: readonly string[];
};

/** Renders the page. */
export function renderProof({ result, startedAt, minutes, deployments, missing }: Run): string {
  const { faults, operations, violations, acceptedRevoked, eventProblems } = result;
  const names = [...new Set(faults.map(({ name }) => name))];
  const rows = names.map((name) => {
    const times = faults
      .filter((fault) => fault.name === name)
      .map(({ unavailableMs }) => unavailableMs / 1000);
    return `| ${name} | ${times.length} | ${Math.max(...times).toFixed(1)} s |`;
  });
  const counts = Object.entries(operations).map(
    ([name, { known, unknown }]) => `| ${name} | ${group(known)} | ${group(unknown)} |`,
  );
  const longest = Math.max(...faults.map(({ unavailableMs }) => unavailableMs)) / 1000;
  const isShared = deployments > 1;
  return `# Proof of failover
<!-- written by npm run soak -- failover -->

Kalends on the setup of [Operations](operations.md#failover) loses no confirmed write if one of its machines, programs or networks
fails. This page is the result of a run on ${startedAt.toISOString().slice(0, 10)}, which took ${minutes} minutes.${isShared ? `\n${deployments} deployments on one machine shared the faults.` : ''}

| Checked | Result |
| --- | --- |
| faults | ${faults.length} |
| grants with a lost write, or an order that the model does not allow | ${violations.size} |
| revoked tokens accepted | ${acceptedRevoked} |
| confirmed events that are missing, repeated or misplaced on the cursor, or were not delivered | ${eventProblems.length} |
| longest time without a confirmed write of a token | ${longest.toFixed(1)} s |

## Faults
Each fault struck while clients worked, the next one only when a synchronous standby was back.

| Fault | Times | Longest time without a confirmed write |
| --- | --- | --- |
${rows.join('\n')}
${missing.map((sentence) => `\n${sentence}\n`).join('')}
## Operations
${isShared ? 'In each deployment, six' : 'Six'} pairs of clients exchanged codes, refreshed (half of them with a replay window), read and revoked, two clients on each grant. Two users
created events, followed the cursor and received deliveries. An operation without a response, or with a status other than 200, 201, 400 and 401, has an unknown outcome.
If the database fails after the provider created an event, the response has no \`original\`, and a sync brings the event later ([Writing](writing.md)). Only its place on the cursor is free.

| Operation | Known outcome | Unknown outcome |
| --- | --- | --- |
${counts.join('\n')}

For each grant, \`test/soak/linearizable.ts\` looks for an order of its operations that respects their times and that the model
of a grant allows. An operation with an unknown outcome takes effect later or never.

## Versions
${versions()
  .map((line) => `- ${line}`)
  .join('\n')}

## Repeat it
As root on Debian 12, after \`.ci/install-counterparts.sh\`:

<!-- snippet: not run, because it takes ten minutes -->
\`\`\`sh
npm run soak -- failover                # every fault once, then this page is written
npm run soak -- failover --faults 1000 --deployments 4   # several deployments on one machine share the faults
npm run soak -- failover --control      # Patroni on version 3 of etcd's interface, which must lose writes
\`\`\`

The history of the run is \`artefacts/failover-history.jsonl\`, one operation per line. With several deployments, each has a
numbered file.

## Limits
- Rare races can need more faults than the ${faults.length} of this run.
- All programs ran on one machine, so power cuts, which lose what a disk has not flushed, were not part of it.
- etcd was one process that did not fail. Run three in production.
- A wrong clock began 8 seconds after the start of each process of PostgreSQL; Patroni's clock was right.
- Packets of a cut link were held back until it healed; they were not lost or reordered.
- Only one fault struck at a time. Two at once can cost availability, and with the default of Patroni's \`synchronous_mode\` also writes.
`;
}

const group = (count: number): string => count.toLocaleString('en-US');

/** Returns the versions of all programs that took part. */
function versions(): string[] {
  const { stdout } = spawnSync('dpkg-query', ['--show', ...PACKAGES], { encoding: 'utf8' });
  return [
    `Kalends ${version()}, Node.js ${process.versions.node}`,
    ...stdout.trim().replaceAll('\t', ' ').split('\n'),
  ];
}
