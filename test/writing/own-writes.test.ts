/** A write of the application is its own: the sync that follows finds nothing new, on CalDAV servers that others wrote. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { get, link } from '../harness/calendar-server.ts';
import { counterpart } from '../harness/counterpart.ts';
import { adapterDeps, movableTime, signInByPassword } from '../providers/sandbox-provider.ts';
import { type ManagedCalDavServer, USERS } from '../servers/process.ts';
import { RADICALE, startRadicale } from '../servers/radicale.ts';
import { startXandikos, XANDIKOS } from '../servers/xandikos.ts';
import { type DeliveryServer, openDeliveryServer } from '../webhooks/delivery-server.ts';

const SERVERS = [
  { name: 'Radicale', program: RADICALE, start: startRadicale },
  { name: 'Xandikos', program: XANDIKOS, start: startXandikos },
];
const TIMES = { start: '2027-01-04T09:00:00Z', end: '2027-01-04T10:00:00Z', timeZone: 'Europe/Paris' };
/** Two lines, one of which is folded. */
const DESCRIPTION = `First line\nSecond line ${'and more of it '.repeat(10)}`;

for (const { name, program, start } of SERVERS)
  describe(`writes of the application on ${name}`, counterpart(name, program), () => {
    const adapter = adapterDeps(movableTime(Date.now()));
    let calendars: ManagedCalDavServer;
    let site: DeliveryServer;
    let token: string;
    before(async () => {
      calendars = await start(['work']);
      const caldav = caldavProvider(adapter);
      site = await openDeliveryServer({ server: { caldav } });
      const login = { server: calendars.typed, username: 'ada', password: USERS.ada ?? '' };
      await link(site.server, await signInByPassword(caldav, login));
      token = await site.server.token();
      await sync();
    });
    after(async () => {
      await site?.close();
      await adapter.egress.close();
      await calendars?.stop();
    });
    beforeEach(() => {
      site.receiver.received.length = 0;
    });

    const sync = async () => {
      await site.sync();
      await site.deliver();
    };
    const read = async (url: string) => (await get(site.server, url, token)).json();
    const calendar = () => calendars.calendarUrl('ada', 'work');
    const write = async (method: 'POST' | 'PUT' | 'DELETE', body: object) => {
      const headers = { authorization: `Bearer ${token}` };
      const payload = { provider: 'caldav', calendarId: calendar(), ...body };
      const answer = await site.server.app.inject({ method, url: '/event', headers, payload });
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json();
    };
    /** Runs the write, then a sync; what the sync reports. */
    const reportedAfter = async (method: 'POST' | 'PUT' | 'DELETE', body: object) => {
      const event = await write(method, body);
      const { cursor } = await read('/events/changes');
      await sync();
      const { changes } = await read(`/events/changes?cursor=${encodeURIComponent(cursor)}`);
      return { event, reported: { changes, deliveries: site.receiver.received.map(({ body }) => body) } };
    };
    const NOTHING = { changes: [], deliveries: [] };

    it(`the sync after an event was created, changed and deleted on ${name} reports nothing`, async () => {
      const created = await reportedAfter('POST', { title: 'One', description: DESCRIPTION, ...TIMES });
      const eventId = created.event.id;
      const changed = await reportedAfter('PUT', { eventId, title: 'Two' });
      const deleted = await reportedAfter('DELETE', { eventId });

      assert.deepEqual([created.reported, changed.reported, deleted.reported], [NOTHING, NOTHING, NOTHING]);
    });
  });
