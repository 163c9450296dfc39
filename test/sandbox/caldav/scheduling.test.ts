/** The sandbox's CalDAV server with scheduling on: what RFC 6638 says of it, and what sabre/dav's plugin does. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type CalDavSandbox, caldavSandbox } from '../../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { faultBoard } from '../../../sandbox/core/faults.ts';
import { davDocument } from '../../../src/providers/caldav/dav/dav-names.ts';
import { calendarObject, vevent } from '../../servers/icalendar.ts';
import { basic } from '../../servers/process.ts';

const ADA = { email: 'ada@people.example', name: 'Ada', password: 'one' };
const BEN = { email: 'ben@people.example', name: 'Ben', password: 'two' };
const OUTSIDE = 'bob@elsewhere.example';
const ORGANIZER = `ORGANIZER:mailto:${ADA.email}`;
const guest = (email: string, parameters = '') => `ATTENDEE${parameters}:mailto:${email}`;
const meeting = (uid: string, ...lines: readonly string[]) =>
  calendarObject(vevent(uid, uid, ORGANIZER, ...lines));

describe('the sandbox’s CalDAV server with scheduling', () => {
  let sandbox: CalDavSandbox;
  let calendars: { ada: string; ben: string };
  before(async () => {
    sandbox = await caldavSandbox({
      kind: 'caldav',
      clock: sandboxClock(),
      faults: faultBoard(),
      schedules: true,
    });
    for (const person of [ADA, BEN]) await sandbox.manual.addPerson(person);
    sandbox.addAlias(BEN.email, 'benjamin@people.example');
    const add = ({ email }: typeof ADA) =>
      sandbox.manual.addCalendar(email, { title: 'Work', timeZone: 'UTC' });
    calendars = { ada: await add(ADA), ben: await add(BEN) };
  });
  after(() => sandbox?.close());

  async function send(
    person: typeof ADA,
    method: string,
    url: string,
    { body, ...headers }: { body?: string } & Record<string, string> = {},
  ) {
    const answer = await fetch(url, {
      method,
      headers: { authorization: basic(person.email, person.password), depth: '0', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
  const put = (person: typeof ADA, name: string, body: string, headers: Record<string, string> = {}) =>
    send(person, 'PUT', `${person === ADA ? calendars.ada : calendars.ben}${name}.ics`, { body, ...headers });
  const read = (person: typeof ADA, name: string) =>
    send(person, 'GET', `${person === ADA ? calendars.ada : calendars.ben}${name}.ics`);
  const lines = (text: string) => text.replace(/\r\n[ \t]/g, '').split('\r\n');
  const lineOf = (text: string, email: string) =>
    lines(text).find((line) => line.endsWith(`:mailto:${email}`)) ?? '';
  /** Returns the messages that `work` causes. */
  async function sentBy(work: () => Promise<unknown>) {
    const before = sandbox.sent().length;
    await work();
    return sandbox.sent().slice(before);
  }
  const summary = (sent: Awaited<ReturnType<typeof sentBy>>) =>
    sent.map(({ method, to, by }) => `${method} ${to} ${by}`).sort();
  /** Returns the name of the resource of an invitation in Ben's calendar. */
  async function copyOf(uid: string): Promise<string> {
    const query = davDocument(
      'c:calendar-query',
      '<d:prop><c:calendar-data/></d:prop><c:filter><c:comp-filter name="VCALENDAR"/></c:filter>',
    );
    const { text } = await send(BEN, 'REPORT', calendars.ben, { body: query, depth: '1' });
    const response = text.split('<d:response>').find((part) => part.includes(`UID:${uid}`));
    const [, name] = /<d:href>[^<]*\/([^/<]+)\.ics<\/d:href>/.exec(response ?? '') ?? [];
    assert.ok(name !== undefined, `Ben has ${uid}`);
    return name;
  }

  it('the server says that it schedules, where its boxes are, and all addresses of a person', async () => {
    const { headers } = await send(BEN, 'OPTIONS', calendars.ben);
    const names = ['schedule-inbox-URL', 'schedule-outbox-URL', 'calendar-user-address-set'];
    const body = davDocument(
      'd:propfind',
      `<d:prop>${names.map((name) => `<c:${name}/>`).join('')}</d:prop>`,
    );
    const principal = `${sandbox.origin}/dav/principals/${encodeURIComponent(BEN.email)}/`;

    const { text } = await send(BEN, 'PROPFIND', principal, { body });

    assert.match(headers.get('dav') ?? '', /calendar-auto-schedule/);
    for (const href of ['/inbox/', '/outbox/', `mailto:${BEN.email}`, 'mailto:benjamin@people.example'])
      assert.ok(text.includes(`${href}</d:href>`), `${href} in ${text}`);
  });

  it('invites its users in calendar and inbox and others by email, and shows the organizer the status', async () => {
    const sent = await sentBy(() =>
      put(
        ADA,
        'first',
        meeting('first', guest(BEN.email), guest(OUTSIDE), guest(ADA.email, ';PARTSTAT=ACCEPTED')),
      ),
    );

    assert.deepEqual(summary(sent), [`REQUEST ${BEN.email} inbox`, `REQUEST ${OUTSIDE} mail`]);
    const { text } = await read(ADA, 'first');
    assert.match(lineOf(text, BEN.email), /SCHEDULE-STATUS=1\.2/);
    assert.match(lineOf(text, OUTSIDE), /SCHEDULE-STATUS=1\.1/);
    const copy = await read(BEN, await copyOf('first'));
    assert.ok(!/SCHEDULE-STATUS|METHOD/.test(copy.text));
    const home = calendars.ben.replace(/[^/]+\/$/, '');
    const inbox = await send(BEN, 'PROPFIND', `${home}inbox/`, { depth: '1' });
    assert.equal(inbox.text.match(/\.ics<\/d:href>/g)?.length, 1);
  });

  it('finds an attendee who is invited by an alias', async () => {
    const sent = await sentBy(() => put(ADA, 'alias', meeting('alias', guest('Benjamin@people.example'))));

    assert.deepEqual(summary(sent), ['REQUEST benjamin@people.example inbox']);
    await copyOf('alias');
  });

  it('a guest whom the client writes to itself, or nobody does, is sent nothing', async () => {
    const quiet = [guest(BEN.email, ';SCHEDULE-AGENT=CLIENT'), guest(OUTSIDE, ';SCHEDULE-AGENT=NONE')];

    assert.deepEqual(summary(await sentBy(() => put(ADA, 'agent', meeting('agent', ...quiet)))), []);
  });

  it('an object that was not kept as it was put has no etag in the answer, and a schedule tag', async () => {
    const invited = await put(ADA, 'tag', meeting('tag', guest(BEN.email)));
    const alone = await put(ADA, 'alone', calendarObject(vevent('alone', 'Alone')));

    assert.deepEqual([invited.headers.get('etag'), invited.headers.has('schedule-tag')], [null, true]);
    assert.notEqual(alone.headers.get('etag'), null);
  });

  it('an answer changes the organizer’s etag but not the schedule tag', async () => {
    await put(ADA, 'answer', meeting('answer', guest(BEN.email)));
    const before = await read(ADA, 'answer');
    const name = await copyOf('answer');

    const sent = await sentBy(async () =>
      sandbox.respond(BEN.email, calendars.ben, { id: `${name}.ics`, answer: 'TENTATIVE' }),
    );

    assert.deepEqual(summary(sent), [`REPLY ${ADA.email} inbox`]);
    const answered = await read(ADA, 'answer');
    assert.match(lineOf(answered.text, BEN.email), /PARTSTAT=TENTATIVE/);
    assert.equal(answered.headers.get('schedule-tag'), before.headers.get('schedule-tag'));
    assert.notEqual(answered.headers.get('etag'), before.headers.get('etag'));
    const stale = await put(ADA, 'answer', answered.text, { 'if-schedule-tag-match': '"other"' });
    assert.equal(stale.status, 412);
  });

  it('an insignificant change reaches the guests of the server, but is worth no mail', async () => {
    const text = (title: string) =>
      meeting('words', guest(BEN.email), guest(OUTSIDE)).replace('SUMMARY:words', `SUMMARY:${title}`);
    await put(ADA, 'words', text('Before'));

    const sent = await sentBy(() => put(ADA, 'words', text('After')));

    assert.deepEqual(summary(sent), [`REQUEST ${BEN.email} inbox`]);
  });

  it('a guest may answer and keep notes, and change nothing else', async () => {
    await put(ADA, 'theirs', meeting('theirs', guest(BEN.email), guest(OUTSIDE)));
    const name = await copyOf('theirs');
    const { text } = await read(BEN, name);
    const change = (from: string | RegExp, to: string) => put(BEN, name, text.replace(from, to));

    const refused = [
      await change('SUMMARY:theirs', 'SUMMARY:mine'),
      await change(/DTEND:\w+/, 'DTEND:20260105T120000Z'),
      await change(OUTSIDE, 'eve@elsewhere.example'),
      await change(`ORGANIZER:mailto:${ADA.email}`, `ORGANIZER:mailto:${BEN.email}`),
    ];
    const noted = await sentBy(() => change('SUMMARY', 'TRANSP:TRANSPARENT\r\nX-NOTE:mine\r\nSUMMARY'));

    assert.deepEqual(
      refused.map((answer) => [
        answer.status,
        answer.text.includes('allowed-attendee-scheduling-object-change'),
      ]),
      refused.map(() => [403, true]),
    );
    assert.deepEqual(noted, []);
  });

  it('a guest who removes an invitation declines it, unless the client wants that kept quiet', async () => {
    for (const [uid, headers, expected] of [
      ['loud', {}, [`REPLY ${ADA.email} inbox`]],
      ['quiet', { 'schedule-reply': 'F' }, []],
    ] as const) {
      await put(ADA, uid, meeting(uid, guest(BEN.email)));
      const name = await copyOf(uid);

      const sent = await sentBy(() => send(BEN, 'DELETE', `${calendars.ben}${name}.ics`, { ...headers }));

      assert.deepEqual(summary(sent), expected, uid);
    }
    assert.match(lineOf((await read(ADA, 'loud')).text, BEN.email), /PARTSTAT=DECLINED/);
  });

  it('an instance that a guest removes becomes an exception of the organizer’s', async () => {
    await put(ADA, 'weekly', meeting('weekly', guest(BEN.email), 'RRULE:FREQ=WEEKLY;COUNT=3'));
    const name = await copyOf('weekly');
    const { text } = await read(BEN, name);

    await put(BEN, name, text.replace('RRULE', 'EXDATE:20260112T090000Z\r\nRRULE'));

    const organized = lines((await read(ADA, 'weekly')).text);
    const exception = organized.slice(organized.lastIndexOf('BEGIN:VEVENT'));
    assert.ok(exception.includes('RECURRENCE-ID:20260112T090000Z'), exception.join('\n'));
    assert.match(lineOf(exception.join('\r\n'), BEN.email), /PARTSTAT=DECLINED/);
    assert.match(
      lineOf(organized.slice(0, organized.indexOf('END:VEVENT')).join('\r\n'), BEN.email),
      /NEEDS-ACTION|mailto/,
    );
  });

  it('a cancelled event stays in the guest’s calendar and says so', async () => {
    await put(ADA, 'off', meeting('off', guest(BEN.email), guest(OUTSIDE)));
    const name = await copyOf('off');

    const sent = await sentBy(() => send(ADA, 'DELETE', `${calendars.ada}off.ics`));

    assert.deepEqual(summary(sent), [`CANCEL ${BEN.email} inbox`, `CANCEL ${OUTSIDE} mail`]);
    assert.ok(lines((await read(BEN, name)).text).includes('STATUS:CANCELLED'));
  });

  it('people of other servers invite, change and cancel, and are answered by mail', async () => {
    const draft = {
      title: 'From outside',
      start: { dateTime: '2026-11-16T09:00:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2026-11-16T10:00:00', timeZone: 'Europe/Berlin' },
      attendees: [{ email: BEN.email }],
      organizer: { email: OUTSIDE, name: 'Bob' },
      uid: 'outside',
    };
    sandbox.invite(BEN.email, draft);
    const name = await copyOf('outside');

    const sent = await sentBy(async () =>
      sandbox.respond(BEN.email, calendars.ben, { id: `${name}.ics`, answer: 'ACCEPTED' }),
    );
    sandbox.invite(BEN.email, { ...draft, title: 'Renamed', sequence: 1 });
    const renamed = await read(BEN, name);
    sandbox.invite(BEN.email, { ...draft, sequence: 2, isCancelled: true });

    assert.deepEqual(summary(sent), [`REPLY ${OUTSIDE} mail`]);
    assert.ok(lines(renamed.text).includes('SUMMARY:Renamed'));
    assert.ok(lines((await read(BEN, name)).text).includes('STATUS:CANCELLED'));
  });

  it('the outbox answers when others of the server are busy', async () => {
    const home = calendars.ada.replace(/[^/]+\/$/, '');
    const question = ['DTSTART:20260105T000000Z', 'DTEND:20260106T000000Z', ORGANIZER];
    const asked = [...question, guest(BEN.email), guest(OUTSIDE)].join('\r\n');
    const body = `BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VFREEBUSY\r\n${asked}\r\nEND:VFREEBUSY\r\nEND:VCALENDAR\r\n`;

    const { status, text } = await send(ADA, 'POST', `${home}outbox/`, {
      body,
      'content-type': 'text/calendar',
    });

    assert.equal(status, 200);
    assert.match(text, /FREEBUSY:20260105T090000Z\/20260105T100000Z/);
    assert.match(text, /3\.7;Invalid calendar user/);
  });
});
