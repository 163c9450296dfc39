/** A crash between the steps of `following`, at providers that keep changed occurrences as resources of their own too. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { get } from '../harness/calendar-server.ts';
import { openBench } from '../providers/provider-bench.ts';
import { SPECIAL, WEEKLY } from './split-series.ts';

const KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'caldav'];
const STEPS = ['planned', 'new series', 'created', 'trimmed', 'kept'] as const;
const WHOLE = ['04T09:00 Weekly', '11T09:00 Weekly', '18T09:00 Weekly', '25T13:00 Special'];

describe('a crash while a series is split', () => {
  for (const kind of KINDS)
    for (const step of STEPS)
      it(`a split leaves no instance twice or lost at ${kind} once the next write came: after "${step}"`, async () => {
        let armed = false;
        const atStep = async (reached: string) => {
          if (armed && reached === step) throw new Error(`Crash after ${step}`);
        };
        const bench = await openBench(kind, { writing: { atStep } });
        const { server } = bench;
        await bench.link({ scope: 'read-write' });
        await bench.read();
        const token = await server.token();
        const [calendar] = (await get(server, '/calendars', token))
          .json()
          .filter(({ title }: { title: string }) => title === 'Work');
        const write = async (method: 'POST' | 'PUT', body: object) => {
          const headers = { authorization: `Bearer ${token}` };
          const payload = { provider: kind, calendarId: calendar.id, ...body };
          const answer = await server.app.inject({ method, url: '/event', headers, payload });
          return { status: answer.statusCode, body: answer.json() };
        };
        const listed = async () => {
          const { events } = (await get(server, '/events?start=2027-01-01&end=2027-01-31', token)).json();
          return events.filter(({ title }: { title: string }) => title !== 'Next');
        };
        await write('POST', WEEKLY);
        const instances = await listed();
        await write('PUT', { eventId: instances[3].id, ...SPECIAL, updateMode: 'this' });
        armed = true;

        const split = await write('PUT', {
          eventId: instances[1].id,
          location: 'Roof',
          updateMode: 'following',
        });
        armed = false;
        const next = await write('POST', { ...WEEKLY, recurrence: null, title: 'Next' });

        assert.deepEqual([split.status, next.status], [500, 200], JSON.stringify(next.body));
        const listEvents = async () =>
          (await listed()).map(
            ({ start, title }: { start: string; title: string }) => `${start.slice(8, 16)} ${title}`,
          );
        assert.deepEqual(await listEvents(), WHOLE, 'read at once');
        bench.pass(60_000);
        assert.deepEqual(await listEvents(), WHOLE, 'as the provider has it');
        await bench.close();
      });
});
