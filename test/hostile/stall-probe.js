/**
 * Loaded into the program before its own code (`node --import`): reports on a socket how long its main thread blocked.
 * A wait in which the thread was ready but the machine gave it no processor counts as the machine's, not the program's:
 * Linux keeps that time (/proc/self/schedstat).
 */
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const TICK_MS = 5;
/** Shorter stalls are ignored. */
const NOTED_MS = 20;

const socket = process.env.HOSTILE_PROBE;
// The program's other threads and processes, and its command line, load this too.
if (socket !== undefined && isMainThread && process.argv.includes('serve')) watch(socket);

function watch(path) {
  let stalls = [];
  let last = performance.now();
  let waited = queuedMs();
  const tick = () => {
    const now = performance.now();
    const queued = queuedMs();
    const length = now - last - TICK_MS;
    if (length > NOTED_MS) {
      stalls.push({ at: Date.now(), length, ours: Math.max(0, length - (queued - waited)) });
    }
    last = now;
    waited = queued;
    setTimeout(tick, TICK_MS).unref();
  };
  tick();
  // Removes the socket of a program that was killed.
  rmSync(path, { force: true });
  createServer((connection) => {
    connection.on('error', () => {});
    const { pid } = process;
    connection.end(JSON.stringify({ pid, stalls }));
    stalls = [];
  })
    .listen(path)
    .unref();
}

/** Returns how long the main thread has waited for a processor so far, in milliseconds. */
function queuedMs() {
  try {
    // The folder's own name: that of `self` is the thread that asks.
    const [, queued] = readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(queued) / 1e6;
  } catch {
    return 0; // Not Linux: every wait counts as the program's.
  }
}
