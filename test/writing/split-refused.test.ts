/** `following` of which a step is refused, or whose old series is another when it is finished. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EventResource } from '../../src/calendars/event.ts';
import { ProviderError, UnsupportedByProvider } from '../../src/calendars/provider-error.ts';
import { finishSplits } from '../../src/writing/finish-splits.ts';
import { type CalendarServerOptions, get } from '../harness/calendar-server.ts';
import { HOME, ID, type Method, openEventSite } from './event-site.ts';

const WEEKLY = {
  ...ID,
  title: 'Weekly',
  start: '2026-11-16T09:00:00Z',
  end: '2026-11-16T10:00:00Z',
  recurrence: { frequency: 'WEEKLY', count: 4 },
};
const NEXT = { ...ID, title: 'Next', start: '2027-01-01T09:00:00Z', end: '2027-01-01T10:00:00Z' };
const SPLIT = ['11-16 Weekly', '11-23 Weekly', '11-30 Later', '12-07 Later'];
const BEFORE = ['11-16 Weekly', '11-23 Weekly', '11-30 Weekly', '12-07 Weekly'];

async function openSeries(options: CalendarServerOptions = {}, fields: object = {}) {
  const fault: { at: string | undefined; atStep?: typeof atStep } = { at: undefined };
  const atStep = async (step: string): Promise<void> => {
    if (step === fault.at) throw new Error(`Crash after ${step}`);
    await fault.atStep?.(step);
  };
  const { server, token } = await openEventSite({ ...options, writing: { atStep } });
  const send = async (method: Method, payload: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await server.app.inject({ method, url: '/event', headers, payload });
    return { status: answer.statusCode, body: answer.json() };
  };
  const id = String((await send('POST', { ...WEEKLY, ...fields })).body.id);
  const of = (day: string) => ({ ...ID, eventId: `${id}_${day}T090000Z` });
  const [row] = await server.db.all<{ key: string }>('SELECT calendar_key AS key FROM calendar');
  const calendarKey = row?.key ?? assert.fail('There is no calendar');
  return {
    server,
    calendarKey,
    send,
    fault,
    of,
    id,
    split: () => send('PUT', { ...of('20261130'), updateMode: 'following', title: 'Later' }),
    finish: () => finishSplits(calendarKey, server.deps),
    journal: () => server.deps.splits.openSplits(calendarKey),
    old: (): EventResource =>
      server.provider.resourcesOf(HOME).find(({ eventId }) => eventId === id) ?? assert.fail('It is gone'),
    /** Returns the provider's events after a sync of the calendar. */
    async shown(): Promise<string[]> {
      server.clock.now += 60_000;
      const answer = await get(server, '/events?start=2026-11-01&end=2027-03-01', token);
      return answer
        .json()
        .events.map(({ start, title }: { start: string; title: string }) => `${start.slice(5, 10)} ${title}`);
    },
  };
}

/** Another program gives the series this rule. */
const withRule = (old: EventResource, rule: string): EventResource => ({
  ...old,
  events: old.events.map((event) => ({
    ...event,
    ...(event.recurrence && { recurrence: { ...event.recurrence, rrules: [rule] } }),
  })),
});

const REFUSED = new UnsupportedByProvider('field_not_supported_by_provider', 'Not this');
const REFUSALS = [
  { error: new ProviderError('rate_limited', 'Too many requests'), status: 429 },
  { error: new ProviderError('not_found', 'There is no such exception'), status: 200 },
  { error: REFUSED, status: 200 },
];

describe('a split of which a step is refused', () => {
  for (const { error, status } of REFUSALS)
    it(`keeps the later half when the old series had ended already: ${error.message}`, async () => {
      const at = await openSeries();
      at.server.provider.lostAnswers.push({ call: 'update', error });

      assert.equal((await at.split()).status, status);

      assert.equal((await at.send('POST', NEXT)).status, 200);
      assert.deepEqual(await at.shown(), [...SPLIT, '01-01 Next']);
      assert.deepEqual(await at.journal(), []);
      await at.server.close();
    });

  it('is undone when the old series has not ended', async () => {
    const at = await openSeries();
    at.server.provider.failures.push({ call: 'update', error: REFUSED });

    assert.equal((await at.split()).status, 422);

    assert.deepEqual(await at.shown(), BEFORE);
    assert.deepEqual(await at.journal(), []);
    await at.server.close();
  });

  it('keeps the later half when an earlier release was about to delete it though the old series had ended', async () => {
    const at = await openSeries();
    at.fault.at = 'trimmed';
    await at.split();
    at.fault.at = undefined;
    for (const { splitId, plan } of await at.journal())
      await at.server.deps.splits.noteStep(splitId, 'undoing', plan);

    assert.equal(await at.finish(), undefined);

    assert.deepEqual(await at.shown(), SPLIT);
    assert.deepEqual(await at.journal(), []);
    await at.server.close();
  });
});

