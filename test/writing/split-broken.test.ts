/** `following` of which any one request is the last that is answered, or is refused, whatever a provider needs of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Faults } from '../../sandbox/core/faults.ts';
import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { get } from '../harness/calendar-server.ts';
import { openBench } from '../providers/provider-bench.ts';
import { SPECIAL, WEEKLY } from './split-series.ts';

const KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'caldav'];
/** WEEKLY without its third Monday and with SPECIAL as its fourth. */
const WHOLE = ['04T09:00 Weekly', '11T09:00 Weekly', '25T13:00 Special'];
/** No provider needs so many requests for a split. */
const MOST_REQUESTS = 60;

/** Loses the response to request `last` and cuts later ones. The result undoes that and returns whether `last` came. */
function breakAfter(faults: Faults, last: number): () => boolean {
  const { take } = faults;
  let count = 0;
  faults.take = (request) => {
    count += 1;
    if (count < last) return take(request);
    return [{ kind: count === last ? 'lost_answer' : 'reset' }];
  };
  return () => {
    faults.take = take;
    return count >= last;
  };
}

/** That request is refused, and no other one. */
function refuseOnly(faults: Faults, which: number): () => boolean {
  const { take } = faults;
  let count = 0;
  faults.take = (request) => {
    count += 1;
    return count === which ? [{ kind: 'status', status: 429, reason: 'rateLimitExceeded' }] : take(request);
  };
  return () => {
    faults.take = take;
    return count >= which;
  };
}

const CASES = [
  ...KINDS.map((kind) => ({ kind, fails: breakAfter, name: `at ${kind}, whichever request was the last` })),
  // One kind stands for all: the others make many more requests.
  { kind: 'caldav', fails: refuseOnly, name: 'at caldav, whichever request is refused' },
] as const;

describe('a provider that fails while a series is split', () => {
  for (const { kind, fails, name } of CASES)
    it(`leaves no instance twice or lost ${name}`, async () => {
      const bench = await openBench(kind);
      const { server } = bench;
      await bench.link({ scope: 'read-write' });
      await bench.read();
      const token = await server.token();
      const [calendar] = (await get(server, '/calendars', token))
        .json()
        .filter(({ title }: { title: string }) => title === 'Work');
      const write = async (method: 'POST' | 'PUT' | 'DELETE', body: object) => {
        const headers = { authorization: `Bearer ${token}` };
        const payload = { provider: kind, calendarId: calendar.id, ...body };
        const answer = await server.app.inject({ method, url: '/event', headers, payload });
        return { status: answer.statusCode, body: answer.json() };
      };
      type Shown = { id: string; recurringEventId?: string; start: string; title: string };
      const listed = async (): Promise<Shown[]> =>
        (await get(server, '/events?start=2027-01-01&end=2027-01-31', token)).json().events;
      const shown = async () =>
        (await listed())
          .filter(({ title }) => title !== 'Next')
          .map(({ start, title }) => `${start.slice(8, 16)} ${title}`);

      for (let last = 1; ; last += 1) {
        const series = await write('POST', WEEKLY);
        assert.equal(series.status, 200, JSON.stringify(series.body));
        const instances = await listed();
        await write('DELETE', { eventId: instances[2]?.id, deleteMode: 'this' });
        await write('PUT', { eventId: instances[3]?.id, ...SPECIAL, updateMode: 'this' });
        const mend = fails(bench.faults, last);
        const split = await write('PUT', {
          eventId: instances[1]?.id,
          location: 'Roof',
          updateMode: 'following',
        });
        const isReached = mend();
        bench.pass(60_000);
        const next = await write('POST', { ...WEEKLY, recurrence: null, title: 'Next' });
        assert.equal(next.status, 200, `after request ${last}: ${JSON.stringify(next.body)}`);
        assert.deepEqual(await shown(), WHOLE, `read at once, after request ${last}`);
        bench.pass(60_000);
        assert.deepEqual(await shown(), WHOLE, `as the provider has it, after request ${last}`);
        const ids = new Set((await listed()).map(({ id, recurringEventId }) => recurringEventId ?? id));
        for (const eventId of ids) await write('DELETE', { eventId, deleteMode: 'all' });
        assert.deepEqual(await listed(), []);
        if (!isReached) break;
        assert.ok(last < MOST_REQUESTS, `a split that comes to its end: ${JSON.stringify(split.body)}`);
      }
      await bench.close();
    });
});
