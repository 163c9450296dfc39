/** Attacks without a calendar server: requests that are slow, large, many or deep. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { authorizeUrl } from '../e2e/flow.ts';
import { scale } from '../harness/rounds.ts';
import { type Arena, linkEvil, outcome } from './arena.ts';
import type { HostileCase } from './cases.ts';
import { almostWhole, postOf, type SlowClient, slowClients } from './slow-clients.ts';

const MEGABYTE = 1_000_000;
/** Receiving a request may take 30 s; sending all of them and noticing their end takes longer. */
const RECEIVED_BY_MS = 50_000;

type Slow = {
  readonly name: string;
  readonly count: number;
  readonly client: (arena: Arena) => SlowClient | Promise<SlowClient>;
};

/** Returns a case of slow clients, which fails if connections are still open after 50 s. */
const slow = ({ name, count, client }: Slow): HostileCase => ({
  name,
  async run(arena) {
    const clients = await slowClients(arena.program.url, count, await client(arena));
    const until = performance.now() + RECEIVED_BY_MS;
    while (clients.open() > 0 && performance.now() < until) await sleep(100);
    const left = clients.open();
    const answers = JSON.stringify(clients.answers());
    clients.close();
    assert.equal(left, 0, `${left} of ${count} connections are open after 40 s; ${answers}`);
    return answers;
  },
});

const bearer = async (arena: Arena): Promise<string> =>
  `Authorization: Bearer ${await linkEvil(arena, 'one event with 400 rules')}`;

/** All cases together use fewer connections than a program accepts. */
const SLOW_CASES: readonly HostileCase[] = [
  slow({
    name: '600 bodies a byte short of 1 MB',
    count: 600,
    client: () => ({ first: almostWhole('/event', MEGABYTE) }),
  }),
  slow({
    name: '100 bodies a byte short of 1 MB, with a token',
    count: 100,
    client: async (arena) => ({ first: almostWhole('/event', MEGABYTE, [await bearer(arena)]) }),
  }),
  slow({
    name: '100 bodies a byte short of 1 MB at /token',
    count: 100,
    client: () => ({ first: almostWhole('/token', MEGABYTE) }),
  }),
  slow({
    name: '50 bodies that drip',
    count: 50,
    client: () => ({ first: postOf('/token', 10_000), drip: ' ' }),
  }),
  slow({
    name: '50 headers that drip',
    count: 50,
    client: () => ({ first: 'GET /health HTTP/1.1\r\nX-Slow: ', drip: 'x' }),
  }),
];

/** All of them at once, for as long as a request may take. */
export const ALL_SLOW: HostileCase = {
  name: 'slow clients of every kind',
  async run(arena) {
    const seen = await Promise.all(SLOW_CASES.map(async ({ name, run }) => `${name}: ${await run(arena)}`));
    return seen.join('; ');
  },
};

const AT_ONCE = 20;
/** Requests that start a flow with junk; a few hundred show whether junk is stored. */
const STARTS = scale() > 1 ? 1000 : 200;

/** Sends `count` requests, some at once, and returns their statuses with counts. */
async function flood(count: number, ask: (index: number) => Promise<Response>): Promise<string> {
  const statuses: Record<string, number> = {};
  for (let first = 0; first < count; first += AT_ONCE) {
    const answers = Array.from({ length: AT_ONCE }, (_, index) => statusOf(ask(first + index)));
    for (const status of await Promise.all(answers)) statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return JSON.stringify(statuses);
}

/** Returns the status, or the client's error if it rejects the response, such as one with headers that are too long. */
async function statusOf(answer: Promise<Response>): Promise<string> {
  try {
    return String((await outcome(answer)).status);
  } catch (reason) {
    return reason instanceof Error && reason.cause instanceof Error ? reason.cause.name : String(reason);
  }
}

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Requests that are over at once. */
export const REQUEST_CASES: readonly HostileCase[] = [
  ...([60_000, 12_000] as const).map((bytes) => ({
    name: `${STARTS} starts of the flow with ${bytes} bytes of junk`,
    run: ({ application }: Arena) =>
      flood(STARTS, (index) => {
        const junk = { junk: 'j'.repeat(bytes) };
        const url = authorizeUrl(application, { userId: `junk ${index}`, parameters: junk });
        return fetch(url, { redirect: 'manual' });
      }),
  })),
  {
    name: '40 bodies of 100,000 nested lists',
    run: async (arena) => {
      const headers = { authorization: (await bearer(arena)).slice(15), 'content-type': 'application/json' };
      const body = `{"provider":"caldav","custom":${deep(100_000)}}`;
      return flood(40, () => fetch(`${arena.program.url}/event`, { method: 'POST', headers, body }));
    },
  },
  {
    name: '40 filters of 5,000 nested lists',
    run: async (arena) => {
      const headers = { authorization: (await bearer(arena)).slice(15) };
      return flood(40, () => fetch(`${arena.program.url}/events?calendarIds=${deep(5000)}`, { headers }));
    },
  },
  {
    name: '20 clients that do not read 10 answers',
    run: async (arena) => {
      const authorization = await bearer(arena);
      const path = '/events?start=2026-01-01T00:00:00Z&end=2027-01-01T00:00:00Z&pageSize=1000';
      const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}\r\n\r\n`;
      const clients = await slowClients(arena.program.url, 20, { first: request.repeat(10), deaf: true });
      await sleep(4000);
      clients.close();
      return '';
    },
  },
];
