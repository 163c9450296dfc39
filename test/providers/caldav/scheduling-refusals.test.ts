/** Every way in which a write is refused at CalDAV: it has sent nothing to the server by then, and so nothing to anybody. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { type CalDavSandbox, caldavSandbox } from '../../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { faultBoard } from '../../../sandbox/core/faults.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../../harness/calendar-server.ts';
import { calendarObject, vevent } from '../../servers/icalendar.ts';
import { basic } from '../../servers/process.ts';
import { adapterDeps, movableTime, signInByPassword } from '../sandbox-provider.ts';

const ADA = { email: 'ada@people.example', name: 'Ada', password: 'secret' };
const EVE = { email: 'eve@elsewhere.example', name: 'Eve' };
const at = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const MORNING = { start: at('2027-01-04T09:00:00'), end: at('2027-01-04T10:00:00') };
const FOUR = { frequency: 'weekly', count: 4 } as const;
const STARTS = { start: '2027-01-04T08:00:00Z', end: '2027-01-04T09:00:00Z' };

/** Objects that another program wrote. */
const OBJECTS = {
  imported: calendarObject(
    vevent(
      'imported',
      'Imported',
      'DTSTART:20270104T080000Z',
      'DTEND:20270104T090000Z',
      `ORGANIZER:mailto:${EVE.email}`,
    ),
  ),
  onwards: calendarObject(
    vevent(
      'onwards',
      'Onwards',
      'DTSTART:20270104T080000Z',
      'DTEND:20270104T090000Z',
      'RRULE:FREQ=WEEKLY;COUNT=4',
    ),
    vevent(
      'onwards',
      'Changed onwards',
      'RECURRENCE-ID;RANGE=THISANDFUTURE:20270111T080000Z',
      'DTSTART:20270111T090000Z',
      'DTEND:20270111T100000Z',
    ),
  ),
  alone: calendarObject(
    vevent(
      'alone',
      'Alone',
      'RECURRENCE-ID:20270111T080000Z',
      'DTSTART:20270111T080000Z',
      'DTEND:20270111T090000Z',
    ),
  ),
};

type Method = 'POST' | 'PUT' | 'DELETE';
type Refusal = {
  readonly rule: string;
  readonly method?: Method;
  readonly path?: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly code: string;
};

const ORGANIZER = { status: 422, code: 'organizer_only' };
const READ_ONLY = { status: 422, code: 'calendar_read_only' };
const MODE = { status: 422, code: 'mode_not_supported_by_provider' };
const INVALID = { status: 400, code: 'invalid_request' };
const GONE = { status: 404, code: 'event_not_found' };
const NEW = { title: 'New', ...STARTS };

