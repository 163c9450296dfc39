/** Where the sandbox's iCloud departs from CalDAV, and what its plain server does that iCloud does not. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type CalDavSandbox, caldavSandbox } from '../../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { faultBoard } from '../../../sandbox/core/faults.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { appleProvider } from '../../../src/providers/apple/apple-provider.ts';
import { davDocument } from '../../../src/providers/caldav/dav/dav-names.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const ADA = 'ada@people.example';
const PASSWORD = 'abcd-efgh-ijkl-mnop';
const RANGE = '<c:time-range start="20261026T000000Z" end="20261027T000000Z"/>';

const object = (uid: string, ...lines: readonly string[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
const HOUR = ['DTSTART:20261026T090000Z', 'DTEND:20261026T100000Z'];

async function open(kind: 'icloud' | 'caldav') {
  const sandbox = await caldavSandbox({ kind, clock: sandboxClock(), faults: faultBoard() });
  await sandbox.manual.addPerson({ email: ADA, name: 'Ada', password: PASSWORD });
  const calendar = await sandbox.manual.addCalendar(ADA, { title: 'Work', timeZone: 'Europe/Berlin' });
  const authorization = `Basic ${Buffer.from(`${ADA}:${PASSWORD}`).toString('base64')}`;
  const send = async (method: string, url: string, body?: string, depth = '0') => {
    const answer = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { authorization, depth },
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return { sandbox, calendar, send };
}

const freeBusy = davDocument('c:free-busy-query', RANGE);
const query = (filter: string) =>
  davDocument('c:calendar-query', `<d:prop><d:getetag/></d:prop><c:filter>${filter}</c:filter>`);
const events = (inside = '') =>
  query(
    `<c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT">${inside}</c:comp-filter></c:comp-filter>`,
  );
const all = query('<c:comp-filter name="VCALENDAR"/>');

describe('the sandbox’s iCloud', () => {
  let server: Awaited<ReturnType<typeof open>>;
  let sandbox: CalDavSandbox;
  let egress: Egress;
  before(async () => {
    server = await open('icloud');
    sandbox = server.sandbox;
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  });
  after(async () => {
    await egress?.close();
    await sandbox?.close();
  });

  it('the sandbox’s iCloud has its calendars on another host than the one that signs people in', async () => {
    const { log } = recordingLog();
    const apple = appleProvider({ egress, log, now: Date.now, serverUrl: sandbox.origin });
    const { credentials } = await apple.signIn.verify({ username: ADA, password: PASSWORD });

    const [calendar] = await apple.open(credentials).listCalendars();

    assert.notEqual(sandbox.homeOrigin, sandbox.origin);
    assert.equal(calendar?.href, server.calendar);
    assert.ok(calendar?.href.startsWith(sandbox.homeOrigin));
  });

  it('the sandbox’s iCloud challenges with a scheme of its own before Basic', async () => {
    const answer = await fetch(sandbox.origin, { method: 'PROPFIND' });

    assert.equal(answer.status, 401);
    assert.match(answer.headers.get('www-authenticate') ?? '', /^x-mobileme-authtoken .*, Basic /);
  });

  it('the sandbox’s iCloud makes a password of the form xxxx-xxxx-xxxx-xxxx where none is given', async () => {
    await sandbox.manual.addPerson({ email: 'ben@people.example', name: 'Ben' });

    assert.match(sandbox.passwordOf('ben@people.example'), /^[a-z]{4}(-[a-z]{4}){3}$/);
  });

  it('the sandbox’s iCloud takes the password without hyphens or with blanks, and no other', async () => {
    const isTaken = async (password: string) => {
      const authorization = `Basic ${Buffer.from(`${ADA}:${password}`).toString('base64')}`;
      return (
        (await fetch(server.calendar, { method: 'PROPFIND', headers: { authorization } })).status !== 401
      );
    };
    const typed = [
      PASSWORD,
      'abcdefghijklmnop',
      'abcd efgh ijkl mnop',
      'abcdefghijklmno',
      'abcd efgh ijkl mnoq',
    ];

    assert.deepEqual(await Promise.all(typed.map(isTaken)), [true, true, true, false, false]);
  });

  it('the sandbox’s iCloud names the collection itself among its members', async () => {
    const { text } = await server.send('REPORT', server.calendar, events(), '1');

    assert.ok(text.includes(`<d:href>${new URL(server.calendar).pathname}</d:href>`));
  });

  it('the sandbox’s iCloud refuses what iCloud does not do', async () => {
    const { send, calendar } = server;
    const home = calendar.replace(/[^/]+\/$/, '');
    const refused = [
      await send('PROPFIND', calendar),
      await send('PROPFIND', calendar, davDocument('d:propfind', '<d:allprop/>')),
      await send('MKCOL', `${home}new/`, davDocument('d:mkcol', '')),
      await send('REPORT', calendar, freeBusy),
      await send('REPORT', calendar, all, '1'),
      await send('PUT', `${calendar}bare.ics`, object('bare', 'DTSTART:20261026T090000Z')),
    ];

    assert.deepEqual(
      refused.map(({ status }) => status),
      [403, 403, 405, 403, 403, 403],
    );
  });

  it('the sandbox’s iCloud refuses a UID that another calendar of the person has', async () => {
    const other = await sandbox.manual.addCalendar(ADA, { title: 'Other', timeZone: 'UTC' });

    const first = await server.send('PUT', `${server.calendar}one.ics`, object('one', ...HOUR));
    const second = await server.send('PUT', `${other}one.ics`, object('one', ...HOUR));

    assert.deepEqual([first.status, second.status], [201, 403]);
    assert.match(second.text, /no-uid-conflict/);
  });
});

describe('the sandbox’s plain CalDAV server', () => {
  let server: Awaited<ReturnType<typeof open>>;
  before(async () => {
    server = await open('caldav');
    await server.sandbox.manual.createEvent(ADA, server.calendar, {
      title: 'Daily',
      start: { dateTime: '2026-10-20T09:00:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2026-10-20T10:00:00', timeZone: 'Europe/Berlin' },
      recurrence: { frequency: 'daily', until: '2026-10-26' },
    });
    await server.send('PUT', `${server.calendar}utc.ics`, object('utc', ...HOUR));
  });
  after(() => server?.sandbox.close());

  it('the plain CalDAV sandbox points to itself from the well-known address', async () => {
    const { status, headers } = await server.send('PROPFIND', `${server.sandbox.origin}/.well-known/caldav`);

    assert.deepEqual([status, headers.get('location')], [301, '/dav/']);
  });

  it('free-busy-query answers what is busy, merged and in UTC', async () => {
    const { status, text } = await server.send('REPORT', server.calendar, freeBusy);

    assert.equal(status, 200);
    // Nine o'clock in Berlin is eight in UTC after the change of 25 October; the other event follows at once.
    assert.deepEqual(text.match(/^FREEBUSY:.*$/gm), ['FREEBUSY:20261026T080000Z/20261026T100000Z']);
  });

  it('a time range finds what takes place in it, recurrences among it', async () => {
    const count = async (range: string) =>
      [...(await server.send('REPORT', server.calendar, events(range), '1')).text.matchAll(/<d:getetag>/g)]
        .length;

    assert.equal(await count(RANGE), 2);
    assert.equal(await count('<c:time-range start="20261022T000000Z" end="20261023T000000Z"/>'), 1);
    assert.equal(await count('<c:time-range start="20261027T000000Z"/>'), 0);
  });

  it('a test of properties is refused rather than ignored', async () => {
    const { status, text } = await server.send(
      'REPORT',
      server.calendar,
      events('<c:prop-filter name="UID"/>'),
      '1',
    );

    assert.equal(status, 403);
    assert.match(text, /supported-filter/);
  });

  it('allprop is answered, and properties of clients are kept in namespaces of their own', async () => {
    const mine = '<n:note xmlns:n="urn:mine">a &lt; b<n:deep at="1"/></n:note>';
    const set = `<d:set><d:prop>${mine}</d:prop></d:set>`;

    const patched = await server.send('PROPPATCH', server.calendar, davDocument('d:propertyupdate', set));
    const { text } = await server.send('PROPFIND', server.calendar);

    assert.equal(patched.status, 207);
    assert.match(text, /<x:note xmlns:x="urn:mine">a &lt; b<x:deep xmlns:x="urn:mine" at="1"\/><\/x:note>/);
    assert.match(text, /<d:displayname>Work<\/d:displayname>/);
  });

  it('nothing changes when one of several properties is the server’s', async () => {
    const set =
      '<d:set><d:prop><d:displayname>Other</d:displayname><d:getetag>x</d:getetag></d:prop></d:set>';

    const { text } = await server.send('PROPPATCH', server.calendar, davDocument('d:propertyupdate', set));
    const after = await server.send('PROPFIND', server.calendar);

    assert.match(text, /403 Forbidden/);
    assert.match(text, /424 Failed Dependency/);
    assert.match(after.text, /<d:displayname>Work</);
  });

  it('an event without an end is taken, and a calendar is made by MKCOL', async () => {
    const { send, calendar } = server;
    const home = calendar.replace(/[^/]+\/$/, '');

    const bare = await send('PUT', `${calendar}bare.ics`, object('bare', 'DTSTART:20261026T090000Z'));
    const made = await send('MKCOL', `${home}made/`, davDocument('d:mkcol', ''));

    assert.deepEqual([bare.status, made.status], [201, 201]);
  });
});