describe('a split whose old series has ended', () => {
  const attendees = [{ email: 'guest@elsewhere.example' }];
  const invited = ({ server }: Awaited<ReturnType<typeof openSeries>>) =>
    server.provider.calls.filter((call) => call.startsWith('inviteLater')).length;
  const logged = ({ server }: Awaited<ReturnType<typeof openSeries>>, event: string) =>
    server.log.lines.filter((line) => line.includes(event)).length;

  it('invites the attendees and is done, though the deletion of a later exception is refused', async () => {
    const at = await openSeries({}, { attendees });
    for (const day of ['20261130', '20261207'])
      await at.send('PUT', { ...at.of(day), updateMode: 'this', location: 'Roof' });
    at.server.provider.keepsStrays = true;
    at.server.provider.failures.push({ call: 'delete', error: REFUSED });

    assert.equal((await at.split()).status, 200);

    assert.deepEqual([invited(at), logged(at, 'split_cleanup_refused')], [1, 1]);
    assert.deepEqual(await at.journal(), []);
    assert.equal(at.old().events.length, 2, 'The other exception is deleted');
    await at.server.close();
  });

  it('invites the attendees in the end, though its clean-up fails each time', async () => {
    const at = await openSeries({}, { attendees });
    at.fault.atStep = async (step) => {
      if (step === 'trimmed') throw new ProviderError('invalid_response', 'No');
    };
    await at.split();
    for (let runs = 1; runs <= 20; runs += 1) await at.finish();
    assert.equal(invited(at), 0);

    assert.equal(await at.finish(), undefined);

    assert.equal(invited(at), 1);
    assert.deepEqual(await at.journal(), []);
    await at.server.close();
  });

  it('is closed after ten unreadable responses to its invitations', async () => {
    const at = await openSeries({}, { attendees });
    const error = new ProviderError('invalid_response', 'No');
    for (let runs = 1; runs <= 10; runs += 1)
      at.server.provider.failures.push({ call: 'inviteLater', error });
    assert.equal((await at.split()).status, 200);
    for (let runs = 2; runs <= 9; runs += 1) assert.notEqual(await at.finish(), undefined);
    assert.equal((await at.journal()).length, 1);

    assert.equal(await at.finish(), undefined);

    assert.equal(logged(at, 'split_attendees_missing'), 1);
    assert.deepEqual(await at.journal(), []);
    await at.server.close();
  });

  it('is closed with a line in the log about the attendees when somebody deletes it', async () => {
    const at = await openSeries({}, { attendees });
    at.fault.at = 'trimmed';
    await at.split();
    at.fault.at = undefined;
    at.server.provider.remove(HOME, at.old().href);

    assert.equal(await at.finish(), undefined);

    assert.deepEqual([invited(at), logged(at, 'split_attendees_missing')], [0, 1]);
    await at.server.close();
  });
});

describe('a split of an account that is throttled', () => {
  const error = new ProviderError('rate_limited', 'Too many requests');

  for (const call of ['copyLater', 'update'])
    it(`is finished later, and nothing of it taken back: ${call}`, async () => {
      const at = await openSeries();
      const { lostAnswers, failures } = at.server.provider;
      (call === 'update' ? failures : lostAnswers).push({ call, error });

      assert.equal((await at.split()).status, 429);

      assert.equal(at.server.provider.resourcesOf(HOME).length, 2);
      assert.equal(await at.finish(), undefined);
      assert.deepEqual(await at.shown(), SPLIT);
      assert.deepEqual(await at.journal(), []);
      await at.server.close();
    });

  it('is not begun where nothing was written, and can be asked for again', async () => {
    const at = await openSeries();
    at.server.provider.failures.push({ call: 'copyLater', error });

    assert.equal((await at.split()).status, 429);
    assert.deepEqual(await at.journal(), []);

    assert.equal((await at.split()).status, 200);
    assert.deepEqual(await at.shown(), SPLIT);
    await at.server.close();
  });

  it('is finished later where nobody can look whether something was written', async () => {
    const at = await openSeries();
    at.server.provider.failures.push({ call: 'copyLater', error }, { call: 'findCreated', error });

    assert.equal((await at.split()).status, 429);

    assert.equal((await at.journal()).length, 1);
    assert.equal((await at.split()).status, 404, 'the first is finished before');
    assert.deepEqual(await at.shown(), SPLIT);
    assert.deepEqual(await at.journal(), []);
    await at.server.close();
  });
});

