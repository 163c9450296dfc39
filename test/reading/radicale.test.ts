/** Reading through the mirror from an independent CalDAV server: Debian's Radicale. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { createEgress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import {
  type CalendarServer,
  collectingLog,
  get,
  link,
  openCalendarServer,
} from '../harness/calendar-server.ts';
import { basic, type CalDavServer, USERS } from '../servers/process.ts';
import { RADICALE, startRadicale } from '../servers/radicale.ts';

const skip = existsSync(RADICALE) ? false : 'Radicale is not installed';

const vevent = (uid: string, ...lines: string[]) =>
  ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20261101T000000Z', ...lines, 'END:VEVENT'].join('\r\n');
const vcalendar = (...events: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...events, 'END:VCALENDAR', ''].join('\r\n');

describe('a calendar on Radicale', { skip }, () => {
  let radicale: CalDavServer;
  let server: CalendarServer;
  let token: string;
  before(async () => {
    radicale = await startRadicale(['work', 'home']);
    await put(
      'single',
      vevent('single', 'SUMMARY:Single', 'DTSTART:20261110T090000Z', 'DTEND:20261110T100000Z'),
    );
    await put(
      'weekly',
      vevent(
        'weekly',
        'SUMMARY:Weekly',
        'DTSTART;TZID=Europe/Paris:20261005T090000',
        'DTEND;TZID=Europe/Paris:20261005T100000',
        'RRULE:FREQ=WEEKLY',
        'EXDATE;TZID=Europe/Paris:20261109T090000',
      ),
      vevent(
        'weekly',
        'SUMMARY:Weekly moved',
        'RECURRENCE-ID;TZID=Europe/Paris:20261116T090000',
        'DTSTART;TZID=Europe/Paris:20261117T110000',
        'DTEND;TZID=Europe/Paris:20261117T120000',
      ),
    );
    const log = collectingLog();
    const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    const caldav = caldavProvider({ egress, log, now: () => server.clock.now });
    server = await openCalendarServer({ caldav });
    const password = USERS.ada ?? '';
    const { accountId, display, credentials } = await caldav.signIn.verify({
      server: radicale.typed,
      username: 'ada',
      password,
    });
    await link(server, { accountId, display, credentials });
    token = await server.token();
  });
  after(async () => {
    await server?.close();
    await radicale?.stop();
  });

  const address = (name: string) => `${radicale.calendarUrl('ada', 'work')}${name}.ics`;
  const put = async (name: string, ...events: string[]) => {
    const answer = await fetch(address(name), {
      method: 'PUT',
      headers: { authorization: basic('ada'), 'content-type': 'text/calendar' },
      body: vcalendar(...events),
    });
    assert.ok(answer.ok, `PUT ${answer.status}`);
  };
  const read = async () => {
    const answer = await get(server, '/events', token);
    assert.equal(answer.statusCode, 200, answer.body);
    const { events, errors } = answer.json();
    assert.equal(errors, undefined, answer.body);
    return events.map(({ title, start }: Record<string, string>) => `${start} ${title}`);
  };
  const weekly = [
    '2026-11-02T08:00:00.000Z Weekly',
    '2026-11-17T10:00:00.000Z Weekly moved',
    '2026-11-23T08:00:00.000Z Weekly',
    '2026-11-30T08:00:00.000Z Weekly',
  ];

  it('a calendar on Radicale is listed, with its events in their zones, exceptions kept', async () => {
    const calendars = (await get(server, '/calendars', token)).json();

    assert.deepEqual(calendars.map(({ id }: { id: string }) => id).sort(), [
      radicale.calendarUrl('ada', 'home'),
      radicale.calendarUrl('ada', 'work'),
    ]);
    assert.deepEqual(await read(), [weekly[0], '2026-11-10T09:00:00.000Z Single', ...weekly.slice(1)]);
  });

  it('a calendar on Radicale is followed: what is added, changed and deleted there shows here', async () => {
    await put(
      'single',
      vevent('single', 'SUMMARY:Changed', 'DTSTART:20261111T090000Z', 'DTEND:20261111T100000Z'),
    );
    await put(
      'new',
      vevent('new', 'SUMMARY:New', 'DTSTART;VALUE=DATE:20261112', 'DTEND;VALUE=DATE:20261113'),
    );
    server.clock.now += 11_000;
    const changed = await read();

    await fetch(address('new'), { method: 'DELETE', headers: { authorization: basic('ada') } });
    server.clock.now += 11_000;
    const deleted = await read();

    const single = '2026-11-11T09:00:00.000Z Changed';
    assert.deepEqual(changed, [weekly[0], single, '2026-11-12T00:00:00.000Z New', ...weekly.slice(1)]);
    assert.deepEqual(deleted, [weekly[0], single, ...weekly.slice(1)]);
  });
});
