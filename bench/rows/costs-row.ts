/**
 * The cost of one unit of work on PostgreSQL: processor time of an instance and of the database, and bytes on the disk.
 * docs/unit-costs.json has the figures, from which `npm run docs` calculates the table in docs/scaling.md.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEgress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { recordingLog } from '../../test/servers/recording-log.ts';
import type { DurablePostgres } from '../durable-postgres.ts';
import { type Kalends, startKalends } from '../kalends.ts';
import { type DeliveryReceiver, openDeliveryReceiver } from '../load/delivery-receiver.ts';
import { runLoad } from '../load/http-load.ts';
import { linkedBy } from '../mirror-seed.ts';
import { SANDBOX_PERSON, type SandboxHello } from '../peers/provider-sandbox.ts';
import { cpuSeconds, descendantsOf, residentMegabytes } from '../process-usage.ts';
import { type RowReport, type Verdict, verdictOf } from '../report.ts';
import { startSeeded, waiting } from './delivery-rounds.ts';
import { refreshing } from './token-subjects.ts';

export type CostsPace = {
  readonly users: number;
  /** Seconds of refreshes. */
  readonly seconds: number;
  readonly accounts: number;
  /** Whether the figures are good enough for the documentation. */
  readonly isFull: boolean;
};

/** Microseconds of processor time. */
type Cost = { readonly instance: number; readonly database: number };

/** The figures of docs/unit-costs.json. A token call is a refresh, a look a check of an unchanged CalDAV account. */
export type UnitCosts = {
  readonly node: string;
  readonly accounts: number;
  readonly microseconds: Readonly<Record<'tokenCall' | 'look' | 'delivery', Cost>>;
  readonly bytes: Readonly<Record<'user' | 'event' | 'delivery', number>>;
  /** Resident memory of an instance after this work. */
  readonly megabytes: number;
};

const FILE = path.resolve(import.meta.dirname, '../../docs/unit-costs.json');
const PATIENCE_MS = 120_000;

