/**
 * Measures the effect of an attack on others: how long they wait, which resources it takes, and what fails for them.
 */
import { globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ChildServer, startChild } from '../servers/child-server.ts';

/** A duration in milliseconds, and its time in epoch milliseconds. */
export type Wait = { readonly at: number; readonly ms: number };
export type Measured = {
  readonly health: Wait[];
  readonly reads: Wait[];
  /** Turns in which the measuring process itself was delayed, and when they ended. */
  readonly late: Wait[];
  /** Responses that were wrong or missing. */
  readonly faults: string[];
};
type Stall = { readonly at: number; readonly length: number; readonly ours: number };
type Probe = { readonly pid: number; readonly stalls: readonly Stall[] };

export type Findings = {
  /** Longest wait for GET /health, in milliseconds, as it was seen from outside. */
  readonly longestHealth: number;
  /** Longest turn of the program's main thread, in milliseconds, without the time in which the machine stood still. */
  readonly longestStall: number;
  /** Longest and 99th of 100 waits of the good user's reads, in milliseconds. */
  readonly longestRead: number;
  readonly p99Read: number;
  readonly reads: number;
  /** Most resident memory, in MB (10^6 bytes). */
  readonly peakMegabytes: number;
  /** Threads of the program at the end. */
  readonly threads: number;
  readonly diskMegabytes: number;
  readonly faults: readonly string[];
};

export type Meter = {
  readonly pid: number;
  /** Seconds of processor time that the program's main thread had taken when the meter was started. */
  readonly startSeconds: number;
  /** Returns the effects on others during `work` and `stillMs` milliseconds after it. */
  during(work: () => Promise<unknown>, stillMs?: number): Promise<Findings>;
  stop(): Promise<void>;
};

export type MeterOptions = {
  readonly url: string;
  readonly dataDir: string;
  /** The path of the socket of stall-probe.js. */
  readonly socket: string;
  /** The token of the good user, who must see this number of events in January 2026. */
  readonly accessToken: string;
  readonly events: number;
};

/** The longest that a program may be frozen, in milliseconds. */
const PATIENCE_MS = 60_000;
const SETTLE_MS = 300;
/** A stall is noted a little after its end. */
const SLACK_MS = 20;

/** Starts the measuring process; the caller stops it. */
export async function startMeter(options: MeterOptions): Promise<Meter> {
  const { url, dataDir, socket, accessToken, events } = options;
  const { pid } = await probe(socket);
  const startSeconds = mainThreadSeconds(pid);
  const child = await startChild('hostile/meter-process.ts', [url, accessToken, String(events)]);
  return {
    pid,
    startSeconds,
    async during(work, stillMs = SETTLE_MS) {
      await Promise.all([probe(socket), child.ask('start')]);
      resetPeak(pid);
      await work();
      await sleep(stillMs);
      const { stalls } = await probe(socket);
      return findings({ child, pid, dataDir, stalls });
    },
    stop: () => child.stop(),
  };
}

async function findings(input: {
  child: ChildServer<unknown>;
  pid: number;
  dataDir: string;
  stalls: readonly Stall[];
}): Promise<Findings> {
  const { child, pid, dataDir, stalls } = input;
  const measured = await child.ask<Measured>('stop');
  const health = measured.health.map((wait) => wait.ms - lentTime(stalls, wait));
  const reads = measured.reads.map((wait) => wait.ms - lentTime(stalls, wait)).sort((a, b) => a - b);
  return {
    longestHealth: Math.max(0, ...health),
    longestStall: Math.max(0, ...stalls.map((stall) => stall.ours - machineTime(stall, measured.late))),
    longestRead: reads.at(-1) ?? 0,
    p99Read: reads[Math.floor(reads.length * 0.99)] ?? 0,
    reads: reads.length,
    peakMegabytes: memoryOf(pid, 'VmHWM'),
    threads: readdirSync(`/proc/${pid}/task`).length,
    diskMegabytes: bytesIn(dataDir) / 1e6,
    faults: measured.faults,
  };
}

/** Returns how much of a stall coincided with one of the measuring process: then the whole machine stood still. */
function machineTime({ at, length }: Stall, late: readonly Wait[]): number {
  const during = late.filter((wait) => wait.at > at - length && wait.at - wait.ms < at);
  return sum(during.map(({ ms }) => ms));
}

/** Returns how much of a wait the machine caused, because it gave the program no processor. */
function lentTime(stalls: readonly Stall[], { at, ms }: Wait): number {
  const during = stalls.filter((stall) => stall.at >= at && stall.at - stall.length <= at + ms + SLACK_MS);
  return Math.min(ms, sum(during.map(({ length, ours }) => length - ours)));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Returns what the probe noted since the last call. */
async function probe(socket: string): Promise<Probe> {
  let text = '';
  const connection = connect(socket).setEncoding('utf8').setTimeout(PATIENCE_MS);
  connection.on('timeout', () =>
    connection.destroy(new Error(`The program is frozen for ${PATIENCE_MS} ms`)),
  );
  for await (const chunk of connection) text += chunk;
  return JSON.parse(text);
}

/** Returns megabytes (10^6 bytes) of a process' memory: VmRSS is the current amount, VmHWM the peak. */
export function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024) / 1e6;
}

/** Returns the main thread's processor time in seconds. Linux counts hundredths on every architecture Node runs on. */
function mainThreadSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Returns the number of threads of a process. */
export const threadsOf = (pid: number): number => readdirSync(`/proc/${pid}/task`).length;

function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Returns the total size of the files in a folder, in bytes. */
export function bytesIn(folder: string): number {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return sum(files.map((entry) => statSync(path.join(entry.parentPath, entry.name)).size));
}
