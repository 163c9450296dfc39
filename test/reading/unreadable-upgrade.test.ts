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
import { calendarObject } from '../servers/icalendar.ts';
import { OddCalDav } from '../servers/odd-caldav.ts';
import { USERS } from '../servers/process.ts';
import { UPGRADED_OBJECTS } from './upgraded-objects.ts';

const MIGRATION = new URL('../../src/store/migrations/0052-unreadable-events.sql', import.meta.url);
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
      for (const [name, events] of Object.entries(UPGRADED_OBJECTS))
        dav.put(`${name}.ics`, calendarObject(...events));
      feed.say(calendarObject(...Object.values(UPGRADED_OBJECTS).flat()));
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
