/** The faults of a run. Each ends with the deployment as before: what was killed runs again, and links are whole. */
import { rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { administerAt, type Deployment } from './deployment.ts';
import { eventually } from './eventually.ts';

export type Fault = {
  readonly name: string;
  run(deployment: Deployment): Promise<void>;
};

const CUT_MS = 6_000;
const FULL_MS = 12_000;
/** A suspended machine gets what it missed when TCP repeats it: within seconds, up to half of the pause. */
const BACKLOG_MS = 4_000;

/** Kills the primary; starts it again when the other node has taken over. */
const killPrimary: Fault = {
  name: 'primary killed',
  async run(deployment) {
    const primary = await deployment.primary();
    primary.signal('SIGKILL');
    await untilOther(deployment, primary.name);
    primary.start();
  },
};

/** Suspends the machine of the primary: its programs, and its connections. */
const freezePrimary = (seconds: number): Fault => ({
  name: `primary frozen for ${seconds} s`,
  async run(deployment) {
    const primary = await deployment.primary();
    const links = Object.values(primary.links);
    primary.signal('SIGSTOP');
    for (const link of links) link.cut();
    await sleep(seconds * 1_000);
    primary.signal('SIGCONT');
    for (const link of links) link.heal(BACKLOG_MS);
  },
});

const cutLink = (name: string): Fault => ({
  name: `link cut: ${name}`,
  async run({ links }) {
    const cut = links[name] ?? [];
    for (const link of cut) link.cut();
    await sleep(CUT_MS);
    for (const link of cut) link.heal();
  },
});

/** Fills the disk of the primary. PostgreSQL ends when it cannot write its log. */
const fillDisk: Fault = {
  name: 'disk of the primary full',
  async run(deployment) {
    const { ballast, postgresPort } = await deployment.primary();
    if (ballast === undefined) throw new Error('The nodes have no disk of their own');
    await fill(ballast);
    // PostgreSQL has some files of its log in reserve.
    for (const end = performance.now() + FULL_MS; performance.now() < end; await sleep(200))
      await administerAt(postgresPort, 'SELECT pg_switch_wal()').catch(() => undefined);
    await rm(ballast);
  },
};

async function fill(file: string): Promise<void> {
  const { bavail, bsize } = await statfs(path.dirname(file));
  const part = Buffer.alloc(1_000_000);
  for (let left = bavail * bsize; left > 0; left -= part.length)
    await writeFile(file, part, { flag: 'a' }).catch(() => undefined);
}

/** Gives the standby a wrong clock, and makes it the primary. */
const skewClock = (offset: string): Fault => ({
  name: `clock of the new primary ${offset}`,
  async run(deployment) {
    const before = await deployment.primary();
    const standby = deployment.cluster.nodes.find(({ name }) => name !== before.name);
    if (standby === undefined) throw new Error('There is no standby');
    standby.signal('SIGKILL');
    await eventually('the standby ended', () => !standby.isRunning());
    standby.start(offset);
    await sleep(3_000);
    await deployment.settle();
    // The clock is right during the start.
    await sleep(8_000);
    before.signal('SIGKILL');
    await untilOther(deployment, before.name);
    before.start();
    await deployment.settle();
    // The clock goes back with the next failover.
    standby.signal('SIGKILL');
    await untilOther(deployment, standby.name);
    standby.start();
  },
});

const killInstance = (at: number): Fault => ({
  name: `instance ${at + 1} killed`,
  async run({ instances }) {
    await instances[at]?.kill();
    await sleep(2_000);
    await instances[at]?.start();
  },
});

const restartPooler: Fault = {
  name: 'pgbouncer killed',
  run: ({ pooler }) => pooler.restart(),
};

async function untilOther(deployment: Deployment, name: string): Promise<void> {
  const isOther = async () => {
    const members = await deployment.cluster.members();
    return members.some((member) => member.role === 'leader' && member.name !== name);
  };
  await eventually('the other node is the primary', isOther);
}

/** The faults of the gate. The freeze is longer than the lease of the primary. */
export const KILL_AND_FREEZE: readonly Fault[] = [killPrimary, freezePrimary(14)];

/** The fault that loses writes if Patroni uses version 3 of etcd's interface. */
export const CONTROL: readonly Fault[] = [freezePrimary(20)];

/** Returns every fault once, without the full disk if the nodes have none of their own. */
export function allFaults({ links, cluster }: Deployment): readonly Fault[] {
  const hasDisks = cluster.nodes.every(({ ballast }) => ballast !== undefined);
  return [
    killPrimary,
    freezePrimary(3),
    freezePrimary(20),
    ...Object.keys(links).map(cutLink),
    ...(hasDisks ? [fillDisk] : []),
    skewClock('+20s'),
    skewClock('-20s'),
    killInstance(0),
    killInstance(1),
    restartPooler,
  ];
}
