/** Contract tests for StoredEvents. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { CalendarEvent } from '../../src/calendars/event.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { calendar, event, fill, mirrorWith, resource } from './mirror-rows.ts';

const RICH: CalendarEvent = event('2026-11-16T09:00:00', {
  title: 'Rich "title"',
  description: 'Words',
  location: 'Here',
  color: '#ff0000',
  conference: 'https://meet.example/a',
  custom: { a: [1, null] },
  availability: 'free',
  privacy: 'private',
  status: 'tentative',
  attendees: [{ email: 'a@example.com', name: 'A', status: 'accepted' }],
  link: 'https://cal.example/1',
  lastModified: Date.UTC(2026, 10, 1),
});
const original = (local: string) => ({ recurrenceId: event(local).start });

export function storedEventsContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const filled = await mirrorWith(await open(), calendar('/home/'));
    return { ...filled, stored: filled.storedEvents };
  };

  describe(`StoredEvents on ${database}`, () => {
    it('answers an event as it was synced', async () => {
      const { mirror, calendarKey, stored } = await prepare();
      await fill(mirror, calendarKey, resource('rich', RICH));

      const [event, ...others] = await stored.findEvents(calendarKey, 'rich');

      assert.deepEqual(event?.event, RICH);
      assert.deepEqual([event?.href, event?.etag, event?.eventId], ['/rich.ics', '"rich"', 'rich']);
      assert.deepEqual(others, []);
      assert.deepEqual(await stored.findEvents(calendarKey, 'poor'), []);
    });

    it('answers the provider’s own object of a conference, also of an event that was stored without it', async () => {
      const { db, mirror, calendarKey, stored } = await prepare();
      const conference = 'https://meet.google.com/abc-defg-hij';
      const meeting = { ...RICH, conference, conferenceData: { conferenceId: 'abc-defg-hij' } };
      await fill(mirror, calendarKey, resource('meet', meeting));
      const found = async () => (await stored.findEvents(calendarKey, 'meet'))[0];
      const now = await found();
      const own = '"original":{"conferenceId":"abc-defg-hij"}';
      const url = `"url":"${conference}"`;
      await db.write("UPDATE event SET content = REPLACE(content, :added, '')", { added: `,${url},${own}` });

      const before = await found();
      assert.deepEqual(now?.event, meeting);
      assert.doesNotMatch(String(before?.content), /"original"/);
      assert.deepEqual(before?.event, meeting);
    });

    it('answers a series whole, its master first, cancelled overrides among it', async () => {
      const { mirror, calendarKey, stored } = await prepare();
      const recurrence = { rrules: ['FREQ=DAILY'], rdates: [], exdates: [] };
      const master = event('2026-11-16T09:00:00', { recurrence });
      const moved = event('2026-11-18T11:00:00', original('2026-11-17T09:00:00'));
      const gone = event('2026-11-19T09:00:00', { ...original('2026-11-19T09:00:00'), status: 'cancelled' });
      await fill(mirror, calendarKey, resource('daily', moved, master, gone));

      const events = await stored.findEvents(calendarKey, 'daily');

      assert.deepEqual(
        events.map((one) => one.event),
        [master, moved, gone],
      );
    });

    it('finds the series by its master and by an override that is a resource of its own', async () => {
      const { mirror, calendarKey, stored } = await prepare();
      const recurrence = { rrules: ['FREQ=DAILY'], rdates: [], exdates: [] };
      const apart = event('2026-11-18T11:00:00', original('2026-11-17T09:00:00'));
      const instanceId = 'daily_20261117T080000Z';
      await fill(
        mirror,
        calendarKey,
        { ...resource('daily', event('2026-11-16T09:00:00', { recurrence })), href: 'daily' },
        { ...resource('apart', apart), href: 'apart', seriesId: 'daily' },
      );

      for (const id of ['daily', instanceId]) {
        const events = await stored.findEvents(calendarKey, id);
        assert.deepEqual(
          events.map(({ href, eventId, seriesId }) => [href, eventId, seriesId]),
          [
            ['daily', 'daily', 'daily'],
            ['apart', instanceId, 'daily'],
          ],
        );
        assert.deepEqual(events[1]?.event, apart);
      }
    });
  });
}
