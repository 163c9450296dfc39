/** Attendees of a split series whom the provider refuses after the old series has ended. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';

import { finishSplits } from '../../src/writing/finish-splits.ts';
import { get } from '../harness/calendar-server.ts';
import { openBench } from '../providers/provider-bench.ts';

const GUEST = 'guest@elsewhere.example';
const WEEKLY = {
  title: 'Weekly',
  start: '2027-01-04T09:00:00Z',
  end: '2027-01-04T10:00:00Z',
  recurrence: { frequency: 'WEEKLY', count: 4 },
  attendees: [{ email: GUEST }],
};

/** A series that is split while Google refuses to write its attendees. */
async function splitRefused(t: TestContext) {
  const bench = await openBench('google');
  t.after(() => bench.close());
  await bench.link({ scope: 'read-write' });
  await bench.read();
  const { server, calendarId, faults } = bench;
  const token = await server.token('read-write');
  const send = async (method: 'POST' | 'PUT', body: object) => {
    const payload = { provider: 'google', calendarId, ...body };
    const headers = { authorization: `Bearer ${token}` };
    const answer = await server.app.inject({ method, url: '/event', headers, payload });
    return { status: answer.statusCode, body: answer.json() };
  };
  const shown = async (): Promise<{ id: string; title: string; attendees: object[] }[]> => {
    bench.pass(60_000);
    return (await get(server, '/events?start=2027-01-01&end=2027-01-31', token)).json().events;
  };
  assert.equal((await send('POST', WEEKLY)).status, 200);
  const [, second] = await shown();
  // The first creates the new series, the second ends the old one.
  faults.set({ provider: 'google', operation: 'write', skip: 2, effect: { kind: 'status', status: 400 } });
  const answer = await send('PUT', { eventId: second?.id, updateMode: 'following', title: 'Later' });
  const [row] = await server.db.all<{ key: string }>('SELECT calendar_key AS key FROM split_journal');
  const finish = () => finishSplits(row?.key ?? '', server.deps);
  const steps = async () =>
    (await server.db.all<{ step: string }>('SELECT step FROM split_journal')).map(({ step }) => step);
  const guests = async () => (await shown()).map(({ title, attendees }) => `${title} ${attendees.length}`);
  return { bench, answer, finish, steps, guests, send, shown };
}

describe('a split whose attendees the provider refuses', () => {
  it('succeeds with the event as the provider has it, and the job invites them later', async (t) => {
    const { bench, answer, finish, steps, guests } = await splitRefused(t);

    assert.deepEqual([answer.status, answer.body.title, answer.body.attendees], [200, 'Later', []]);
    assert.deepEqual(await steps(), ['inviting']);
    bench.faults.clear();
    assert.equal(await finish(), undefined);

    assert.deepEqual(await steps(), []);
    assert.deepEqual(await guests(), ['Weekly 1', 'Later 1', 'Later 1', 'Later 1']);
  });

  it('is closed after ten refusals, and the log names the new series', async (t) => {
    const { bench, answer, finish, steps, guests } = await splitRefused(t);

    for (let refusals = 1; refusals < 9; refusals += 1) assert.notEqual(await finish(), undefined);
    assert.deepEqual(await steps(), ['inviting']);
    assert.equal(await finish(), undefined);

    assert.deepEqual(await steps(), []);
    assert.deepEqual(await guests(), ['Weekly 1', 'Later 0', 'Later 0', 'Later 0']);
    const lines = bench.server.log.lines.filter((line) => line.includes('split_attendees_missing'));
    assert.equal(lines.length, 1);
    const [href = ''] = String(answer.body.id).split('_');
    assert.ok(lines.some((line) => line.includes(href)));
  });

  it('takes no change of the new series until its attendees are invited, and changes of others at once', async (t) => {
    const { bench, send, shown } = await splitRefused(t);
    bench.faults.clear();
    bench.fault({ kind: 'status', status: 503 }, 'write', 1);
    const [first, later] = await shown();

    const blocked = await send('PUT', { eventId: later?.id, updateMode: 'all', location: 'Roof' });
    const retried = await send('PUT', { eventId: later?.id, updateMode: 'all', location: 'Roof' });
    const other = await send('PUT', { eventId: first?.id, updateMode: 'all', location: 'Hall' });

    assert.deepEqual([blocked.status, retried.status, other.status], [503, 200, 200]);
    assert.equal(retried.body.attendees.length, 1);
  });
});
