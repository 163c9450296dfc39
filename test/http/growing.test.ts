/**
 * Requests that grow, in numbers: pipelined on a few connections to the program in its own process. Nothing they have in
 * them may keep its main thread busy for a tenth of a second, and none may be its fault.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';

import fc from 'fast-check';

import { type Program, startProgram } from '../harness/program.ts';
import { inputs } from '../harness/rounds.ts';
import { growingRequest } from './growing-requests.ts';

/** A batch is sent on one connection, which is closed behind it. */
const BATCH = 50;
/** A turn of the event loop takes in a few requests of a batch: longer ones are looked into. */
const MOST_MS = 100;
/** In the place of a status. */
const RESET = 0;
const NO_ANSWER_MS = 20_000;

const probe = path.join(tmpdir(), `kalends-growing-${process.pid}.sock`);
const env = {
  NODE_OPTIONS: `--import=${path.resolve(import.meta.dirname, '../hostile/stall-probe.js')}`,
  HOSTILE_PROBE: probe,
  KALENDS_LOG_LEVEL: 'error',
};

describe('requests that grow', () => {
  let program: Program;
  before(async () => {
    program = await startProgram({ env });
  });
  after(() => program?.dispose());

  it('requests that grow keep nobody waiting for a tenth of a second, and are no fault', async (t) => {
    const seed = Number(process.env.KALENDS_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
    t.diagnostic(`KALENDS_TEST_SEED=${seed}`);
    const port = Number(new URL(program.url).port);
    const statuses: Record<string, number> = {};
    const count = inputs(500);
    await longestStall();
    for (let at = 0; at < count; at += BATCH) {
      const requests = fc.sample(growingRequest, { numRuns: Math.min(BATCH, count - at), seed: seed + at });
      for (const status of await answersTo(port, requests)) statuses[status] = (statuses[status] ?? 0) + 1;
      if ((await longestStall()) >= MOST_MS) await assertQuick(port, requests);
    }
    t.diagnostic(`${count} requests: ${JSON.stringify(statuses)}`);
    assert.deepEqual(
      Object.keys(statuses).filter((status) => Number(status) >= 500 && status !== '501'),
      [],
    );
    assert.equal(program.output().stderr, '', 'nothing is logged as an error');
  });
});

/** Each of them by itself: slow each time, it is the request, and not what came together with it. */
async function assertQuick(port: number, requests: readonly string[]): Promise<void> {
  for (const request of requests) {
    let stall = Number.POSITIVE_INFINITY;
    for (let tries = 0; stall >= MOST_MS && tries < 6; tries += 1) {
      await answersTo(port, [request]);
      stall = await longestStall();
    }
    assert.ok(stall < MOST_MS, `${Math.round(stall)} ms: ${request.length} bytes, ${request.slice(0, 300)}`);
  }
}

/** Milliseconds of the program's main thread, since it was asked last. */
async function longestStall(): Promise<number> {
  const { stalls }: { stalls: readonly { ours: number }[] } = JSON.parse(await textOf(connect(probe)));
  return stalls.reduce((longest, { ours }) => Math.max(longest, ours), 0);
}

/**
 * The statuses of the answers. The small ones go first: what is refused for its size ends its connection, and those behind
 * it are sent again on another.
 */
async function answersTo(port: number, requests: readonly string[]): Promise<number[]> {
  const waiting = [...requests].sort((a, b) => a.length - b.length);
  const statuses: number[] = [];
  while (waiting.length > 0) {
    const answered = await pipelined(port, waiting);
    // A client that still sends a request that is too large loses the response with the connection.
    if (answered.length === 0) answered.push(RESET);
    statuses.push(...answered);
    waiting.splice(0, answered.length);
  }
  return statuses;
}

async function pipelined(port: number, requests: readonly string[]): Promise<number[]> {
  const socket = connect(port, '127.0.0.1').on('error', () => {}); // a reset is an end as well
  const timer = setTimeout(() => socket.destroy(), NO_ANSWER_MS);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const statuses: number[] = [];
  let rest = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    rest += chunk;
    // A body need not end its line; nothing else in the answers looks like this.
    for (const [, status] of rest.matchAll(/HTTP\/1\.1 (\d{3}) .*\r\n/g)) statuses.push(Number(status));
    rest = rest.slice(rest.lastIndexOf('\n') + 1);
    if (statuses.length >= requests.length) socket.end();
  });
  for (const request of requests) socket.write(request, 'latin1');
  await closed;
  clearTimeout(timer);
  return statuses.slice(0, requests.length);
}
