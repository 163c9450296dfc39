/** Large but ordinary accounts: no limit against attackers affects them (docs/security.md T13). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../harness/until.ts';
import { send } from '../servers/process.ts';
import { connect, read } from './flow.ts';
import { openSite, putEvent, type Site, WITHOUT_RADICALE } from './site.ts';

const CALENDARS = 15;
const EVENTS_EACH = 10;
const GUESTS = 1000;
const ATTACHED_BYTES = 3_000_000;
const NOVEMBER = 'start=2026-11-01T00:00:00Z&end=2026-12-01T00:00:00Z';

const event = (uid: string, start: string, lines: readonly string[] = []): string[] => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  'DTSTAMP:20261101T000000Z',
  `DTSTART:${start}`,
  'DURATION:PT1H',
  `SUMMARY:${uid}`,
  ...lines,
  'END:VEVENT',
];

/** Folds a line to at most 75 characters (RFC 5545 §3.1). */
const folded = (line: string): string => line.match(/.{1,74}/g)?.join('\r\n ') ?? line;

describe('a large account', { skip: WITHOUT_RADICALE }, () => {
  let site: Site;
  let token: string;
  before(async () => {
    site = await openSite();
    const { calendars } = site;
    for (let i = 1; i < CALENDARS; i += 1) {
      const url = calendars.calendarUrl('ada', `calendar-${i}`);
      await send('ada', 'MKCALENDAR', url);
      const events = Array.from({ length: EVENTS_EACH }, (_, n) =>
        event(`c${i}-${n}`, `202611${String((n % 28) + 1).padStart(2, '0')}T090000Z`),
      );
      for (const [n, lines] of events.entries()) {
        const all = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...lines, 'END:VCALENDAR', ''];
        await send('ada', 'PUT', `${url}e${n}.ics`, all.join('\r\n'));
      }
    }
    const guests = Array.from(
      { length: GUESTS },
      (_, i) => `ATTENDEE;CN=Guest ${i};PARTSTAT=ACCEPTED:mailto:guest${i}@example.com`,
    );
    await putEvent(calendars, 'town-hall', event('town-hall', '20261110T100000Z', guests));
    const attached = folded(`ATTACH;ENCODING=BASE64;VALUE=BINARY:${'QUJD'.repeat(ATTACHED_BYTES / 4)}`);
    await putEvent(calendars, 'attached', event('attached', '20261111T100000Z', [attached]));
    await putEvent(
      calendars,
      'standup',
      event('standup', '20161101T080000Z', ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR']),
    );
    ({ accessToken: token } = await connect(site.application, { userId: 'ada', login: site.login }));
    await until('the first sync is complete', async () => {
      const answer = await read(site.application, `/events?${NOVEMBER}&pageSize=1`, token);
      return answer.status === 200 && JSON.parse(await answer.text()).errors === undefined;
    });
  });
  after(() => site?.close());

  type Listed = { title: string; calendarId: string; attendees: unknown[]; originalTruncated?: true };
  const allEvents = async (): Promise<Listed[]> => {
    const events: Listed[] = [];
    for (let next = ''; ; ) {
      const answer = await read(site.application, `/events?${NOVEMBER}&pageSize=1000${next}`, token);
      assert.equal(answer.status, 200);
      const page: { events: Listed[]; nextPageToken?: string; errors?: unknown } = JSON.parse(
        await answer.text(),
      );
      assert.equal(page.errors, undefined);
      events.push(...page.events);
      if (page.nextPageToken === undefined) return events;
      next = `&nextPageToken=${encodeURIComponent(page.nextPageToken)}`;
    }
  };

  it('every event of every calendar is read, with nothing left out', async () => {
    const events = await allEvents();

    const ofCalendars = events.filter(({ title }) => /^c\d+-\d+$/.test(title));
    assert.equal(new Set(ofCalendars.map(({ title }) => title)).size, (CALENDARS - 1) * EVENTS_EACH);
    assert.equal(events.filter(({ title }) => title === 'standup').length, 21);
    const townHall = events.find(({ title }) => title === 'town-hall');
    assert.equal(townHall?.attendees.length, GUESTS);
    assert.equal(events.find(({ title }) => title === 'attached')?.originalTruncated, true);
  });

  it('its free time is known, and so is that of the large events', async () => {
    const answer = await read(site.application, `/free-busy?${NOVEMBER}`, token);
    const { busy, errors }: { busy: { start: string; end: string }[]; errors?: unknown } = JSON.parse(
      await answer.text(),
    );

    assert.equal(errors, undefined);
    const isBusy = (from: number, to: number) =>
      busy.some(({ start, end }) => Date.parse(start) <= from && Date.parse(end) >= to);
    for (const day of ['2026-11-10', '2026-11-11'])
      assert.ok(isBusy(Date.parse(`${day}T10:00:00Z`), Date.parse(`${day}T11:00:00Z`)), day);
  });

  it('all its events come at once to who asks for what changes', async () => {
    const titles = new Set<string>();
    for (let query = 'initial=true'; query !== ''; ) {
      const answer = await read(site.application, `/events/changes?${query}`, token);
      const feed: { changes: { event: Listed }[]; cursor: string } = JSON.parse(await answer.text());
      for (const { event } of feed.changes) titles.add(event.title);
      query = feed.changes.length === 0 ? '' : `cursor=${encodeURIComponent(feed.cursor)}`;
    }
    assert.equal(titles.size, (CALENDARS - 1) * EVENTS_EACH + 3);
  });
});
