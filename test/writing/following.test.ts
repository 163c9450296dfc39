/** `following` on a series, with a crash between any two of its steps: the series is whole each time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ProviderError, UnsupportedByProvider } from '../../src/calendars/provider-error.ts';
import { finishSplits } from '../../src/writing/finish-splits.ts';
import { type CalendarServer, get, startWorker } from '../harness/calendar-server.ts';
import { untilWorked } from '../harness/until.ts';
import { HOME, ID, type Method, openEventSite } from './event-site.ts';

/** Six Mondays at ten in Paris without a clock change; the second is cancelled, the fourth has its own title. */
const WEEKLY = {
  ...ID,
  title: 'Weekly',
  start: '2026-11-16T09:00:00Z',
  end: '2026-11-16T10:00:00Z',
  recurrence: { frequency: 'WEEKLY', count: 6 },
};
const STEPS = ['planned', 'new series', 'created', 'trimmed', 'kept'] as const;

class Crash extends Error {}

async function openSeries(crashAt?: string) {
  const fault = { at: crashAt };
  const atStep = async (step: string) => {
    if (step === fault.at) throw new Crash(step);
  };
  const { server, token } = await openEventSite({ writing: { atStep } });
  const send = sender(server, token);
  const created = await send('POST', WEEKLY);
  const id = String(created.body.id);
  const instance = (day: string) => `${id}_${day.replaceAll('-', '')}T090000Z`;
  await send('DELETE', { ...ID, eventId: instance('2026-11-23'), deleteMode: 'this' });
  await send('PUT', { ...ID, eventId: instance('2026-12-07'), title: 'Special', updateMode: 'this' });
  return { server, token, send, id, instance, fault };
}

function sender(server: CalendarServer, token: string) {
  return async (method: Method, body: object) => {
    const answer = await server.app.inject({
      method,
      url: '/event',
      headers: { authorization: `Bearer ${token}` },
      payload: body,
    });
    return { status: answer.statusCode, body: answer.json() };
  };
}

/** Returns the day, time and title of each instance that a reader sees. */
async function listedEvents(server: CalendarServer, token: string): Promise<string[]> {
  const answer = await get(server, '/events?start=2026-11-01&end=2027-03-01', token);
  return answer
    .json()
    .events.map(({ start, title }: { start: string; title: string }) => `${start.slice(0, 16)} ${title}`);
}

const BEFORE = [
  '2026-11-16T09:00 Weekly',
  '2026-11-30T09:00 Weekly',
  '2026-12-07T09:00 Special',
  '2026-12-14T09:00 Weekly',
  '2026-12-21T09:00 Weekly',
];
const AFTER = [
  '2026-11-16T09:00 Weekly',
  '2026-11-30T10:00 Weekly',
  '2026-12-07T10:00 Special',
  '2026-12-14T10:00 Weekly',
  '2026-12-21T10:00 Weekly',
];

