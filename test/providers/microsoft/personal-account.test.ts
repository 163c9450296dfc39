/** A personal account of Microsoft's, read over HTTP through the real adapter. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { get, link, openCalendarServer } from '../../harness/calendar-server.ts';
import { APP, movableTime, startSandbox } from '../sandbox-provider.ts';

const HAL = { email: 'hal@outlook.com', name: 'Hal' };
const HOUR = 3_600_000;
const at = (hour: number) => ({ dateTime: `2026-11-16T${hour}:00:00`, timeZone: 'UTC' });

describe('a personal account of Microsoft’s', () => {
  it('still works after its access expired, though Microsoft refuses its refresh token at common', async (t) => {
    const time = movableTime(Date.UTC(2026, 10, 15, 12));
    const started = await startSandbox('microsoft', time);
    t.after(() => started.close());
    const { manual, provider, faults, sandbox } = started;
    const { signIn } = provider;
    assert.ok(signIn.method === 'redirect');
    const microsoft = { ...provider, signIn };
    const server = await openCalendarServer({ microsoft, apps: { microsoft: APP }, clock: time });
    t.after(() => server.close());
    await manual.addPerson(HAL);
    const calendarId = await manual.addCalendar(HAL.email, { title: 'Calendar', timeZone: 'UTC' });
    await manual.createEvent(HAL.email, calendarId, { title: 'Pod bay', start: at(10), end: at(11) });
    await link(server, { provider: 'microsoft', ...(await started.signIn(HAL.email)) });
    faults.set({ provider: 'microsoft', operation: 'token', effect: { kind: 'common_refused' } });
    const tokens = sandbox.requests('token');

    time.now += 2 * HOUR;
    const answer = await get(server, '/events?start=2026-11-16&end=2026-11-17', await server.token());

    const { events, errors } = answer.json();
    assert.deepEqual([events.map(({ title }: { title: string }) => title), errors], [['Pod bay'], undefined]);
    assert.equal(sandbox.requests('token'), tokens + 1);
  });
});