const REFUSALS: readonly Refusal[] = [
  { rule: 'another title of an invitation', body: { eventId: 'Invitation', title: 'Mine' }, ...ORGANIZER },
  {
    rule: 'another time of an invitation',
    body: { eventId: 'Invitation', ...STARTS, end: '2027-01-04T11:00:00Z' },
    ...ORGANIZER,
  },
  {
    rule: 'another guest of an invitation',
    body: { eventId: 'Invitation', attendees: [{ email: 'bob@elsewhere.example' }] },
    ...ORGANIZER,
  },
  {
    rule: 'an invitation made a series',
    body: { eventId: 'Invitation', recurrence: { frequency: 'DAILY', count: 3 } },
    ...ORGANIZER,
  },
  {
    rule: 'another title of all that somebody else invited to',
    body: { eventId: 'Invitations', updateMode: 'all', title: 'Mine' },
    ...ORGANIZER,
  },
  {
    rule: 'another title of one instance that somebody else invited to',
    body: { eventId: 'Invitations on 0118', updateMode: 'this', title: 'Mine' },
    ...ORGANIZER,
  },
  {
    rule: 'a split of a series that somebody else invited to',
    body: { eventId: 'Invitations on 0118', updateMode: 'following', title: 'Mine' },
    ...ORGANIZER,
  },
  {
    rule: 'a split that changes only what is the guest’s own',
    body: { eventId: 'Invitations on 0118', updateMode: 'following', availability: 'free' },
    ...ORGANIZER,
  },
  {
    rule: 'an earlier end of a series that somebody else invited to',
    method: 'DELETE',
    body: { eventId: 'Invitations on 0118', deleteMode: 'following' },
    ...ORGANIZER,
  },
  {
    rule: 'an invitation to somebody else’s event that was imported',
    body: { eventId: 'Imported', attendees: [{ email: 'bob@elsewhere.example' }] },
    ...ORGANIZER,
  },
  {
    rule: 'an answer of somebody who is not invited',
    method: 'POST',
    path: '/event/rsvp',
    body: { eventId: 'Imported', response: 'accepted' },
    status: 422,
    code: 'field_not_supported_by_provider',
  },
  {
    rule: 'a new event in a calendar that can only be read',
    method: 'POST',
    body: { calendar: 'theirs', ...NEW },
    ...READ_ONLY,
  },
  {
    rule: 'a change in a calendar that can only be read',
    body: { calendar: 'theirs', eventId: 'Own', title: 'Mine' },
    ...READ_ONLY,
  },
  {
    rule: 'a deletion in a calendar that can only be read',
    method: 'DELETE',
    body: { calendar: 'theirs', eventId: 'Own' },
    ...READ_ONLY,
  },
  {
    rule: 'a split after another program’s change of all later instances',
    body: { eventId: 'Onwards on 0118', updateMode: 'following', title: 'Mine' },
    ...MODE,
  },
  {
    rule: 'one instance that another program changed with all later ones',
    body: { eventId: 'Onwards on 0111', updateMode: 'this', title: 'Mine' },
    ...MODE,
  },
  {
    rule: 'later instances of a series that the calendar does not have',
    body: { eventId: 'Alone on 0111', updateMode: 'following', title: 'Mine' },
    ...MODE,
  },
  {
    rule: 'a rule for one instance',
    body: { eventId: 'Own on 0118', updateMode: 'this', recurrence: { frequency: 'DAILY', count: 2 } },
    ...INVALID,
  },
  {
    rule: 'a rule that cannot be',
    method: 'POST',
    body: { ...NEW, recurrence: { frequency: 'SECONDLY' } },
    ...INVALID,
  },
  {
    rule: 'a rule that ends before the event',
    method: 'POST',
    body: { ...NEW, recurrence: { frequency: 'DAILY', until: '20260101T000000Z' } },
    ...INVALID,
  },
  {
    rule: 'an end before the start',
    method: 'POST',
    body: { ...NEW, end: '2027-01-03T08:00:00Z' },
    ...INVALID,
  },
  {
    rule: 'a single instance of a whole series',
    body: { eventId: 'Own', updateMode: 'this', title: 'Mine' },
    ...INVALID,
  },
  {
    rule: 'a change of an instance that was deleted',
    body: { eventId: 'Own on 0111', updateMode: 'this', title: 'Mine' },
    ...GONE,
  },
  { rule: 'a change of an event that is not there', body: { eventId: 'nothing', title: 'Mine' }, ...GONE },
  {
    rule: 'a deletion of an event that is not there',
    method: 'DELETE',
    body: { eventId: 'nothing' },
    ...GONE,
  },
  {
    rule: 'a change of another version',
    body: { eventId: 'Own', title: 'Mine' },
    headers: { 'if-match': '"another"' },
    status: 412,
    code: 'precondition_failed',
  },
  {
    rule: 'a deletion of another version',
    method: 'DELETE',
    body: { eventId: 'Own' },
    headers: { 'if-match': '"another"' },
    status: 412,
    code: 'precondition_failed',
  },
  {
    rule: 'a new event in a calendar that is not there',
    method: 'POST',
    body: { calendar: 'https://elsewhere.example/', ...NEW },
    status: 404,
    code: 'calendar_not_found',
  },
];