describe('this and following', () => {
  it('a split of a series: earlier instances stay, later ones move with their exceptions', async () => {
    const { server, token, send, id, instance } = await openSeries();
    assert.deepEqual(await listedEvents(server, token), BEFORE);

    const answer = await send('PUT', {
      ...ID,
      eventId: instance('2026-11-30'),
      recurringEventId: id,
      updateMode: 'following',
      location: 'Room 2',
      start: '2026-11-30T10:00:00Z',
      end: '2026-11-30T11:00:00Z',
    });

    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.notEqual(answer.body.id, id);
    assert.deepEqual(await listedEvents(server, token), AFTER);
    const [old] = server.provider.resourcesOf(HOME);
    assert.deepEqual(old?.events[0]?.recurrence?.rrules, ['FREQ=WEEKLY;UNTIL=20261130T085959Z']);
    await server.close();
  });

  it('a split keeps what was cancelled later, and counts COUNT down', async () => {
    const { server, token, send, instance } = await openSeries();

    await send('DELETE', { ...ID, eventId: instance('2026-12-14') });
    await send('PUT', { ...ID, eventId: instance('2026-11-30'), updateMode: 'following', title: 'Later' });

    assert.deepEqual(await listedEvents(server, token), [
      '2026-11-16T09:00 Weekly',
      '2026-11-30T09:00 Later',
      '2026-12-07T09:00 Later',
      '2026-12-21T09:00 Later',
    ]);
    const made = server.provider.resourcesOf(HOME).at(-1);
    assert.deepEqual(made?.events[0]?.recurrence?.rrules, ['FREQ=WEEKLY;COUNT=4']);
    await server.close();
  });

  it('this and following is the whole series when nothing comes before', async () => {
    const { server, send, id, instance } = await openSeries();

    const answer = await send('PUT', {
      ...ID,
      eventId: instance('2026-11-16'),
      updateMode: 'following',
      title: 'All',
    });

    assert.equal(answer.body.id, id);
    assert.equal(server.provider.resourcesOf(HOME).length, 1);
    await server.close();
  });

  it('this and the following instances are deleted, changed ones too', async () => {
    const { server, token, send, instance } = await openSeries();

    const answer = await send('DELETE', { ...ID, eventId: instance('2026-11-30'), deleteMode: 'following' });

    assert.deepEqual([answer.status, answer.body.success], [200, true]);
    assert.deepEqual(await listedEvents(server, token), ['2026-11-16T09:00 Weekly']);
    assert.equal(server.provider.resourcesOf(HOME)[0]?.events.length, 1);
    await server.close();
  });

  for (const step of STEPS) {
    it(`a split is whole after a crash at the step "${step}", once the job has run`, async () => {
      const { server, token, send, instance, fault } = await openSeries(step);
      const request = {
        ...ID,
        eventId: instance('2026-11-30'),
        updateMode: 'following',
        start: '2026-11-30T10:00:00Z',
        end: '2026-11-30T11:00:00Z',
      };

      assert.equal((await send('PUT', request)).status, 500);
      fault.at = undefined;
      const [calendarKey] = (
        await server.db.all<{ k: string }>('SELECT calendar_key AS k FROM calendar')
      ).map(({ k }) => k);
      assert.equal(await finishSplits(calendarKey ?? '', server.deps), undefined);

      assert.deepEqual(await listedEvents(server, token), AFTER);
      // And so is what the provider has, which the next sync brings.
      server.clock.now += 60_000;
      assert.deepEqual(await listedEvents(server, token), AFTER);
      assert.deepEqual(await server.deps.splits.openSplits(calendarKey ?? ''), []);
      await server.close();
    });
  }

  for (const step of STEPS.slice(0, 3)) {
    it(`a split is undone after a crash at the step "${step}" when the series was changed meanwhile`, async () => {
      const { server, token, send, id, instance, fault } = await openSeries(step);
      const request = {
        ...ID,
        eventId: instance('2026-11-30'),
        updateMode: 'following',
        location: 'Elsewhere',
      };
      assert.equal((await send('PUT', request)).status, 500);
      fault.at = undefined;
      const old = server.provider.resourcesOf(HOME).find(({ eventId }) => eventId === id);
      assert.ok(old);
      server.provider.put(HOME, {
        ...old,
        events: old.events.map((event) =>
          event.recurrence === undefined
            ? event
            : { ...event, recurrence: { ...event.recurrence, rrules: ['FREQ=WEEKLY;COUNT=4'] } },
        ),
      });

      // The next write of the calendar looks after it first.
      const next = await send('POST', {
        ...ID,
        title: 'Next',
        start: '2027-01-01T09:00:00Z',
        end: '2027-01-01T10:00:00Z',
      });

      assert.equal(next.status, 200);
      server.clock.now += 60_000;
      const [first, second, third, ...rest] = await listedEvents(server, token);
      assert.deepEqual(
        [first, second, third, ...rest],
        [
          '2026-11-16T09:00 Weekly',
          '2026-11-30T09:00 Weekly',
          '2026-12-07T09:00 Special',
          '2027-01-01T09:00 Next',
        ],
      );
      await server.close();
    });
  }

  it('a split is finished by the worker of another process, once the dead one’s time is up', async () => {
    const { server, token, send, instance, fault } = await openSeries('created');
    const request = { ...ID, eventId: instance('2026-11-30'), updateMode: 'following', title: 'Later' };
    assert.equal((await send('PUT', request)).status, 500);
    fault.at = undefined;
    server.clock.now += 91_000;
    const worker = startWorker(server);

    const open = () => server.db.all('SELECT split_id FROM split_journal');
    await untilWorked(server.deps, async () => (await open()).length === 0);

    await worker.stop();
    assert.equal((await listedEvents(server, token)).filter((line) => line.includes('Later')).length, 4);
    await server.close();
  });

  it('a split leaves the series as it was when the provider refuses the new one', async () => {
    const { server, token, send, instance } = await openSeries();
    server.provider.failures.push({
      call: 'copyLater',
      error: new ProviderError('rate_limited', 'Too many requests'),
    });

    const answer = await send('PUT', {
      ...ID,
      eventId: instance('2026-11-30'),
      updateMode: 'following',
      title: 'Later',
    });

    assert.equal(answer.status, 429);
    server.clock.now += 60_000;
    assert.deepEqual(await listedEvents(server, token), BEFORE);
    await server.close();
  });

  it('a split takes the new series back even when it crashes while it does so', async () => {
    const { server, token, send, instance, fault } = await openSeries('undoing');
    const refused = new UnsupportedByProvider('field_not_supported_by_provider', 'Not this');
    server.provider.failures.push({ call: 'update', error: refused });
    const request = { ...ID, eventId: instance('2026-11-30'), updateMode: 'following', location: 'Room 2' };
    assert.equal((await send('PUT', request)).status, 500);
    assert.equal(server.provider.resourcesOf(HOME).length, 2);

    fault.at = undefined;
    const other = await send('POST', {
      ...ID,
      title: 'Next',
      start: '2027-05-01T09:00Z',
      end: '2027-05-01T10:00Z',
    });

    assert.equal(other.status, 200);
    server.clock.now += 60_000;
    assert.deepEqual(await listedEvents(server, token), BEFORE);
    await server.close();
  });

  for (const call of ['copyLater', 'update'] as const) {
    it(`a split is whole when the answer to its ${call} is lost, and the caller tries again`, async () => {
      const { server, token, send, instance } = await openSeries();
      server.provider.lostAnswers.push({ call, error: new ProviderError('unavailable', 'Connection reset') });
      const request = { ...ID, eventId: instance('2026-12-14'), updateMode: 'following', title: 'Later' };

      const first = await send('PUT', request);
      assert.equal(first.status, 503, JSON.stringify(first.body));
      await send('PUT', request);

      server.clock.now += 60_000;
      assert.deepEqual(await listedEvents(server, token), [
        '2026-11-16T09:00 Weekly',
        '2026-11-30T09:00 Weekly',
        '2026-12-07T09:00 Special',
        '2026-12-14T09:00 Later',
        '2026-12-21T09:00 Later',
      ]);
      await server.close();
    });
  }
});
