/** "This and following" in what other programs wrote: who may, and what is left of it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { calendarObject } from '../servers/icalendar.ts';
import { ACME, acmeException, acmeSeries, text } from '../servers/odd-series.ts';
import { type OddSite, openOddSite } from './odd-site.ts';

/** Six weekly hours that somebody else organizes; Ada is one of the guests. */
const INVITATION = calendarObject(
  text(
    'BEGIN:VEVENT',
    'UID:invitation',
    'DTSTAMP:20260101T000000Z',
    'SEQUENCE:2',
    'DTSTART:20261116T090000Z',
    'DTEND:20261116T100000Z',
    'RRULE:FREQ=WEEKLY;COUNT=6',
    'SUMMARY:Invitation',
    'ORGANIZER;CN=Grace:mailto:grace@example.com',
    'ATTENDEE;CN=Alan;PARTSTAT=ACCEPTED:mailto:alan@example.com',
    'ATTENDEE;CN=Ada;PARTSTAT=NEEDS-ACTION:mailto:ADA@example.com',
    'END:VEVENT',
  ),
);

/** An hour on another day than those of the series. */
const unnamed = (day: string, title: string): string =>
  acmeException(`SUMMARY:${title}`, `DTSTART;${ACME}:${day}T110000`, `DTEND;${ACME}:${day}T120000`).replace(
    `RECURRENCE-ID;${ACME}:20261207T090000`,
    `RECURRENCE-ID;${ACME}:${day}T110000`,
  );

/** Properties that a new series sets itself, and those that a split changes. */
const OWN = /^(UID|DTSTAMP|CREATED|LAST-MODIFIED|SEQUENCE|DTSTART|DTEND|RRULE|EXDATE|RECURRENCE-ID)\b/;
const kept = (lines: readonly string[]) => lines.filter((line) => !OWN.test(line));
/** VTIMEZONEs have a DTSTART too. */
const zonesIn = (lines: readonly string[]) =>
  lines.slice(lines.indexOf('BEGIN:VTIMEZONE'), lines.lastIndexOf('END:VTIMEZONE') + 1);

