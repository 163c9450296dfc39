/** A change keeps everything that it does not name in a resource of another program (RFC 4791 §5.3.2). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { UnsupportedByProvider } from '../../../src/calendars/provider-error.ts';
import { berlin, day, draftOf, occurrences, rule, targetAt } from '../../contract/mirrored-writes.ts';
import { calendarObject } from '../../servers/icalendar.ts';
import { multistatus, present } from '../../servers/odd-caldav.ts';
import { type WritingAccount, writingAccount } from '../../servers/writing-account.ts';

const text = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n`;

/** As Outlook names Berlin, with a rule of its own. */
const OUTLOOK_ZONE = text(
  'BEGIN:VTIMEZONE',
  'TZID:W. Europe Standard Time',
  'BEGIN:STANDARD',
  'DTSTART:16010101T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
);
const ALARM = text(
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'DESCRIPTION:Ring',
  'TRIGGER:-PT15M',
  'X-APPLE-DEFAULT-ALARM:TRUE',
  'END:VALARM',
);
const TZID = 'TZID=W. Europe Standard Time';
const series = (...overrides: readonly string[]): string =>
  calendarObject(
    OUTLOOK_ZONE,
    text(
      'BEGIN:VEVENT',
      'UID:series',
      'DTSTAMP:20260101T000000Z',
      'SEQUENCE:4',
      `DTSTART;${TZID}:20261012T090000`,
      `DTEND;${TZID}:20261012T100000`,
      'RRULE:FREQ=WEEKLY;UNTIL=20261109T080000Z',
      `EXDATE;${TZID}:20261102T090000`,
      'SUMMARY:Series',
      'X-MOZ-GENERATION:3',
      'CATEGORIES:WORK,TEAM',
      `${ALARM}END:VEVENT`,
    ),
    ...overrides,
  );
const override = (start: string, title: string, ...lines: readonly string[]): string =>
  text(
    'BEGIN:VEVENT',
    'UID:series',
    'DTSTAMP:20260101T000000Z',
    `RECURRENCE-ID;${TZID}:20261019T090000`,
    `DTSTART;${TZID}:${start}`,
    `DTEND;${TZID}:${start.replace(/T(\d\d)/, (_, hour) => `T${String(Number(hour) + 1).padStart(2, '0')}`)}`,
    `SUMMARY:${title}`,
    ...lines,
    'X-OWN:kept',
    'END:VEVENT',
  );
const invitation = (...attendees: readonly string[]): string =>
  calendarObject(
    text(
      'BEGIN:VEVENT',
      'UID:invitation',
      'DTSTAMP:20260101T000000Z',
      'SEQUENCE:2',
      'DTSTART:20261116T090000Z',
      'DTEND:20261116T100000Z',
      'SUMMARY:Invitation',
      'ORGANIZER;CN=Grace:mailto:grace@example.com',
      'ATTENDEE;CN=Alan;PARTSTAT=ACCEPTED:mailto:alan@example.com',
      ...attendees,
      'END:VEVENT',
    ),
  );
const ADA = 'ATTENDEE;CN="Lovelace, Ada";PARTSTAT=NEEDS-ACTION;RSVP=TRUE;X-NUM=1:mailto:ADA@example.com';

