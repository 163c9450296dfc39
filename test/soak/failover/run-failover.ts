/** A run: faults one after the other under load, then the checks of what the clients saw. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { REDIRECT_URI } from '../../../bench/load/oauth-calls.ts';
import type { Application } from '../../e2e/flow.ts';
import { findViolations, type Operation } from '../linearizable.ts';
import { findProblems } from './changes-seen.ts';
import { type Deployment, openDeployment } from './deployment.ts';
import { openEventUsers } from './event-clients.ts';
import { eventually } from './eventually.ts';
import type { Fault } from './faults.ts';
import { History, type Line } from './history.ts';
import { runTokenClients, type Tenant } from './token-clients.ts';

const WINDOW_SECONDS = 120;
const PAIRS = 3;
const USERS = 2;
/** Load before and after each fault. */
const BETWEEN_MS = 2_000;
const CONTROL_MS = 20_000;
const TOKEN_WRITES = new Set(['exchange', 'refresh', 'revoke']);

export type FailoverOptions = {
  readonly etcdVersion: 2 | 3;
  readonly faults: (deployment: Deployment) => readonly Fault[];
  /** The file of the history. */
  readonly file: string;
  readonly note: (text: string) => void;
};

export type FaultResult = {
  readonly name: string;
  /** The longest time without an acknowledged write of a token. */
  readonly unavailableMs: number;
};

export type FailoverResult = {
  readonly faults: readonly FaultResult[];
  readonly operations: Readonly<Record<string, { known: number; unknown: number }>>;
  /** The grants whose history no order explains: an acknowledged write was lost, or a revoked token accepted. */
  readonly violations: ReadonlyMap<string, readonly Operation[]>;
  readonly acceptedRevoked: number;
  readonly eventProblems: readonly string[];
};

/** Runs the faults and checks the history. */
export async function runFailover(options: FailoverOptions): Promise<FailoverResult> {
  await mkdir(path.dirname(options.file), { recursive: true });
  const deployment = await openDeployment({ etcdVersion: options.etcdVersion, env: {} });
  const history = new History(options.file);
  try {
    return await runOn(deployment, history, options);
  } finally {
    await history.close();
    await deployment.close();
  }
}

/** Returns the result of several runs, whose grants have different names. */
export function mergeResults(results: readonly FailoverResult[]): FailoverResult {
  const operations: Record<string, { known: number; unknown: number }> = {};
  for (const [name, { known, unknown }] of results.flatMap((result) => Object.entries(result.operations))) {
    const counts = operations[name] ?? { known: 0, unknown: 0 };
    operations[name] = { known: counts.known + known, unknown: counts.unknown + unknown };
  }
  return {
    faults: results.flatMap(({ faults }) => faults),
    operations,
    violations: new Map(results.flatMap(({ violations }) => [...violations])),
    acceptedRevoked: results.reduce((sum, { acceptedRevoked }) => sum + acceptedRevoked, 0),
    eventProblems: results.flatMap(({ eventProblems }) => eventProblems),
  };
}

async function runOn(
  deployment: Deployment,
  history: History,
  { faults, note, etcdVersion }: FailoverOptions,
): Promise<FailoverResult> {
  const isControl = etcdVersion === 3;
  const { stores, instances, url } = deployment;
  const [program] = instances;
  if (program === undefined) throw new Error('There is no instance');
  const register = async (windowSeconds: number): Promise<Tenant> => {
    const registration = await program.createClient({ redirectUri: REDIRECT_URI });
    const option = ['--refresh-replay-window', String(windowSeconds)];
    await program.command('client', 'update', registration.clientId, ...option);
    return { ...registration, url, windowMs: windowSeconds * 1_000 };
  };
  const tenants = [await register(0), await register(WINDOW_SECONDS)];
  const application: Application = await register(WINDOW_SECONDS);
  const events = await openEventUsers(application, program, USERS);
  const stopping = new AbortController();
  const deps = { history, stores, signal: stopping.signal };
  try {
    const tokens = tenants.map((tenant) => runTokenClients(tenant, PAIRS, deps));
    const writers = events.users.map((user) => user.create(deps));
    let isOver = false;
    const followers = events.users.map((user) => user.follow(deps, () => isOver));
    const work = Promise.all([...tokens, ...writers]);
    const results: FaultResult[] = [];
    for (const fault of faults(deployment))
      results.push(await strike(fault, { deployment, history, note, isControl }));
    stopping.abort();
    await work;
    const isComplete = () =>
      events.users.every(({ created, seen }) => findProblems(created, seen, events.delivered()).length === 0);
    if (!isControl)
      await eventually('everything is seen and delivered', isComplete).catch((reason) =>
        note(String(reason)),
      );
    isOver = true;
    await Promise.all(followers);
    const delivered = events.delivered();
    return {
      faults: results,
      ...checkLines(history.lines),
      eventProblems: events.users.flatMap(({ created, seen }) => findProblems(created, seen, delivered)),
    };
  } finally {
    stopping.abort();
    await events.close();
  }
}

type Struck = Pick<FailoverOptions, 'note'> & {
  readonly isControl: boolean;
  readonly deployment: Deployment;
  readonly history: History;
};

async function strike(fault: Fault, { deployment, history, note, isControl }: Struck): Promise<FaultResult> {
  await deployment.settle();
  await sleep(BETWEEN_MS);
  const from = performance.now();
  await fault.run(deployment);
  // In the control, the nodes may not find together again.
  await (isControl ? sleep(CONTROL_MS) : deployment.settle());
  await sleep(BETWEEN_MS);
  const result = { name: fault.name, unavailableMs: longestGap(history.lines, from) };
  note(`${fault.name}: ${(result.unavailableMs / 1000).toFixed(1)} s without an acknowledged write`);
  return result;
}

function longestGap(lines: readonly Line[], from: number): number {
  const ends = lines
    .filter(
      ({ operation, output, end = 0 }) => TOKEN_WRITES.has(operation) && output?.status === 200 && end > from,
    )
    .map(({ end = 0 }) => end)
    .sort((a, b) => a - b);
  return Math.max(0, ...[from, ...ends].map((at, i, all) => (all[i + 1] ?? performance.now()) - at));
}

/** Returns the results of the token operations among the lines. */
export function checkLines(
  lines: readonly Line[],
): Pick<FailoverResult, 'operations' | 'violations' | 'acceptedRevoked'> {
  const operations: Record<string, { known: number; unknown: number }> = {};
  for (const { operation, output } of lines) {
    const counts = operations[operation] ?? { known: 0, unknown: 0 };
    operations[operation] = counts;
    counts[output === undefined ? 'unknown' : 'known'] += 1;
  }
  // Lines of these operations have the form that the checker needs.
  const ofGrants = lines.filter(
    ({ operation }) => operation === 'read' || TOKEN_WRITES.has(operation),
  ) as Operation[];
  const revokedAt = new Map<string, number>();
  for (const { operation, object, output, end = 0 } of ofGrants)
    if (operation === 'revoke' && output?.status === 200)
      revokedAt.set(object, Math.min(end, revokedAt.get(object) ?? end));
  const accepted = ofGrants.filter(
    ({ operation, object, output, start }) =>
      operation !== 'revoke' && output?.status === 200 && start > (revokedAt.get(object) ?? start),
  );
  return { operations, violations: findViolations(ofGrants), acceptedRevoked: accepted.length };
}