describe('this and following of what other programs wrote', () => {
  let at: OddSite;
  beforeEach(async () => {
    at = await openOddSite();
  });
  afterEach(() => at.close());

  /** Splits the series before that instance; the lines of the new object. */
  async function split(start: string, change: object): Promise<readonly string[]> {
    const before = new Set(at.texts().keys());
    const answer = await at.send('PUT', {
      eventId: await at.idAt(start),
      updateMode: 'following',
      ...change,
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const made = [...at.texts()].find(([name]) => !before.has(name));
    return made?.[1] ?? assert.fail('There is no new object');
  }
  const has = (lines: readonly string[], ...wanted: readonly string[]) => {
    for (const line of wanted) assert.ok(lines.includes(line), `${line} in\n${lines.join('\n')}`);
  };

  it('a guest who changes this and the following instances is refused before anything is sent', async () => {
    await at.given('a.ics', INVITATION);
    const eventId = await at.idAt('2026-11-30');
    const fields = [
      { title: 'Mine' },
      { availability: 'free' },
      { start: '2026-11-30T10:00:00Z', end: '2026-11-30T11:00:00Z' },
      { attendees: [] },
    ];

    for (const field of fields) {
      const answer = await at.send('PUT', { eventId, updateMode: 'following', ...field });
      assert.deepEqual([answer.status, answer.body.code], [422, 'organizer_only'], JSON.stringify(field));
    }

    assert.deepEqual(at.writes(), []);
    assert.equal((await at.shown()).length, 6);
  });

  it('a guest who deletes this and the following instances is refused before anything is sent', async () => {
    await at.given('a.ics', INVITATION);
    const eventId = await at.idAt('2026-11-30');

    const answer = await at.send('DELETE', { eventId, deleteMode: 'following' });

    assert.deepEqual([answer.status, answer.body.code], [422, 'organizer_only']);
    assert.deepEqual(at.writes(), []);
  });

  it('a guest who was invited to a later instance alone may not split its series either', async () => {
    const guest = ['ORGANIZER:mailto:grace@example.com', 'ATTENDEE:mailto:ada@example.com'];
    await at.given('a.ics', acmeSeries(acmeException(...guest)));

    const answer = await at.send('PUT', {
      eventId: await at.idAt('2026-11-30'),
      updateMode: 'following',
      title: 'Mine',
    });

    assert.deepEqual([answer.status, answer.body.code], [422, 'organizer_only']);
    assert.deepEqual(at.writes(), []);
  });

  it('the later half of a series keeps everything that Kalends does not know, to the letter', async () => {
    const before = acmeSeries(acmeException('SUMMARY:Special', 'PRIORITY:1'));
    await at.given('a.ics', before);

    const made = await split('2026-11-30', { description: 'Asked' });

    const unchanged = made.filter((line) => line !== 'DESCRIPTION:Asked');
    assert.deepEqual(kept(unchanged), kept(before.trimEnd().split('\r\n')));
    assert.deepEqual(zonesIn(made), zonesIn(before.split('\r\n')));
    assert.equal(made.filter((line) => line === 'DESCRIPTION:Asked').length, 2);
    assert.deepEqual(at.writes(), ['PUT', 'PUT'], 'one object made, one ended');
  });

  it('the later half of a series is a first revision of an event of its own', async () => {
    await at.given('a.ics', acmeSeries(acmeException('SUMMARY:Special')));

    const made = await split('2026-11-30', { title: 'Later' });

    const uids = new Set(made.filter((line) => line.startsWith('UID:')));
    assert.equal(uids.size, 1);
    assert.ok(!uids.has('UID:acme'));
    assert.equal(made.filter((line) => line === 'SEQUENCE:0').length, 2);
    assert.ok(!made.includes('CREATED:20250101T000000Z'));
  });

  it('an instance that differs in nothing Kalends knows goes along as it is', async () => {
    const alarm = ['BEGIN:VALARM', 'ACTION:AUDIO', 'TRIGGER:-PT1H', 'END:VALARM'];
    await at.given('a.ics', acmeSeries(acmeException(...alarm)));

    const made = await split('2026-11-30', { title: 'Later' });

    has(made, `RECURRENCE-ID;${ACME}:20261207T090000`, 'TRIGGER:-PT1H', 'X-OWN;X-OF=exception:kept');
    assert.equal(made.filter((line) => line === 'SUMMARY:Later').length, 2);
  });

  it('a series in a zone of the calendar’s own keeps its times when it is split', async () => {
    await at.given('a.ics', acmeSeries(acmeException('SUMMARY:Special')));

    const made = await split('2026-11-30', { location: 'Room 2' });

    const rest = ['11-30T06:15 07:15 Weekly', '12-07T06:15 07:15 Special', '12-21T06:15 07:15 Weekly'];
    assert.deepEqual(await at.shown(), ['11-16T06:15 07:15 Weekly', '11-23T06:15 07:15 Weekly', ...rest]);
    has(made, `DTSTART;${ACME}:20261130T090000`, `RECURRENCE-ID;${ACME}:20261207T090000`);
    has(at.texts().get('a.ics') ?? [], 'RRULE:FREQ=WEEKLY;UNTIL=20261130T061459Z');
  });

  it('a series in a zone of the calendar’s own can be split again, its end in UTC', async () => {
    const ending = acmeSeries(
      acmeException(`DTSTART;${ACME}:20261208T110000`, `DTEND;${ACME}:20261208T113000`),
    );
    await at.given('a.ics', ending.replace('COUNT=6', 'UNTIL=20261221T061500Z'));
    await split('2026-11-23', { title: 'Second' });

    const made = await split('2026-11-30', {
      title: 'Third',
      start: '2026-11-30T07:15:00Z',
      end: '2026-11-30T08:15:00Z',
    });

    assert.deepEqual(await at.shown(), [
      '11-16T06:15 07:15 Weekly',
      '11-23T06:15 07:15 Second',
      '11-30T07:15 08:15 Third',
      '12-08T08:15 08:45 Third',
      '12-21T07:15 08:15 Third',
    ]);
    has(made, 'RRULE:FREQ=WEEKLY;UNTIL=20261221T071500Z', `EXDATE;${ACME}:20261214T100000`);
    has(made, `RECURRENCE-ID;${ACME}:20261207T100000`, `DTSTART;${ACME}:20261208T110000`);
  });

  it('an instance with a length of its own moves with its series, and keeps the length', async () => {
    const longer = [`DTSTART;${ACME}:20261207T090000`, `DTEND;${ACME}:20261207T113000`];
    await at.given('a.ics', acmeSeries(acmeException(...longer)));

    await split('2026-11-30', { start: '2026-11-30T07:15:00Z', end: '2026-11-30T08:15:00Z' });

    assert.deepEqual((await at.shown()).slice(2, 4), [
      '11-30T07:15 08:15 Weekly',
      '12-07T07:15 09:45 Weekly',
    ]);
  });

  it('changed instances that a new rule has no place for do not go along', async () => {
    await at.given('a.ics', acmeSeries(acmeException('SUMMARY:Special')));

    const made = await split('2026-11-30', { recurrence: { frequency: 'WEEKLY', interval: 2, count: 2 } });

    assert.ok(!made.some((line) => line.startsWith('RECURRENCE-ID')));
    assert.deepEqual((await at.shown()).slice(2), ['11-30T06:15 07:15 Weekly']);
  });

  it('changed instances that no rule names stay on their side of a split', async () => {
    await at.given('a.ics', acmeSeries(unnamed('20261118', 'Early'), unnamed('20261209', 'Late')));

    const made = await split('2026-11-30', { location: 'Room 2' });

    assert.deepEqual(await at.shown(), [
      '11-16T06:15 07:15 Weekly',
      '11-18T08:15 09:15 Early',
      '11-23T06:15 07:15 Weekly',
      '11-30T06:15 07:15 Weekly',
      '12-07T06:15 07:15 Weekly',
      '12-09T08:15 09:15 Late',
      '12-21T06:15 07:15 Weekly',
    ]);
    has(made, 'SUMMARY:Late');
    has(at.texts().get('a.ics') ?? [], 'SUMMARY:Early');
  });

  it('what ends a series leaves the changed instances before, though no rule names them', async () => {
    await at.given('a.ics', acmeSeries(unnamed('20261118', 'Early'), unnamed('20261209', 'Late')));

    const eventId = await at.idAt('2026-11-30');
    const answer = await at.send('DELETE', { eventId, deleteMode: 'following' });

    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const left = ['11-16T06:15 07:15 Weekly', '11-18T08:15 09:15 Early', '11-23T06:15 07:15 Weekly'];
    assert.deepEqual(await at.shown(), left);
  });

  it('a series whose changed instance is there twice, in two zones, is split at once', async () => {
    const again = acmeException('SUMMARY:Older').replace(
      `RECURRENCE-ID;${ACME}:20261207T090000`,
      'RECURRENCE-ID:20261207T061500Z',
    );
    const newest = acmeException('SUMMARY:Newest').replace('SEQUENCE:5', 'SEQUENCE:6');
    await at.given('a.ics', acmeSeries(newest, again));

    const made = await split('2026-11-30', { location: 'Room 2' });

    has(made, 'SUMMARY:Newest');
    assert.ok(!made.includes('SUMMARY:Older'));
    assert.deepEqual(at.writes(), ['PUT', 'PUT'], 'one object made, one ended');
  });

  it('a split that the server refuses makes nothing in order to delete it', async () => {
    await at.given('a.ics', acmeSeries());
    const eventId = await at.idAt('2026-11-30');
    const behaves = at.dav.odd;
    at.dav.odd = (call) => (call.method === 'PUT' ? { status: 403 } : behaves(call));

    const answer = await at.send('PUT', { eventId, updateMode: 'following', title: 'Later' });

    assert.equal(answer.status, 422, JSON.stringify(answer.body));
    assert.deepEqual(at.writes(), ['PUT']);
    assert.deepEqual([...at.texts().keys()], ['a.ics']);
  });

  it('a split is made of the newest version of its series', async () => {
    await at.given('a.ics', acmeSeries());
    const eventId = await at.idAt('2026-11-30');
    at.dav.put('a.ics', acmeSeries().replace('PRIORITY:3', 'PRIORITY:7'));

    const answer = await at.send('PUT', { eventId, updateMode: 'following', title: 'Later' });

    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const texts = [...at.texts().values()];
    assert.deepEqual(
      texts.map((lines) => lines.filter((line) => line.startsWith('PRIORITY'))),
      [['PRIORITY:7'], ['PRIORITY:7']],
    );
  });
});
