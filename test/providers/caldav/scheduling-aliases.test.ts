/** People are invited under several addresses (RFC 6638 §2.4.1), by people of other servers too. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type CalDavSandbox, caldavSandbox } from '../../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { faultBoard } from '../../../sandbox/core/faults.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../../harness/calendar-server.ts';
import { adapterDeps, movableTime, signInByPassword } from '../sandbox-provider.ts';

const ADA = { email: 'ada@people.example', name: 'Ada', password: 'secret' };
const ALIAS = 'countess@people.example';
const EVE = { email: 'eve@elsewhere.example', name: 'Eve' };
const at = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const WEEKLY = {
  start: at('2027-01-04T09:00:00'),
  end: at('2027-01-04T10:00:00'),
  recurrence: { frequency: 'weekly', count: 3 },
  attendees: [{ email: ALIAS }, { email: 'bob@elsewhere.example' }],
  organizer: EVE,
} as const;

describe('an invitation under another address of the account', () => {
  const adapter = adapterDeps(movableTime(Date.now()));
  let sandbox: CalDavSandbox;
  let server: CalendarServer;
  let token: string;
  let calendarId: string;
  before(async () => {
    sandbox = await caldavSandbox({
      kind: 'caldav',
      clock: sandboxClock(),
      faults: faultBoard(),
      schedules: true,
    });
    await sandbox.manual.addPerson(ADA);
    sandbox.addAlias(ADA.email, ALIAS);
    calendarId = await sandbox.manual.addCalendar(ADA.email, { title: 'Work', timeZone: 'Europe/Berlin' });
    const caldav = caldavProvider(adapter);
    server = await openCalendarServer({ caldav, clock: { now: Date.now() } });
    const login = { server: sandbox.origin, username: ADA.email, password: ADA.password };
    await link(server, await signInByPassword(caldav, login));
    token = await server.token();
    await get(server, '/calendars', token);
  });
  after(async () => {
    await server?.close();
    await sandbox?.close();
    await adapter.egress.close();
  });

  async function invited(title: string) {
    sandbox.invite(ADA.email, { ...WEEKLY, title, uid: title });
    server.clock.now += 60_000;
    const answer = await get(server, '/events?start=2027-01-01&end=2027-02-01', token);
    const events: { id: string; title: string; recurringEventId: string }[] = answer.json().events;
    const [first, second] = events.filter((event) => event.title === title);
    assert.ok(first && second, answer.body);
    return { series: first.recurringEventId, second: second.id };
  }
  async function send(method: 'POST' | 'PUT', url: string, body: object) {
    const before = sandbox.sent().length;
    const answer = await server.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      payload: { provider: 'caldav', calendarId, ...body },
    });
    return { status: answer.statusCode, body: answer.json(), sent: sandbox.sent().slice(before) };
  }

  it('an answer is given as that address, to the organizer at another server', async () => {
    const { series } = await invited('All of it');

    const { status, sent } = await send('POST', '/event/rsvp', { eventId: series, response: 'tentative' });

    assert.equal(status, 200);
    assert.deepEqual(
      sent.map(({ method, from, to, by }) => [method, from, to, by]),
      [['REPLY', ALIAS, EVE.email, 'mail']],
    );
    assert.match(sent[0]?.icalendar ?? '', /PARTSTAT=TENTATIVE/);
  });

  it('an answer for one instance is of that instance', async () => {
    const { second } = await invited('Once');

    const { status, sent } = await send('POST', '/event/rsvp', { eventId: second, response: 'declined' });

    assert.equal(status, 200);
    const [reply, ...others] = sent;
    assert.deepEqual(others, []);
    assert.match(reply?.icalendar ?? '', /RECURRENCE-ID;TZID=Europe\/Berlin:20270111T090000/);
    assert.match(reply?.icalendar ?? '', /PARTSTAT=DECLINED/);
  });

  it('what is the organizer’s is refused to a guest under any address', async () => {
    const { series } = await invited('Not hers');

    const { status, body, sent } = await send('PUT', '/event', { eventId: series, title: 'Mine' });

    assert.deepEqual([status, body.code, sent], [422, 'organizer_only', []]);
  });
});
