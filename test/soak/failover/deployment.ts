/**
 * The deployment of docs/operations.md: clients, HAProxy, two instances, pgbouncer, HAProxy, and two PostgreSQL nodes under
 * Patroni with etcd. Each link between two of them can be cut.
 */
import { randomBytes } from 'node:crypto';

import { loadConfig } from '../../../src/config/config.ts';
import { openStorage, type Stores } from '../../../src/start/open-storage.ts';
import { blockAfter, haproxyConfiguration } from '../../deploy/docs-blocks.ts';
import { freePort } from '../../harness/loopback.ts';
import { administer } from '../../harness/migrated.ts';
import { type Program, startProgram } from '../../harness/program.ts';
import { startEtcd } from '../../servers/etcd.ts';
import { startHaproxy } from '../../servers/haproxy.ts';
import { type Cluster, type Node, SUPERUSER, startPatroni } from '../../servers/patroni.ts';
import { startPgbouncer } from '../../servers/pgbouncer.ts';
import type { Running } from '../../servers/process.ts';
import { type Link, startLink } from '../../servers/tcp-link.ts';
import { eventually } from './eventually.ts';

export type Deployment = {
  /** The address of the load balancer. */
  readonly url: string;
  readonly cluster: Cluster;
  readonly instances: readonly Program[];
  readonly links: Readonly<Record<string, readonly Link[]>>;
  readonly stores: Stores;
  readonly pooler: { restart(): Promise<void> };
  primary(): Promise<Node>;
  /** Waits until there is a primary with a synchronous standby, through which the database accepts writes. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

export type DeploymentOptions = {
  readonly etcdVersion: 2 | 3;
  readonly env: Readonly<Record<string, string>>;
};

type Later = (stop: () => unknown) => void;

/** Starts all; the caller closes it. */
export async function openDeployment(options: DeploymentOptions): Promise<Deployment> {
  const stops: (() => unknown)[] = [];
  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return { ...(await open(options, (stop) => stops.push(stop))), close };
  } catch (reason) {
    await close();
    throw reason;
  }
}

async function open({ etcdVersion, env }: DeploymentOptions, later: Later) {
  const etcd = await startEtcd();
  later(() => etcd.stop());
  const cluster = await startPatroni({ etcdPort: etcd.port, etcdVersion, hasDisks: true });
  later(() => cluster.stop());
  await eventually('there is a synchronous standby', () => hasStandby(cluster));
  const databasePort = await startDatabaseProxy(cluster, later);
  await createDatabase((await primaryOf(cluster)).postgresPort);
  await eventually('the proxy leads to the primary only', () => leadsToPrimary(databasePort));

  const toPrimary = await linkTo(databasePort, later);
  const pooler = await startPooler(toPrimary.port, later);
  const toPooler = [await linkTo(pooler.port, later), await linkTo(pooler.port, later)];
  const balancerUrl = `http://127.0.0.1:${await freePort()}`;
  const settings = {
    KALENDS_MASTER_KEY: randomBytes(32).toString('base64'),
    KALENDS_DATABASE_PREPARED_STATEMENTS: 'off',
    KALENDS_URL: balancerUrl,
    ...env,
  };
  const urlBehind = (port: number) => `postgres://kalends:kalends@127.0.0.1:${port}/kalends`;
  const instances: Program[] = [];
  for (const { port } of toPooler) {
    const program = await startProgram({ databaseUrl: urlBehind(port), env: settings });
    later(() => program.dispose());
    instances.push(program);
  }
  const toInstances: Link[] = [];
  for (const { url } of instances) toInstances.push(await linkTo(Number(new URL(url).port), later));
  const ports = toInstances.map(({ port }) => port);
  const balancer = await startHaproxy(
    await haproxyConfiguration(balancerUrl, ports),
    `${balancerUrl}/health`,
  );
  later(() => balancer.stop());
  const stores = await openStorage(
    loadConfig({
      ...settings,
      KALENDS_DATABASE_URL: urlBehind(pooler.port),
      KALENDS_DATABASE_CONNECTIONS: '2',
      KALENDS_DATA_DIR: cluster.folder,
    }),
  );
  later(() => stores.close());
  const isWritable = () =>
    isTrue(stores.db.change("UPDATE setting SET value = value WHERE name = 'master_key'"));
  return {
    ...{ url: balancerUrl, cluster, instances, stores, pooler },
    links: linksOf(cluster, { toInstances, toPooler, toPrimary }),
    primary: () => primaryOf(cluster),
    async settle(): Promise<void> {
      await eventually('there is a synchronous standby', () => hasStandby(cluster));
      await eventually('the database accepts writes', isWritable);
    },
  };
}