export async function costsRow(
  folder: string,
  pace: CostsPace,
  startPostgres: () => Promise<DurablePostgres>,
): Promise<RowReport> {
  const postgres = await startPostgres();
  const receiver = await openDeliveryReceiver();
  const sandbox = fork(path.resolve(import.meta.dirname, '../peers/provider-sandbox.ts'), ['caldav', '20'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    // The first message of the sandbox has its address.
    const [hello] = (await once(sandbox, 'message')) as [SandboxHello];
    const open = async (name: string) => ({
      folder: await mkdtemp(path.join(folder, 'costs-')),
      databaseUrl: await postgres.createDatabase(name),
    });
    const others = sandbox.pid === undefined ? [] : [{ pid: sandbox.pid }];
    const { look, empty } = await costOfLooks(
      { ...(await open('costs_looks')), hello, others },
      pace.accounts,
    );
    const place = { ...(await open('costs_users')), receiver, others, empty };
    const { microseconds, ...facts } = await costsOfUsers(place, pace);
    const all: UnitCosts = {
      ...{ node: process.versions.node, accounts: pace.users },
      microseconds: { ...microseconds, look },
      ...facts,
    };
    if (pace.isFull) await writeFile(FILE, `${JSON.stringify(rounded(all), null, 2)}\n`);
    return { title: 'Costs of one unit of work on PostgreSQL', subjects: [], verdicts: verdictsOf(all) };
  } finally {
    sandbox.kill();
    receiver.close();
  }
}

type Place = {
  readonly folder: string;
  readonly databaseUrl: string;
  /** Processes that are neither an instance nor PostgreSQL. */
  readonly others: readonly { readonly pid: number }[];
};

/** Measures refreshes, deliveries and the size of users, events and deliveries. */
async function costsOfUsers(
  { receiver, empty, ...place }: Place & { readonly receiver: DeliveryReceiver; readonly empty: Sizes },
  { users, seconds }: CostsPace,
): Promise<
  Omit<UnitCosts, 'microseconds' | 'node' | 'accounts'> & {
    microseconds: Record<'tokenCall' | 'delivery', Cost>;
  }
> {
  const { folder, databaseUrl, others } = place;
  const server = await startSeeded(folder, { calendars: users, receiver, databaseUrl });
  try {
    const { port, prepare } = await refreshing({ pace: { users } }, 'Kalends', server);
    const source = await prepare(seconds);
    const load = { port, connections: 64, expectedStatus: 200 };
    await runLoad({ ...load, seconds: seconds / 2 }, source); // warms up
    const tokenCall = await costOf(
      server,
      async () => (await runLoad({ ...load, seconds }, source)).answers,
      others,
    );
    const round = await waiting(server, receiver);
    await round(0, 1);
    const delivery = await costOf(
      server,
      async () => {
        await round(1, 1);
        return users;
      },
      others,
    );
    const events = await server.stores.db.get<{ count: number }>('SELECT COUNT(*) AS count FROM event');
    const before = await sizesOf(server);
    await round(2, 1);
    const bytes = {
      user: (before.users - empty.users) / users,
      event: (before.events - empty.events) / Number(events?.count),
      delivery: ((await sizesOf(server)).deliveries - before.deliveries) / users,
    };
    const megabytes = residentMegabytes(server.process.pid) ?? Number.NaN;
    return { microseconds: { tokenCall, delivery }, bytes, megabytes };
  } finally {
    await server.stop();
  }
}

type Sizes = Readonly<Record<'users' | 'events' | 'deliveries', number>>;

/** Returns the bytes of tables with their indexes, without the space of deleted and replaced rows. */
async function sizesOf({ stores: { db } }: Kalends): Promise<Sizes> {
  await db.all('VACUUM FULL');
  const rows = await db.all<{ name: string; bytes: number }>(
    `SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname = 'public'`,
  );
  const sum = (matches: (name: string) => boolean) =>
    rows.filter(({ name }) => matches(name)).reduce((total, { bytes }) => total + Number(bytes), 0);
  const isOfEvents = (name: string) => /^event(_change)?$/.test(name);
  const isOfDeliveries = (name: string) => /^webhook_(message|attempt)$/.test(name);
  return {
    events: sum(isOfEvents),
    deliveries: sum(isOfDeliveries),
    users: sum((name) => !isOfEvents(name) && !isOfDeliveries(name)),
  };
}

/** Measures checks of accounts that did not change, at a CalDAV server on this machine. */
async function costOfLooks(
  { hello, others, ...place }: Place & { readonly hello: SandboxHello },
  accounts: number,
): Promise<{ readonly look: Cost; readonly empty: Sizes }> {
  const server = await startKalends({ ...place, env: { KALENDS_PRIVATE_NETWORK: 'loopback' } });
  const { stores, application } = server;
  const empty = await sizesOf(server);
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  try {
    const { signIn } = caldavProvider({ egress, log: recordingLog().log, now: Date.now });
    if (signIn.method !== 'password') throw new Error('CalDAV signs in with a password');
    const { email: username, password } = SANDBOX_PERSON;
    const signedIn = await signIn.verify({ server: hello.origin, username, password });
    for (let i = 0; i < accounts; i += 1) {
      const user = { clientId: application.clientId, userId: `user-${i}` };
      await stores.users.loadOrCreateUser(user.clientId, user.userId, Date.now());
      const account = { grantedScopes: [], calendarPermission: undefined, ...signedIn };
      const linked = { ...user, provider: 'caldav', ...linkedBy(user.userId), ...account } as const;
      await stores.accounts.linkAccount(linked, Date.now());
    }
    await untilLooked(server, accounts);
    const look = await costOf(
      server,
      async () => {
        await stores.db.change(
          "UPDATE job SET run_at = 1 WHERE kind = 'sync-account' AND lease_holder IS NULL",
        );
        await stores.db.change("UPDATE job_turn SET turn_at = 1 WHERE kind = 'sync-account'");
        await untilLooked(server, accounts);
        return accounts;
      },
      others,
    );
    return { look, empty };
  } finally {
    await egress.close();
    await server.stop();
  }
}

/** Waits until no account has to be looked at. */
async function untilLooked({ stores: { db } }: Kalends, accounts: number): Promise<void> {
  const sql = `
    SELECT COUNT(*) FILTER (WHERE kind = 'sync-account' AND run_at > :now) AS waiting, COUNT(*) AS all_jobs
      FROM job WHERE kind IN ('sync-account', 'sync-calendar')`;
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const row = await db.get<{ waiting: number; allJobs: number }>(sql, { now: Date.now() });
    if (Number(row?.waiting) === accounts && Number(row?.allJobs) === accounts) return;
    if (performance.now() > end) throw new Error('The accounts were not looked at');
    await sleep(100);
  }
}

/** Returns the processor time of each of the units that `work` counts. */
async function costOf(
  { process: server }: Kalends,
  work: () => Promise<number>,
  others: readonly { readonly pid: number }[] = [],
): Promise<Cost> {
  const used = () => {
    const database = descendantsOf(process.pid, [server, ...others]);
    return {
      instance: cpuSeconds(server.pid) ?? Number.NaN,
      database: database.reduce((sum, { pid }) => sum + (cpuSeconds(pid, true) ?? 0), 0),
    };
  };
  const before = used();
  const count = await work();
  const after = used();
  const each = (name: keyof Cost) => ((after[name] - before[name]) * 1e6) / count;
  return { instance: each('instance'), database: each('database') };
}

function rounded({ microseconds, bytes, megabytes, ...facts }: UnitCosts): UnitCosts {
  const round = <T extends Readonly<Record<string, number>>>(values: T): T =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value)])) as T; // the same names
  const { tokenCall, look, delivery } = microseconds;
  const costs = { tokenCall: round(tokenCall), look: round(look), delivery: round(delivery) };
  return { ...facts, microseconds: costs, bytes: round(bytes), megabytes: Math.round(megabytes) };
}

function verdictsOf({ microseconds, bytes, megabytes }: UnitCosts): Verdict[] {
  const times = Object.entries(microseconds).flatMap(([name, { instance, database }]) => [
    verdictOf(`${name}: instance`, { measured: instance, unit: 'µs' }, undefined),
    verdictOf(`${name}: database`, { measured: database, unit: 'µs' }, undefined),
  ]);
  const sizes = Object.entries(bytes).map(([name, size]) =>
    verdictOf(`1,000,000 of ${name} on the disk`, { measured: size, unit: 'MB' }, undefined),
  );
  return [...times, ...sizes, verdictOf('memory', { measured: megabytes, unit: 'MB' }, undefined)];
}
