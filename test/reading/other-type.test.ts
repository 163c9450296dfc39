/** Exceptions that name occurrences by a date in a timed series, as Google keeps them when an all-day series gets times. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { CalendarEvent } from '../../src/calendars/event.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const HOME = '/home/';
const date = (day: string) => ({ type: 'date', date: `2026-11-${day}` }) as const;
const at = (day: string) =>
  ({ type: 'zoned', local: `2026-11-${day}T09:00:00`, zone: 'Europe/Paris' }) as const;
const weekly = { rrules: ['FREQ=WEEKLY;COUNT=4'], rdates: [], exdates: [] };
const allDay = (day: string, change: Partial<CalendarEvent>) =>
  event('2026-11-02T09:00:00', { start: date(day), end: date(String(Number(day) + 1)), ...change });

describe('an exception of the type that its series had before', () => {
  let server: CalendarServer;
  let token: string;
  beforeEach(async () => {
    server = await openCalendarServer();
    server.provider.addCalendar(calendar(HOME));
    server.provider.put(
      HOME,
      resource(
        'weekly',
        event('2026-11-02T09:00:00', { recurrence: weekly }),
        event('2026-11-09T11:00:00', { title: 'Later', recurrenceId: at('09') }),
        allDay('10', { title: 'Superseded', recurrenceId: date('09') }),
        allDay('16', { status: 'cancelled', recurrenceId: date('16') }),
        allDay('24', { title: 'Moved', recurrenceId: date('23') }),
      ),
    );
    await link(server);
    token = await server.token('read-write');
  });
  afterEach(() => server.close());

  const ask = async (url: string) => (await get(server, url, token)).json();
  const one = (id: string) => ask(`/event?provider=caldav&calendarId=${HOME}&eventId=${id}`);

  it('is ignored if it is cancelled or has a successor, and counts otherwise, in all reads', async () => {
    const { events } = await ask('/events?start=2026-11-01&end=2026-12-01');
    assert.deepEqual(
      events.map(({ id, title }: Record<string, string>) => `${id} ${title}`),
      [
        'weekly_20261102T080000Z Meeting',
        'weekly_20261109T080000Z Later',
        'weekly_20261116T080000Z Meeting',
        'weekly_20261123T080000Z Moved',
      ],
    );
    for (const each of events) assert.deepEqual(await one(each.id), each);

    const { changes } = await ask('/events/changes?initial=true');
    assert.deepEqual(changes[0].event.overrides, [events[1], events[3]]);
    assert.deepEqual(changes[0].event.cancelledInstances, []);
    const busy = await ask('/free-busy?start=2026-11-16T00:00:00Z&end=2026-11-17T00:00:00Z');
    assert.equal(busy.busy.length, 1);
  });

  const update = async (eventId: string, updateMode: string) => {
    const answer = await server.app.inject({
      method: 'PUT',
      url: '/event',
      headers: { authorization: `Bearer ${token}` },
      payload: { provider: 'caldav', calendarId: HOME, eventId, updateMode, title: 'Special' },
    });
    assert.equal(answer.statusCode, 200, answer.body);
  };

  it('does not keep its occurrence from being written', async () => {
    await update('weekly_20261116T080000Z', 'this');

    assert.equal((await one('weekly_20261116T080000Z')).title, 'Special');
  });

  it('takes no occurrence away when the series is split', async () => {
    await update('weekly_20261109T080000Z', 'following');

    const { events } = await ask('/events?start=2026-11-01&end=2026-12-01');
    const starts = events.map(({ start, title }: Record<string, string>) => `${start} ${title}`);
    assert.ok(starts.includes('2026-11-16T08:00:00.000Z Special'), starts.join('\n'));
  });
});