type OwnLinks = {
  readonly toInstances: readonly Link[];
  readonly toPooler: readonly Link[];
  readonly toPrimary: Link;
};

function linksOf({ nodes }: Cluster, { toInstances, toPooler, toPrimary }: OwnLinks): Deployment['links'] {
  const ofNode = ({ name, links: { rest, database, replication, etcd } }: Node) => [
    [`HAProxy to ${name}`, [rest, database]],
    [`the other node to ${name}`, [replication]],
    [`${name} to etcd`, [etcd]],
  ];
  const numbered = (text: (number: number) => string, links: readonly Link[]) =>
    links.map((link, at) => [text(at + 1), [link]]);
  return Object.fromEntries([
    ...numbered((number) => `HAProxy to instance ${number}`, toInstances),
    ...numbered((number) => `instance ${number} to pgbouncer`, toPooler),
    ['pgbouncer to HAProxy', [toPrimary]],
    ...nodes.flatMap(ofNode),
  ]);
}

async function linkTo(port: number, later: Later): Promise<Link> {
  const link = await startLink(port);
  later(() => link.stop());
  return link;
}

/** Starts HAProxy in front of the nodes; returns its port. */
async function startDatabaseProxy({ nodes }: Cluster, later: Later): Promise<number> {
  const port = await freePort();
  const statisticsPort = await freePort();
  let block = await blockAfter(
    'HAProxy in front of PostgreSQL, which sends all connections to the node that Patroni says is the primary:',
    'haproxy',
  );
  block = block.replace('bind 10.0.0.6:5000', `bind 127.0.0.1:${port}`);
  for (const [at, { links }] of nodes.entries())
    block = block.replace(
      `${at === 0 ? '10.0.0.5' : '10.0.0.8'}:5432 check port 8008`,
      `127.0.0.1:${links.database.port} check port ${links.rest.port}`,
    );
  // Its start is known by a response to HTTP.
  const statistics = `\nlisten statistics\n  mode http\n  bind 127.0.0.1:${statisticsPort}\n  stats enable\n`;
  const proxy = await startHaproxy(block + statistics, `http://127.0.0.1:${statisticsPort}`);
  later(() => proxy.stop());
  return port;
}

/** Runs a statement as superuser on a server at a port of this machine. */
export const administerAt = (port: number, sql: string): Promise<void> =>
  administer(`postgres://${SUPERUSER.username}:${SUPERUSER.password}@127.0.0.1:${port}/postgres`, sql);

async function createDatabase(port: number): Promise<void> {
  await administerAt(port, "CREATE ROLE kalends LOGIN PASSWORD 'kalends'");
  await administerAt(port, 'CREATE DATABASE kalends OWNER kalends');
}

/** Returns whether each of several connections leads to the primary: before its first checks, HAProxy uses all nodes. */
async function leadsToPrimary(port: number): Promise<boolean> {
  const isPrimary = 'SELECT 1 / (CASE WHEN pg_is_in_recovery() THEN 0 ELSE 1 END)';
  for (let connection = 0; connection < 6; connection++)
    if (!(await isTrue(administerAt(port, isPrimary)))) return false;
  return true;
}

async function startPooler(databasePort: number, later: Later) {
  const port = await freePort();
  const block = await blockAfter('pgbouncer:', 'ini');
  const start = () =>
    startPgbouncer(port, (folder) =>
      block
        .replace('kalends = host=10.0.0.5', `kalends = host=127.0.0.1 port=${databasePort}`)
        .replace('listen_port = 6432', `listen_port = ${port}`)
        .replace('/etc/pgbouncer', folder),
    );
  let running: Running = await start();
  later(() => running.stop());
  return {
    port,
    async restart() {
      running.kill();
      await running.stop();
      running = await start();
    },
  };
}

async function hasStandby(cluster: Cluster): Promise<boolean> {
  const members = await cluster.members();
  return members.some(({ role }) => role === 'leader') && members.some(({ role }) => role === 'sync_standby');
}

async function primaryOf(cluster: Cluster): Promise<Node> {
  const members = await cluster.members();
  const leader = members.find(({ role }) => role === 'leader');
  const node = cluster.nodes.find(({ name }) => name === leader?.name);
  if (node === undefined) throw new Error(`No primary among ${JSON.stringify(members)}`);
  return node;
}

const isTrue = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );
