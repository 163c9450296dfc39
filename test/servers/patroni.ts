/** Two PostgreSQL nodes under Debian's Patroni as docs/operations.md sets them up, whose processes a test can kill or suspend. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { blockAfter } from '../deploy/docs-blocks.ts';
import { POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts';
import { freePort } from '../harness/loopback.ts';
import { temporaryFolder } from './process.ts';
import { type Link, startLink } from './tcp-link.ts';

export const PATRONI = '/usr/bin/patroni';
export const SUPERUSER = { username: 'postgres', password: 'SUPERUSER' };
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
/** Enough for the write-ahead log of a short run, and small enough to be filled. */
const DISK_BYTES = 900_000_000;

export type Member = { readonly name: string; readonly role: string; readonly state: string };

export type Node = {
  readonly name: string;
  readonly restPort: number;
  readonly postgresPort: number;
  readonly links: Readonly<Record<'rest' | 'database' | 'replication' | 'etcd', Link>>;
  /** A file on the node's own disk; undefined if it has none. */
  readonly ballast: string | undefined;
  /** Starts Patroni; `clock` is the offset of PostgreSQL's clock, such as `+20s`. */
  start(clock?: string): void;
  signal(signal: NodeJS.Signals): void;
  /** Returns whether any of its processes runs. */
  isRunning(): boolean;
  stop(): Promise<void>;
};

export type PatroniOptions = {
  readonly etcdPort: number;
  readonly etcdVersion: 2 | 3;
  /** Whether each node gets a disk of its own, which root can mount. */
  readonly hasDisks: boolean;
};

/** Starts two nodes, which reach etcd and each other by links. */
export async function startPatroni(options: PatroniOptions) {
  const folder = temporaryFolder('patroni');
  await chmod(folder, 0o755);
  const nodes: Node[] = [];
  for (const name of ['node1', 'node2']) nodes.push(await prepareNode(path.join(folder, name), options));
  for (const node of nodes) node.start();
  return {
    folder,
    nodes,
    /** Returns the members as the first node that responds lists them. */
    async members(): Promise<readonly Member[]> {
      for (const { restPort } of nodes) {
        const url = `http://127.0.0.1:${restPort}/cluster`;
        const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
        if (answer?.ok) return ((await answer.json()) as { members: Member[] }).members;
      }
      return [];
    },
    async stop(): Promise<void> {
      for (const node of nodes) await node.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

export type Cluster = Awaited<ReturnType<typeof startPatroni>>;

const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : [];

async function prepareNode(folder: string, options: PatroniOptions): Promise<Node> {
  const name = path.basename(folder);
  await mkdir(folder);
  const isMounted =
    options.hasDisks &&
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, name, folder]).status === 0;
  if (isRoot) spawnSync('chown', ['postgres:postgres', folder]);
  const [postgresPort, restPort] = [await freePort(), await freePort()];
  const links = {
    rest: await startLink(restPort),
    database: await startLink(postgresPort),
    replication: await startLink(postgresPort),
    etcd: await startLink(options.etcdPort),
  };
  const file = path.join(folder, 'patroni.yml');
  await writeFile(file, await configuration({ name, folder, postgresPort, restPort, links }, options));
  let patroni: ChildProcess | undefined;
  const signal = (name: NodeJS.Signals) => {
    // The second round finds processes that others started meanwhile.
    for (let round = 0; round < 2; round++) for (const id of processesIn(folder)) trySignal(id, name);
  };
  return {
    ...{ name, restPort, postgresPort, links, signal },
    ballast: isMounted ? path.join(folder, 'ballast') : undefined,
    start(clock = '') {
      writeFileSync(path.join(folder, 'clock'), clock);
      const [command = '', ...words] = [...asUser, PATRONI, file];
      const log = createWriteStream(`${folder}.log`, { flags: 'a' });
      patroni = spawn(command, words, {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: folder },
      });
      patroni.stdout?.pipe(log, { end: false });
      patroni.stderr?.pipe(log, { end: false });
    },
    isRunning: () => processesIn(folder).length > 0,
    async stop() {
      for (let round = 0; round < 50 && processesIn(folder).length > 0; round++) {
        signal('SIGKILL');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      for (const link of Object.values(links)) link.stop();
      if (isMounted) spawnSync('umount', ['--lazy', folder]);
    },
  };
}

/**
 * Creates a folder with PostgreSQL's programs, whose clock is wrong by the offset in the file `clock` of the node, from 8 seconds
 * after the start: Patroni compares the time of the start with its own clock.
 */
function makePrograms(folder: string): string {
  const programs = path.join(folder, 'bin');
  mkdirSync(programs);
  for (const name of readdirSync(POSTGRES_PROGRAMS))
    if (name !== 'postgres') symlinkSync(path.join(POSTGRES_PROGRAMS, name), path.join(programs, name));
  const script = `#!/bin/sh
if [ -s ${folder}/clock ]; then
  export LD_PRELOAD=${FAKETIME} FAKETIME="$(cat ${folder}/clock)" FAKETIME_START_AFTER_SECONDS=8 FAKETIME_DONT_FAKE_MONOTONIC=1
fi
exec ${POSTGRES_PROGRAMS}/postgres "$@"
`;
  writeFileSync(path.join(programs, 'postgres'), script, { mode: 0o755 });
  return programs;
}

type Place = Pick<Node, 'name' | 'postgresPort' | 'restPort' | 'links'> & { readonly folder: string };

/** Returns the configuration of the page with this node's addresses. */
async function configuration(place: Place, { etcdVersion }: PatroniOptions): Promise<string> {
  const { name, folder, postgresPort, restPort, links } = place;
  const block = await blockAfter('Patroni, on each node with its own `name` and addresses:', 'yaml');
  const etcd = `etcd${etcdVersion === 3 ? '3' : ''}:\n  hosts: 127.0.0.1:${links.etcd.port}\n  use_proxies: true`;
  return block
    .replace('name: node1', `name: ${name}`)
    .replace('listen: 10.0.0.5:8008', `listen: 127.0.0.1:${restPort}`)
    .replace('connect_address: 10.0.0.5:8008', `connect_address: 127.0.0.1:${restPort}`)
    .replace('etcd:\n  hosts: 10.0.0.7:2379', etcd)
    .replace('listen: 10.0.0.5:5432', `listen: 127.0.0.1:${postgresPort}`)
    .replace('connect_address: 10.0.0.5:5432', `connect_address: 127.0.0.1:${links.replication.port}`)
    .replace('/var/lib/postgresql/15/kalends', path.join(folder, 'data'))
    .replace(
      '/usr/lib/postgresql/15/bin',
      `${makePrograms(folder)}\n  pgpass: ${path.join(folder, 'pgpass')}`,
    )
    .replaceAll('10.0.0.0/24', '127.0.0.1/32')
    .replace("wal_log_hints: 'on'", `wal_log_hints: 'on'\n        unix_socket_directories: '${folder}'`);
}

/** Returns the processes whose working folder is in `folder`: those of Patroni and of PostgreSQL. */
function processesIn(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => {
      try {
        const cwd = readlinkSync(`/proc/${id}/cwd`);
        return cwd === folder || cwd.startsWith(`${folder}/`);
      } catch {
        return false; // it ended
      }
    });
}

function trySignal(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // It ended.
  }
}