describe('a change of what other programs wrote', () => {
  let account: WritingAccount;
  beforeEach(async () => {
    account = await writingAccount();
    // The server knows the account as a person who is invited and invites (RFC 6638 §2.4.1).
    account.server.odd = ({ path, kind }) =>
      kind === 'PROPFIND' && path === '/principal/'
        ? multistatus(
            present(
              path,
              '<c:calendar-user-address-set><d:href>/principal/</d:href><d:href>mailto:ada@example.com</d:href>' +
                '</c:calendar-user-address-set><d:displayname>Ada</d:displayname>',
            ),
          )
        : undefined;
  });
  afterEach(() => account.close());

  const starts = (href: string) => occurrences(account.mirror, href).map(({ start }) => start);
  const has = (...lines: readonly string[]) => {
    for (const line of lines)
      assert.ok(account.lines('a.ics').includes(line), `${line} in\n${account.lines('a.ics').join('\n')}`);
  };
  const refusedFor = (reason: string, field?: string) => (failure: unknown) =>
    failure instanceof UnsupportedByProvider && failure.reason === reason && failure.field === field;

  it('a change leaves unknown properties, alarms, zones and other overrides as they were, to the letter', async () => {
    const before = series(override('20261019T090000', 'Own words'));
    const href = await account.given('a.ics', before);

    await account.update(href, { location: 'Room 1' });

    const volatile = /^(SEQUENCE|DTSTAMP|LAST-MODIFIED|LOCATION)\b/;
    const unchangedIn = (lines: readonly string[]) => lines.filter((line) => !volatile.test(line));
    assert.deepEqual(unchangedIn(account.lines('a.ics')), unchangedIn(before.split('\r\n')));
    has('SEQUENCE:5', 'LAST-MODIFIED:20261121T120000Z', 'DTSTAMP:20261121T120000Z');
  });

  it('an occurrence becomes an override in the words and the zone of its series, alarms included', async () => {
    const href = await account.given('a.ics', series());

    await account.update(href, { title: 'Special' }, berlin('2026-10-26T09:00:00'));

    const lines = account.lines('a.ics');
    const at = lines.lastIndexOf('BEGIN:VEVENT');
    const override = lines.slice(at);
    for (const line of [
      `RECURRENCE-ID;${TZID}:20261026T090000`,
      `DTSTART;${TZID}:20261026T090000`,
      `DTEND;${TZID}:20261026T100000`,
      'SUMMARY:Special',
      'X-MOZ-GENERATION:3',
      'BEGIN:VALARM',
    ])
      assert.ok(override.includes(line), `${line} in\n${override.join('\n')}`);
    assert.ok(override.every((line) => !/^(RRULE|EXDATE)/.test(line)));
    assert.equal(lines.filter((line) => line === 'BEGIN:VTIMEZONE').length, 1);
  });

  it('an occurrence is taken out by EXDATE in the form of DTSTART, and its override with it', async () => {
    const href = await account.given('a.ics', series(override('20261020T110000', 'Moved')));

    await account.remove(href, berlin('2026-10-19T09:00:00'));

    has(`EXDATE;${TZID}:20261019T090000`, `EXDATE;${TZID}:20261102T090000`);
    assert.deepEqual(starts(href), ['2026-10-12T09:00:00', '2026-10-26T09:00:00', '2026-11-09T09:00:00']);
  });

  it('an occurrence is taken out once, however often it is asked', async () => {
    const href = await account.given('a.ics', series());
    await account.remove(href, berlin('2026-10-19T09:00:00'));
    const before = account.lines('a.ics');

    await account.remove(href, berlin('2026-10-19T09:00:00'));

    assert.deepEqual(account.lines('a.ics'), before);
  });

  it('a series that moves takes its exceptions, deletions and end along with it', async () => {
    const href = await account.given('a.ics', series(override('20261019T090000', 'Own words')));

    await account.update(href, { start: berlin('2026-10-13T14:00:00'), end: berlin('2026-10-13T15:30:00') });

    assert.deepEqual(occurrences(account.mirror, href), [
      { title: 'Series', start: '2026-10-13T14:00:00', end: '2026-10-13T15:30:00' },
      { title: 'Own words', start: '2026-10-20T14:00:00', end: '2026-10-20T15:30:00' },
      { title: 'Series', start: '2026-10-27T14:00:00', end: '2026-10-27T15:30:00' },
      { title: 'Series', start: '2026-11-10T14:00:00', end: '2026-11-10T15:30:00' },
    ]);
    has('X-OWN:kept', 'RRULE:FREQ=WEEKLY;UNTIL=20261110T130000Z');
  });

  it('an occurrence stays where somebody had moved it when its series moves', async () => {
    const href = await account.given('a.ics', series(override('20261021T110000', 'Moved by hand')));

    await account.update(href, { start: berlin('2026-10-12T08:00:00'), end: berlin('2026-10-12T09:00:00') });

    assert.deepEqual(starts(href), [
      '2026-10-12T08:00:00',
      '2026-10-21T11:00:00',
      '2026-10-26T08:00:00',
      '2026-11-09T08:00:00',
    ]);
  });

  it('a series of times becomes one of days, its exceptions too', async () => {
    const href = await account.given('a.ics', series(override('20261019T090000', 'Own words')));

    await account.update(href, { start: day('2026-10-12'), end: day('2026-10-13') });

    assert.deepEqual(occurrences(account.mirror, href), [
      { title: 'Series', start: '2026-10-12', end: '2026-10-13' },
      { title: 'Own words', start: '2026-10-19', end: '2026-10-20' },
      { title: 'Series', start: '2026-10-26', end: '2026-10-27' },
      { title: 'Series', start: '2026-11-09', end: '2026-11-10' },
    ]);
    has(
      'RRULE:FREQ=WEEKLY;UNTIL=20261109',
      'EXDATE;VALUE=DATE:20261102',
      'RECURRENCE-ID;VALUE=DATE:20261019',
    );
  });

  it('a new rule drops the exceptions it has no occurrence for, and keeps the others', async () => {
    const href = await account.given('a.ics', series(override('20261020T110000', 'Moved')));

    await account.update(href, { recurrence: rule('FREQ=WEEKLY;COUNT=2') });
    assert.deepEqual(starts(href), ['2026-10-12T09:00:00', '2026-10-20T11:00:00']);

    await account.update(href, { recurrence: rule('FREQ=WEEKLY;INTERVAL=2;COUNT=2') });
    assert.deepEqual(starts(href), ['2026-10-12T09:00:00', '2026-10-26T09:00:00']);

    await account.update(href, { recurrence: null });
    assert.deepEqual(starts(href), ['2026-10-12T09:00:00']);
  });

  it('a duration is changed into an end only where times change', async () => {
    const object = series().replace(`DTEND;${TZID}:20261012T100000`, 'DURATION:PT1H');
    const href = await account.given('a.ics', object);

    await account.update(href, { title: 'Words' });
    has('DURATION:PT1H');

    await account.update(href, { end: berlin('2026-10-12T11:00:00') });
    has(`DTEND;${TZID}:20261012T110000`);
    assert.ok(!account.lines('a.ics').includes('DURATION:PT1H'));
  });

  it('a zone the object did not know is described', async () => {
    const href = await account.given('a.ics', series());

    await account.update(href, {
      start: { type: 'zoned', local: '2026-10-12T09:00:00', zone: 'America/New_York' },
      end: { type: 'zoned', local: '2026-10-12T10:00:00', zone: 'America/New_York' },
    });

    has('TZID:America/New_York', 'DTSTART;TZID=America/New_York:20261012T090000');
  });

  it('a change of one occurrence of several that another program changed together is refused', async () => {
    const object = series(
      override('20261019T100000', 'From here').replace(
        'RECURRENCE-ID;',
        'RECURRENCE-ID;RANGE=THISANDFUTURE;',
      ),
    );
    const href = await account.given('a.ics', object);

    for (const at of ['2026-10-19T09:00:00', '2026-10-26T09:00:00'])
      await assert.rejects(
        account.update(href, { title: 'x' }, berlin(at)),
        refusedFor('mode_not_supported_by_provider'),
      );
  });

  it('a change replaces guests, and keeps of those who stay what is known of them', async () => {
    const organized = invitation(ADA).replace(
      'ORGANIZER;CN=Grace:mailto:grace@',
      'ORGANIZER;CN=Ada:mailto:ada@',
    );
    const href = await account.given('a.ics', organized);

    await account.update(href, {
      attendees: [
        { email: 'Alan@example.com', status: 'none' },
        { email: 'new@example.com', name: 'N. "Nick" Ew; ^x', status: 'none' },
      ],
    });

    has(
      'ATTENDEE;CN=Alan;PARTSTAT=ACCEPTED:mailto:alan@example.com',
      'ORGANIZER;CN=Ada:mailto:ada@example.com',
    );
    const guests = account.mirror.get(href)?.events[0]?.attendees;
    assert.deepEqual(guests, [
      { email: 'ada@example.com', name: 'Ada', status: 'accepted', organizer: true },
      { email: 'alan@example.com', name: 'Alan', status: 'accepted' },
      { email: 'new@example.com', name: 'N. "Nick" Ew; ^x', status: 'none' },
    ]);
  });

  it('guests are invited in the name the server knows the account by', async () => {
    const draft = draftOf({ title: 'Call', start: day('2026-11-16'), end: day('2026-11-17') });

    await account.create(
      { ...draft, attendees: [{ email: 'grace@example.com', status: 'none' }] },
      'f'.repeat(32),
    );

    const [name = ''] = account.server.resources.keys();
    assert.ok(account.lines(name).includes('ORGANIZER;CN=Ada:mailto:ada@example.com'));
  });

  it('an invitation is answered in the account’s own entry alone, and makes no revision of it', async () => {
    const href = await account.given('a.ics', invitation(ADA));

    const target = targetAt(account.mirror, href);
    await account.writing.respond(account.calendar, target, { response: 'accepted', comment: 'Gladly; yes' });

    has(
      'ATTENDEE;CN="Lovelace, Ada";PARTSTAT=ACCEPTED;X-NUM=1:mailto:ADA@example.com',
      'ATTENDEE;CN=Alan;PARTSTAT=ACCEPTED:mailto:alan@example.com',
      'SEQUENCE:2',
      'COMMENT:Gladly\\; yes',
    );
  });

  it('an answer of an account that is not invited is refused', async () => {
    const href = await account.given('a.ics', invitation());

    const answer = account.writing.respond(account.calendar, targetAt(account.mirror, href), {
      response: 'declined',
      comment: undefined,
    });

    await assert.rejects(answer, refusedFor('field_not_supported_by_provider', 'response'));
  });

  it('a guest may change nothing that is the organizer’s', async () => {
    const href = await account.given('a.ics', invitation(ADA));

    for (const [field, change] of Object.entries({
      title: { title: 'Mine' },
      start: { start: berlin('2026-11-16T08:00:00') },
      attendees: { attendees: [] },
    }))
      await assert.rejects(account.update(href, change), refusedFor('organizer_only', field));
    await account.update(href, { availability: 'free' });

    has('TRANSP:TRANSPARENT', 'SEQUENCE:2', 'SUMMARY:Invitation');
  });

  it('no value keeps a line break, control character or broken half of a character', async () => {
    const href = await account.given('a.ics', series());

    await account.update(href, {
      title: 'A\r\nATTENDEE:mailto:evil@example.com\u0000\u0007\ud800 😀'.padEnd(300, 'ü'),
      conference: 'https://meet.example.com/a\r\nATTENDEE:x',
      color: 'red\nX-EVIL:1',
      custom: { text: '\u0000\u007f\u2028\ud800\r\n', 'k,;\\"': [] },
    });

    assert.ok(account.lines('a.ics').every((line) => !/^(ATTENDEE|X-EVIL)/.test(line)));
    assert.deepEqual(account.mirror.get(href)?.events[0]?.custom, {
      text: '\u0000\u007f\u2028\ud800\r\n',
      'k,;\\"': [],
    });
  });

  it('colors are written where programs look for them: names as COLOR, numbers as Apple does', async () => {
    const href = await account.given('a.ics', series());

    await account.update(href, { color: 'tomato' });
    has('COLOR:tomato');

    await account.update(href, { color: '#12abef' });
    has('X-APPLE-CALENDAR-COLOR:#12abef');
    assert.equal(account.mirror.get(href)?.events[0]?.color, '#12abef');
  });
});