describe('a split that another process has finished meanwhile', () => {
  for (const end of ['trimmed', undefined])
    it(`keeps the later half when a request is refused here: ${end ?? 'closed'}`, async () => {
      const at = await openSeries();
      at.fault.atStep = async (step) => {
        if (step !== 'new series') return;
        at.server.clock.now += 100_000;
        const atStep = async (other: string) => assert.notEqual(other, end);
        const elsewhere = finishSplits(at.calendarKey, { ...at.server.deps, turns: new Map(), atStep });
        if (end === undefined) await elsewhere;
        else await assert.rejects(elsewhere);
        throw REFUSED;
      };

      assert.equal((await at.split()).status, 422);
      at.fault.atStep = async () => {};

      assert.equal(await at.finish(), undefined);
      assert.deepEqual(await at.shown(), SPLIT);
      assert.deepEqual(await at.journal(), []);
      await at.server.close();
    });
});

describe('a split that ended behind the trim', () => {
  it('keeps the later half where somebody deletes the earlier one', async () => {
    const at = await openSeries();
    at.fault.at = 'trimmed';
    await at.split();
    at.fault.at = undefined;
    at.server.provider.remove(HOME, at.old().href);

    assert.equal(await at.finish(), undefined);

    assert.deepEqual(await at.shown(), ['11-30 Later', '12-07 Later']);
    assert.deepEqual(await at.journal(), []);
    await at.server.close();
  });

  it('keeps the later half where somebody gives the earlier one another rule', async () => {
    const at = await openSeries();
    at.fault.at = 'trimmed';
    await at.split();
    at.fault.at = undefined;
    at.server.provider.put(HOME, withRule(at.old(), 'FREQ=WEEKLY;COUNT=2'));

    assert.equal(await at.finish(), undefined);

    assert.deepEqual(await at.shown(), SPLIT);
    assert.deepEqual(await at.journal(), []);
    await at.server.close();
  });
});

describe('a split that fails each time', () => {
  const fails = (at: Awaited<ReturnType<typeof openSeries>>, call: string, times: number) => {
    for (let i = 0; i < times; i += 1)
      at.server.provider.failures.push({ call, error: new ProviderError('invalid_response', 'No') });
  };

  it('stops no write of another event, and one of its own series for as long as it is tried', async () => {
    const at = await openSeries();
    fails(at, 'copyLater', 3);

    assert.equal((await at.split()).status, 502);
    const next = await at.send('POST', NEXT);
    const own = await at.send('PUT', { ...at.of('20261130'), updateMode: 'this', title: 'Own' });
    const again = await at.send('PUT', { ...at.of('20261130'), updateMode: 'this', title: 'Own' });

    assert.deepEqual([next.status, own.status, again.status], [200, 503, 404]);
    assert.deepEqual(await at.shown(), [...SPLIT, '01-01 Next'], 'finished as soon as it can be');
    assert.deepEqual(await at.journal(), []);
    await at.server.close();
  });

  it('is undone after ten runs', async () => {
    const at = await openSeries();
    fails(at, 'copyLater', 11);
    await at.split();

    for (let runs = 1; runs <= 10; runs += 1)
      assert.equal((await at.finish())?.kind, 'invalid_response', `run ${runs}`);
    assert.equal(await at.finish(), undefined);

    assert.deepEqual(await at.shown(), BEFORE);
    assert.deepEqual(await at.journal(), []);
    await at.server.close();
  });

  it('is not given up while the provider does not answer', async () => {
    const at = await openSeries();
    fails(at, 'copyLater', 1);
    await at.split();
    for (let runs = 1; runs <= 30; runs += 1) {
      at.server.provider.failures.push({ call: 'read', error: new ProviderError('unavailable', 'Down') });
      assert.equal((await at.finish())?.kind, 'unavailable', `run ${runs}`);
    }

    assert.equal(await at.finish(), undefined);

    assert.deepEqual(await at.shown(), SPLIT);
    await at.server.close();
  });

  it('is closed in the end when it cannot be undone either', async () => {
    const at = await openSeries();
    at.fault.at = 'undoing';
    at.server.provider.failures.push({ call: 'update', error: REFUSED });
    await at.split();
    at.fault.at = undefined;
    fails(at, 'delete', 100);

    for (let runs = 1; runs <= 20; runs += 1)
      assert.equal((await at.finish())?.kind, 'invalid_response', `run ${runs}`);

    assert.equal(await at.finish(), undefined);
    assert.deepEqual(await at.journal(), []);
    await at.server.close();
  });
});

describe('a split that the mirror has no room for', () => {
  it('is done all the same, and nothing undoes it later', async () => {
    const at = await openSeries({ quotas: { eventsPerCalendar: 1 } });

    const answer = await at.split();

    assert.deepEqual([answer.status, answer.body.code], [422, 'calendar_too_large']);
    assert.deepEqual(await at.journal(), []);
    at.server.provider.put(HOME, withRule(at.old(), 'FREQ=WEEKLY;COUNT=2'));
    assert.equal(await at.finish(), undefined);
    assert.equal(at.server.provider.resourcesOf(HOME).length, 2);
    await at.server.close();
  });
});
