/**
 * The process of the meter (test/hostile/meter.ts): requests /health of the program every 10 ms, and a good user's
 * events every 200 ms. Delays of this process itself are not counted.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measured } from './meter.ts';

const [url = '', accessToken = '', expected = ''] = process.argv.slice(2);
const HEALTH_EVERY_MS = 10;
const READ_EVERY_MS = 200;
const TICK_MS = 5;
const NOTED_MS = 20;
const WINDOW = 'start=2026-01-01T00:00:00Z&end=2026-02-01T00:00:00Z';

const agent = new http.Agent({ keepAlive: true });
const empty = (): Measured => ({ health: [], reads: [], late: [], faults: [] });
let measured = empty();
/** The total delay of this process so far, in milliseconds. */
let missed = 0;
let measures = false;

let lastTick = performance.now();
setInterval(() => {
  const now = performance.now();
  const ms = now - lastTick - TICK_MS;
  missed += Math.max(0, ms);
  if (measures && ms > NOTED_MS) measured.late.push({ at: Date.now(), ms });
  lastTick = now;
}, TICK_MS);

type Seen = { readonly status: number; readonly body: string; readonly at: number; readonly ms: number };

async function get(path: string): Promise<Seen> {
  const at = Date.now();
  const start = performance.now();
  const { status, body } = await new Promise<Pick<Seen, 'status' | 'body'>>((resolve, reject) => {
    const headers = { authorization: `Bearer ${accessToken}` };
    const request = http.get(url + path, { agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
  return { status, body, at, ms: performance.now() - start };
}

/** Requests `path`, adds the duration to `into`, and notes a fault. */
async function look(path: string, into: 'health' | 'reads', isRight: (seen: Seen) => boolean): Promise<void> {
  const before = missed;
  const wasMeasuring = measures;
  try {
    const seen = await get(path);
    // A tick after the response accounts for the time before it.
    await sleep(TICK_MS);
    if (!wasMeasuring) return;
    measured[into].push({ at: seen.at, ms: Math.max(0, seen.ms - (missed - before)) });
    if (!isRight(seen)) measured.faults.push(`${path}: ${seen.status} ${seen.body.slice(0, 300)}`);
  } catch (reason) {
    if (wasMeasuring && measures) measured.faults.push(`${path}: ${String(reason)}`);
  }
}

async function repeat(everyMs: number, action: () => Promise<void>): Promise<void> {
  for (;;) {
    await action();
    await sleep(everyMs);
  }
}

function isRightRead({ status, body }: Seen): boolean {
  if (status !== 200) return false;
  const { events, errors }: { events: unknown[]; errors?: unknown[] } = JSON.parse(body);
  return String(events.length) === expected && errors === undefined;
}

process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  measures = message === 'start';
  const done = measured;
  measured = empty();
  process.send?.(done);
});
process.send?.({});
await Promise.all([
  repeat(HEALTH_EVERY_MS, () => look('/health', 'health', ({ status }) => status === 200)),
  repeat(READ_EVERY_MS, () => look(`/events?${WINDOW}`, 'reads', isRightRead)),
]);