describe('a write that is refused at CalDAV', () => {
  let sandbox: CalDavSandbox;
  let server: CalendarServer;
  let token: string;
  let calendarId: string;
  let readOnly: string;
  let ids: ReadonlyMap<string, string>;
  let writesBefore: number;
  let sentBefore: number;
  const adapter = adapterDeps(movableTime(Date.now()));

  before(async () => {
    sandbox = await caldavSandbox({
      kind: 'caldav',
      clock: sandboxClock(),
      faults: faultBoard(),
      schedules: true,
    });
    const { manual } = sandbox;
    await manual.addPerson(ADA);
    calendarId = await manual.addCalendar(ADA.email, { title: 'Work', timeZone: 'Europe/Berlin' });
    readOnly = await manual.addCalendar(ADA.email, { title: 'Theirs', timeZone: 'UTC', readOnly: true });
    const attendees = [{ email: ADA.email }];
    sandbox.invite(ADA.email, { title: 'Invitation', ...MORNING, attendees, uid: 'one', organizer: EVE });
    sandbox.invite(ADA.email, {
      ...{ title: 'Invitations', ...MORNING, attendees, recurrence: FOUR, uid: 'many', organizer: EVE },
    });
    const own = await manual.createEvent(ADA.email, calendarId, {
      title: 'Own',
      ...MORNING,
      recurrence: FOUR,
    });
    await manual.deleteOccurrence(ADA.email, calendarId, { id: own, original: at('2027-01-11T09:00:00') });
    for (const [name, body] of Object.entries(OBJECTS)) {
      const headers = { authorization: basic(ADA.email, ADA.password) };
      const put = await fetch(`${calendarId}${name}.ics`, { method: 'PUT', headers, body });
      assert.equal(put.status, 201, await put.text());
    }
    const caldav = caldavProvider(adapter);
    server = await openCalendarServer({ caldav, clock: { now: Date.now() } });
    const login = { server: sandbox.origin, username: ADA.email, password: ADA.password };
    await link(server, await signInByPassword(caldav, login));
    token = await server.token();
    const answer = await get(server, '/events?start=2027-01-01&end=2027-03-01', token);
    const events: { id: string; title: string; recurringEventId?: string }[] = answer.json().events;
    ids = new Map(events.map(({ id, title, recurringEventId = id }) => [title, recurringEventId]));
  });
  after(async () => {
    await server?.close();
    await sandbox?.close();
    await adapter.egress.close();
  });
  beforeEach(() => {
    [writesBefore, sentBefore] = [writes(), sandbox.sent().length];
  });

  const writes = () =>
    ['PUT', 'DELETE', 'POST', 'MKCALENDAR', 'MKCOL', 'PROPPATCH', 'MOVE', 'COPY']
      .map((method) => sandbox.requests(method))
      .reduce((a, b) => a + b);
  /** `Own on 0118`: that instance; a title alone: the event or series. */
  const eventId = (name: string) => {
    const [title = '', day] = name.split(' on ');
    const id = ids.get(title) ?? title;
    return day === undefined ? id : `${id.replace(/_2027\d{4}T\d{6}Z$/, '')}_2027${day}T080000Z`;
  };
  const named = (body: Record<string, unknown>) =>
    typeof body.eventId === 'string' ? { ...body, eventId: eventId(body.eventId) } : body;

  for (const { rule, method = 'PUT', path = '/event', body, headers = {}, status, code } of REFUSALS)
    it(`${rule} is refused without a write`, async () => {
      const { calendar, ...rest } = { calendar: 'own', ...body };
      const chosen = { own: calendarId, theirs: readOnly }[String(calendar)] ?? calendar;

      const answer = await server.app.inject({
        method,
        url: path,
        headers: { authorization: `Bearer ${token}`, ...headers },
        payload: { provider: 'caldav', calendarId: chosen, ...named(rest) },
      });

      const { error, code: told = error } = answer.json();
      assert.deepEqual([answer.statusCode, told], [status, code], answer.body);
      assert.equal(writes() - writesBefore, 0, 'Nothing was written');
      assert.equal(sandbox.sent().length - sentBefore, 0, 'Nobody was told');
    });

  for (const [name, updateMode] of [
    ['Invitation', undefined],
    ['Invitations on 0118', 'this'],
    ['Invitations', 'all'],
  ] as const)
    it(`what a guest sends back of ${name} as it was read is not refused beside what is the guest’s own`, async () => {
      const put = (changes: object) =>
        server.app.inject({
          method: 'PUT',
          url: '/event',
          headers: { authorization: `Bearer ${token}` },
          payload: { provider: 'caldav', calendarId, eventId: eventId(name), updateMode, ...changes },
        });
      const listed = await get(server, '/events?start=2027-01-01&end=2027-03-01', token);
      const events: { id: string; title: string; start: string; end: string; attendees: object[] }[] =
        listed.json().events;
      const event = events.find(({ id }) => id.startsWith(eventId(name)));
      assert.ok(event);
      const { title, start, end, attendees } = event;
      const same = { title, start, end, attendees, status: 'confirmed', location: null };

      assert.equal((await put(same)).statusCode, 200);
      assert.equal(writes() - writesBefore, 0, 'Nothing is to be written');
      const answer = await put({ ...same, availability: 'free' });

      assert.equal(answer.statusCode, 200, answer.body);
      assert.equal(answer.json().event?.availability, 'free', answer.body);
      assert.equal(sandbox.sent().length - sentBefore, 0, 'Nobody was told');
      assert.equal((await put({ ...same, title: 'Mine' })).statusCode, 422);
    });
});
