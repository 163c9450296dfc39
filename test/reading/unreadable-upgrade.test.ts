/** A database of the version before unreadable events were reported: what its first sync afterwards reads, and reports. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';

import { createEgress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import {
  collectingLog,
  get,
  link,
  makeUsers,
  openCalendarServer,
  START,
} from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { FeedServer } from '../servers/feed-server.ts';
import { calendarObject, vevent } from '../servers/icalendar.ts';
import { OddCalDav } from '../servers/odd-caldav.ts';
import { USERS } from '../servers/process.ts';

const MIGRATION = new URL('../../src/store/migrations/0052-unreadable-events.sql', import.meta.url);
const series = (name: string, ...override: string[]) => [
  vevent(name, name, 'DTSTART:20261110T090000Z', 'DTEND:20261110T100000Z', 'RRULE:FREQ=DAILY;COUNT=5'),
  ...(override.length > 0
    ? [vevent(name, `${name} changed`, 'RECURRENCE-ID:20261112T090000Z', ...override)]
    : []),
];
/** By name: `changed` is read otherwise than before, `broken` reported, and the others are neither. */
const OBJECTS = {
  plain: series('plain'),
  moved: series('moved', 'DTSTART:20261112T120000Z', 'DTEND:20261112T130000Z'),
  broken: series('broken', 'DTSTART:never'),
  changed: series('changed', 'STATUS:CANCELLED').map((text) =>
    text.replace('DTSTART:20260105T090000Z\r\nDTEND:20260105T100000Z\r\n', ''),
  ),
  week: [vevent('week', 'week', 'DTSTART:20261110T090000Z').replace(/DTEND.*\r\n/, 'DURATION:PT1W\r\n')],
  offset: [vevent('offset', 'offset', 'DTSTART:20261110T090000Z', 'DTEND:20261110T110000+0100')],
  iso: [vevent('iso', 'iso', 'DTSTART:20261110T090000Z', 'DTEND:2026-11-10T11:00:00+01:00')],
  list: series('list').map((text) =>
    text.replace('RRULE:', 'EXDATE:20261111T090000T,20261112T090000T\r\nRRULE:'),
  ),
  long: [
    vevent('long', 'long', 'DTSTART:20261110T090000Z').replace(/DTEND.*\r\n/, 'DURATION;X-A=1:PT100W\r\n'),
  ],
};

type Change = { readonly event: { readonly title: string }; readonly changeType: string };

/** Restores the state of the previous version: no columns, no reasons, and no override without a DTSTART. */
async function asBefore(db: Database): Promise<void> {
  await db.script(
    `DROP INDEX event_unreadable;
     ALTER TABLE event DROP COLUMN unreadable;
     ALTER TABLE calendar DROP COLUMN unreadable;
     DELETE FROM event WHERE recurrence_id <> '' AND uid = 'changed';
     UPDATE calendar SET sync_token = REPLACE(sync_token, '{"v":2', '{"v":1')`,
    async () => {},
  );
}

onEachDatabase((database, open) => {
  describe(`an upgrade to reported unreadable events on ${database}`, () => {
    async function upgraded(t: TestContext) {
      const [dav, feed, db] = [new OddCalDav(), new FeedServer(), await open()];
      await Promise.all([dav.start(), feed.start()]);
      const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
      const clock = { now: START };
      const caldav = caldavProvider({
        ...{ egress, log: collectingLog(), now: () => clock.now, feedKey: Buffer.alloc(32, 1) },
      });
      const server = await openCalendarServer({ db, caldav, clock });
      t.after(async () => {
        await server.close();
        await egress.close();
        await Promise.all([dav.stop(), feed.stop()]);
      });
      await makeUsers(server.deps, START);
      for (const [name, events] of Object.entries(OBJECTS)) dav.put(`${name}.ics`, calendarObject(...events));
      feed.say(calendarObject(...Object.values(OBJECTS).flat()));
      const linked = await caldav.signIn.verifyAddress?.(feed.address);
      assert.ok(linked);
      await link(server, linked);
      const { origin } = dav;
      const collections = {
        principal: `${origin}/principal/`,
        homes: [`${origin}/dav/ada/`],
        origins: [origin],
      };
      const credentials = { username: 'ada', password: USERS.ada ?? '', ...collections };
      await link(server, { accountId: 'dav', credentials });
      const token = await server.token();
      const read = async (path: string) => (await get(server, path, token)).json();
      await read('/events');
      const { cursor } = await read('/events/changes');
      await asBefore(db);
      await db.script(await readFile(MIGRATION, 'utf8'), async () => {});
      return { server, db, dav, read, cursor };
    }

    it('forgets the versions of those objects alone that may be read otherwise', async (t) => {
      const { db } = await upgraded(t);

      const rows = await db.all<{ uid: string }>(
        'SELECT DISTINCT uid FROM event WHERE etag IS NULL ORDER BY uid',
      );
      assert.deepEqual(
        rows.map(({ uid }) => uid),
        ['broken', 'changed', 'iso', 'list', 'long', 'offset', 'week'],
      );
    });

    it('reports as changed only the events that are read otherwise, and names the unreadable ones', async (t) => {
      const { server, read, cursor } = await upgraded(t);
      server.clock.now += 11_000;

      const { errors } = await read('/events');

      const named = errors.map(({ code, eventIds }: Record<string, unknown>) => [code, eventIds]);
      assert.deepEqual(named.sort(), [
        ['event_unreadable', ['broken']],
        ['event_unreadable', ['broken.ics']],
      ]);
      const { changes } = await read(`/events/changes?cursor=${encodeURIComponent(cursor)}`);
      const titles = changes.map(({ event, changeType }: Change) => [event.title, changeType]);
      assert.deepEqual(titles, [
        ['changed', 'updated'],
        ['changed', 'updated'],
      ]);
    });
  });
});
