/** "This and following" where the rules of a series make it hard: what is soundly done, and what is refused unsent. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { calendarObject, vevent } from '../servers/icalendar.ts';
import { type OddSite, openOddSite } from './odd-site.ts';

const TIMES = ['DTSTART:20261116T090000Z', 'DTEND:20261116T100000Z'];
const upTo = (end: number): string => [...Array(end).keys()].join();
const EACH_MINUTE = `BYHOUR=${upTo(24)};BYMINUTE=${upTo(60)}`;
/** An hour on Mondays. */
const series = (...further: readonly string[]): string =>
  calendarObject(vevent('series', 'Series', ...TIMES, ...further));

describe('this and following of a series whose rules are hard', () => {
  let at: OddSite;
  beforeEach(async () => {
    at = await openOddSite();
  });
  afterEach(() => at.close());

  const put = async (start: string, change: object) =>
    at.send('PUT', { eventId: await at.idAt(start), updateMode: 'following', ...change });
  const remove = async (start: string) =>
    at.send('DELETE', { eventId: await at.idAt(start), deleteMode: 'following' });

  for (const rule of ['FREQ=SECONDLY', 'FREQ=HOURLY;INTERVAL=24;COUNT=3', 'RSCALE=HEBREW;FREQ=YEARLY'])
    it(`a series is not divided with the rule ${rule}`, async () => {
      await at.given('a.ics', series(`RRULE:${rule}`, 'RRULE:FREQ=WEEKLY;COUNT=10'));

      const changed = await put('2026-12-07', { title: 'Later' });
      const removed = await remove('2026-12-07');

      const refused = [422, 'mode_not_supported_by_provider'];
      assert.deepEqual([changed.status, changed.body.code], refused);
      assert.deepEqual([removed.status, removed.body.code], refused);
      assert.deepEqual(at.writes(), []);
    });

  it('an instance whose start alone is moved keeps its end, on the night the clock goes back and of a period too', async () => {
    const zone = 'TZID=America/New_York';
    const dates = [`DTSTART;${zone}:20261025T013000`, `DTEND;${zone}:20261025T023000`];
    const period = `RDATE;VALUE=PERIOD;${zone}:20261104T100000/PT5H`;
    await at.given(
      'a.ics',
      calendarObject(vevent('series', 'Series', ...dates, 'RRULE:FREQ=WEEKLY;COUNT=2', period)),
    );
    const move = async (from: string, start: string) =>
      at.send('PUT', { eventId: await at.idAt(from), updateMode: 'this', start });

    const moved = await move('2026-11-01T05:30', '2026-11-01T05:00:00Z');
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    assert.equal((await move('2026-11-04T15', '2026-11-04T14:00:00Z')).status, 200);

    assert.deepEqual(await at.shown(), ['11-01T05:00 06:30 Series', '11-04T14:00 20:00 Series']);
  });

  it('a rule whose COUNT has run out before the cut ends where it did', async () => {
    await at.given('a.ics', series('RRULE:FREQ=WEEKLY;COUNT=3', 'RDATE:20270201T090000Z'));
    const first = ['11-16T09:00 10:00 Series', '11-23T09:00 10:00 Series', '11-30T09:00 10:00 Series'];

    const changed = await put('2027-02-01', { title: 'Later' });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.deepEqual(await at.shown(), [...first, '02-01T09:00 10:00 Later']);

    await at.given(
      'b.ics',
      series('RRULE:FREQ=WEEKLY;COUNT=3', 'RDATE:20270202T090000Z').replace('UID:series', 'UID:b'),
    );
    const removed = await remove('2027-02-02');
    assert.equal(removed.status, 200, JSON.stringify(removed.body));
    const left = await at.shown();
    assert.deepEqual(left, [...first.flatMap((one) => [one, one]), '02-01T09:00 10:00 Later']);
  });

  it('a split at a date that its rule does not name is refused unless the rule ended or another is given', async () => {
    await at.given('a.ics', series('RRULE:FREQ=WEEKLY', 'RDATE:20261202T150000Z,20261216T150000Z'));

    const refused = await put('2026-12-16T15', { title: 'Later' });

    assert.deepEqual([refused.status, refused.body.code], [422, 'mode_not_supported_by_provider']);
    assert.match(refused.body.message, /does not include this occurrence/);
    assert.deepEqual(at.writes(), []);
    const given = await put('2026-12-16T15', {
      title: 'Later',
      recurrence: { frequency: 'WEEKLY', count: 2 },
    });
    assert.equal(given.status, 200, JSON.stringify(given.body));
    assert.equal((await remove('2026-12-02T15')).status, 200);
    assert.deepEqual(await at.shown(), [
      '11-16T09:00 10:00 Series',
      '11-23T09:00 10:00 Series',
      '11-30T09:00 10:00 Series',
      '12-16T15:00 16:00 Later',
      '12-23T15:00 16:00 Later',
    ]);
  });

  it('a series with very many instances is divided, or refused where there are too many', async () => {
    const often = `RRULE:FREQ=DAILY;${EACH_MINUTE}`;
    const times = ['DTSTART:20261116T000000Z', 'DTEND:20261116T000100Z'];
    const dense = (uid: string, ...further: string[]) =>
      calendarObject(vevent(uid, 'Dense', ...times, ...further));
    at.dav.put('a.ics', dense('a', often));
    at.dav.put('b.ics', dense('b', `${often};BYSECOND=${upTo(60)}`));
    at.dav.put('c.ics', dense('c', `${often};COUNT=100000000`));
    await at.given('z.ics', series());
    const named = async (name: string, id: string, mode: object) => {
      const answer = await at.send('PUT', { eventId: `${name}.ics_${id}`, title: 'Later', ...mode });
      return [answer.status, answer.body.code];
    };
    const following = { updateMode: 'following' };

    assert.deepEqual(await named('b', '20261118T000000Z', {}), [422, 'recurrence_not_supported_by_provider']);
    assert.deepEqual(await named('c', '20800408T000000Z', following), [
      422,
      'mode_not_supported_by_provider',
    ]);
    assert.deepEqual(at.writes(), []);
    assert.deepEqual(await named('a', '20270408T000000Z', following), [200, undefined]);
  });

  const since = (day: string, ...lines: readonly string[]) => {
    const times = [`DTSTART:${day}T090000Z`, `DTEND:${day}T100000Z`];
    return calendarObject(vevent('series', 'Series', ...times, ...lines));
  };

  it('a series of decades is divided near its end', async () => {
    const days = 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR';
    for (const [start, rule, later] of [
      ['19990909', 'FREQ=DAILY;COUNT=10000', 'FREQ=DAILY;COUNT=49'],
      ['19970106', `${days};COUNT=7815`, `${days};COUNT=10`],
      ['19970106', days, days],
    ] as const) {
      await at.given('a.ics', since(start, `RRULE:${rule}`));
      const before = new Set(at.texts().keys());

      const answer = await put('2026-12-07', { title: 'Later' });

      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const [name = '', made = []] = [...at.texts()].find(([one]) => !before.has(one)) ?? [];
      assert.ok(made.includes(`RRULE:${later}`), made.join('\n'));
      at.dav.remove(name);
    }
  });

  it('a series is divided only if the steps of a read find its earlier occurrences and count them', async () => {
    const times = ['DTSTART:22000301T090000Z', 'DTEND:22000301T100000Z'];
    const exception = vevent('series', 'Own', 'RECURRENCE-ID:22000301T090000Z', ...times);
    const files = {
      'no occurrence': since(
        '20260101',
        'RRULE:FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30',
        'EXDATE:20260101T090000Z',
      ),
      'many rules': since('21500301', ...Array.from({ length: 5 }, () => 'RRULE:FREQ=DAILY;COUNT=80000')),
    };
    for (const [name, file] of Object.entries(files)) {
      await at.given('a.ics', file.replace('END:VCALENDAR', `${exception}END:VCALENDAR`));
      const eventId = 'a.ics_22000301T090000Z';

      const changed = await at.send('PUT', { eventId, updateMode: 'following', title: 'Later' });
      const removed = await at.send('DELETE', { eventId, deleteMode: 'following' });

      for (const { status, body } of [changed, removed]) {
        assert.deepEqual([name, status, body.code], [name, 422, 'mode_not_supported_by_provider']);
        assert.match(body.message, /too many occurrences to be split/);
      }
      assert.deepEqual(at.writes(), []);
    }
  });

  it('an occurrence is changed only if the steps of a read find it', async () => {
    await at.given('a.ics', since('19990901', `RRULE:FREQ=MONTHLY;${EACH_MINUTE};COUNT=100000000`));
    const change = async (id: string) => {
      const answer = await at.send('PUT', { eventId: `a.ics_${id}T100000Z`, title: 'Own' });
      return [answer.status, answer.body.code];
    };

    assert.deepEqual(await change('20261201'), [422, 'recurrence_not_supported_by_provider']);
    assert.deepEqual(at.writes(), []);
    assert.deepEqual(await change('20010901'), [200, undefined]);
  });

  it('a series is moved to no year that cannot be written', async () => {
    const far = { start: '9998-06-01T09:00:00Z', end: '9998-06-01T10:00:00Z' };
    const exception = vevent(
      'series',
      'Own',
      'RECURRENCE-ID:20300107T090000Z',
      'DTSTART:20300107T090000Z',
      'DTEND:20300107T100000Z',
    );
    const files = {
      until: series('RRULE:FREQ=WEEKLY;UNTIL=20310106T090000Z'),
      excluded: series('RRULE:FREQ=WEEKLY', 'EXDATE:20300107T090000Z'),
      changed: series('RRULE:FREQ=WEEKLY').replace('END:VCALENDAR', `${exception}END:VCALENDAR`),
    };
    for (const [name, file] of Object.entries(files)) {
      await at.given('a.ics', file);
      const answer = await put('2026-12-07', far);
      assert.deepEqual([name, answer.status, answer.body.code], [name, 400, 'invalid_request']);
      assert.match(answer.body.message, /outside the years 2 to 9998/);
      assert.deepEqual(at.writes(), []);
    }
    await at.given('a.ics', files.until);
    const whole = await at.send('PUT', { eventId: await at.idAt('2026-12-07'), updateMode: 'all', ...far });
    assert.equal(whole.status, 400, JSON.stringify(whole.body));
  });

  it('a series that ends in the last year, which means never, is moved all the same', async () => {
    await at.given('a.ics', series('RRULE:FREQ=WEEKLY;UNTIL=99991231T235959Z'));

    const answer = await put('2027-02-22', { start: '2027-02-22T11:00:00Z', end: '2027-02-22T12:00:00Z' });

    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal((await at.shown()).at(-1), '02-22T11:00 12:00 Series');
  });

  it('a series that is divided on a day whose clock skips it keeps its time of day', async () => {
    const zone = ';TZID=Europe/Paris';
    const file = calendarObject(
      vevent(
        'series',
        'Series',
        `DTSTART${zone}:20270220T023000`,
        `DTEND${zone}:20270220T030000`,
        'RRULE:FREQ=DAILY;COUNT=40',
      ),
    );
    const lines = () => [...at.texts().values()].flat();
    const skipped = async () => (await at.idAt('2027-02-22')).replace(/_.*/, '_20270328T013000Z');
    await at.given('a.ics', file);

    const eventId = await skipped();
    const changed = await at.send('PUT', { eventId, updateMode: 'following', title: 'Later' });

    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const rules = () => lines().filter((line) => line.startsWith('RRULE:FREQ=DAILY'));
    assert.deepEqual(rules(), ['RRULE:FREQ=DAILY;UNTIL=20270328T005959Z', 'RRULE:FREQ=DAILY;COUNT=4']);
    assert.ok(lines().includes(`DTSTART${zone}:20270328T023000`), lines().join('\n'));

    await at.given('a.ics', file);
    const removed = await at.send('DELETE', { eventId, deleteMode: 'following' });
    assert.equal(removed.status, 200, JSON.stringify(removed.body));
    assert.equal(rules()[0], 'RRULE:FREQ=DAILY;UNTIL=20270328T005959Z');
  });

  it('a moved instance gives the later ones neither its start nor its end', async () => {
    const exception = vevent(
      'series',
      'Series',
      'RECURRENCE-ID:20261207T090000Z',
      'DTSTART:20261207T150000Z',
      'DTEND:20261207T173000Z',
    );
    const file = series('RRULE:FREQ=WEEKLY;COUNT=5').replace('END:VCALENDAR', `${exception}END:VCALENDAR`);
    await at.given('a.ics', file);

    const start = await put('2026-12-07', { start: '2026-12-07T14:00:00Z' });
    const end = await put('2026-12-07', { end: '2026-12-07T18:00:00Z' });

    assert.deepEqual([start.status, Object.keys(start.body.details)], [400, ['end']]);
    assert.deepEqual([end.status, Object.keys(end.body.details)], [400, ['start']]);
    assert.deepEqual(at.writes(), []);
    const zone = await put('2026-12-07', { timeZone: 'Europe/Paris' });
    assert.equal(zone.status, 200, JSON.stringify(zone.body));
    assert.equal((await at.shown()).at(-1), '12-14T09:00 10:00 Series');
  });

  it('a floating series that is moved stays floating, and what was moved by hand stays where it was put', async () => {
    const floating = (...texts: readonly string[]) => vevent('series', 'Series', ...texts);
    const file = calendarObject(
      floating('DTSTART:20261116T090000', 'DTEND:20261116T100000', 'RRULE:FREQ=WEEKLY;COUNT=5'),
      floating('RECURRENCE-ID:20261207T090000', 'DTSTART:20261207T150000', 'DTEND:20261207T160000'),
    );
    for (const timeZone of [{}, { timeZone: 'UTC' }]) {
      await at.given('a.ics', file);
      const before = new Set(at.texts().keys());
      const moved = { start: '2026-11-30T10:00:00Z', end: '2026-11-30T11:00:00Z', ...timeZone };

      const answer = await put('2026-11-30', moved);

      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const [name, made = []] = [...at.texts()].find(([one]) => !before.has(one)) ?? [];
      assert.equal(made.includes('DTSTART:20261130T100000'), !('timeZone' in timeZone), made.join('\n'));
      assert.deepEqual((await at.shown()).slice(2), [
        '11-30T10:00 11:00 Series',
        '12-07T15:00 16:00 Series',
        '12-14T10:00 11:00 Series',
      ]);
      at.dav.remove(name ?? '');
    }
  });

  it('a series with a rule of exceptions, which would be lost, is not divided', async () => {
    await at.given('a.ics', series('RRULE:FREQ=WEEKLY;COUNT=10', 'EXRULE:FREQ=WEEKLY;INTERVAL=4'));

    const changed = await put('2026-12-07', { title: 'Later' });
    const removed = await remove('2026-12-07');

    const refused = [422, 'mode_not_supported_by_provider'];
    assert.deepEqual([changed.status, changed.body.code], refused);
    assert.deepEqual([removed.status, removed.body.code], refused);
    assert.deepEqual(at.writes(), []);
  });
});
