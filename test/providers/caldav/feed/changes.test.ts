/** Changes in a calendar that is read from its address: which events changed, and when its server is asked. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import type { WorkPool } from '../../../../src/lib/work-pool/work-pool.ts';
import { workPools } from '../../../../src/start/work-pools.ts';
import { providerErrorOf } from '../../../harness/provider-error-of.ts';
import { SECRET } from '../../../servers/feed-server.ts';
import { calendarObject, seriesWithOverride, vevent } from '../../../servers/icalendar.ts';
import { type FeedBench, HOUR, MINUTE, openFeedBench } from './feed-bench.ts';

const NOTHING = { changed: [], removed: [] };

describe('a calendar that is read from its address', () => {
  let bench: FeedBench;
  let pool: WorkPool;
  before(async () => {
    pool = workPools().syncWork;
    bench = await openFeedBench({ syncWork: pool });
  });
  after(async () => {
    await bench.close();
    await pool.close();
  });
  beforeEach(() => bench.server.say(calendarObject(vevent('one', 'One'), vevent('two', 'Two'))));

  /** Advances the clock, by default until its server is asked again. */
  const pass = (milliseconds = 2 * HOUR) => {
    bench.clock.now += milliseconds;
  };

  describe('which events changed', () => {
    it('only what changed is written, and what is no longer there goes', async () => {
      const feed = await bench.open();
      assert.deepEqual(await feed.sync(), { changed: ['One', 'Two'], removed: [] });
      pass();
      bench.server.say(calendarObject(vevent('three', 'Three'), vevent('two', 'Two, later')));

      assert.deepEqual(await feed.sync(), { changed: ['Three', 'Two, later'], removed: ['One'] });
      assert.deepEqual(feed.titles(), ['Three', 'Two, later']);
    });

    it('each part with events says how many the calendar has', async () => {
      const feed = await bench.open();
      const counts = new Set<number | undefined>();

      for await (const { changed, expected } of feed.account.changesSince(
        '',
        undefined,
        async () => new Map(),
      ))
        if (changed.length > 0) counts.add(expected);

      assert.deepEqual([...counts], [2]);
    });

    it('a calendar that is generated for each request, in another order, has not changed', async () => {
      const feed = await bench.open();
      await feed.sync();
      pass();
      const stamped = (text: string) => text.replace('DTSTAMP:20260101T000000Z', 'DTSTAMP:20261122T101112Z');
      bench.server.say(calendarObject(stamped(vevent('two', 'Two')), stamped(vevent('one', 'One'))));

      assert.deepEqual(await feed.sync(), NOTHING);
    });

    it('lines that are folded elsewhere have not changed', async () => {
      const feed = await bench.open();
      await feed.sync();
      pass();
      bench.server.say(
        calendarObject(vevent('one', 'O\r\n ne'), vevent('two', 'Two')).replaceAll('\r\n', '\n'),
      );

      assert.deepEqual(await feed.sync(), NOTHING);
    });

    it('an event changes with the rules of the time zone it uses, and no other does', async () => {
      const zone = (offset: string) =>
        ['BEGIN:VTIMEZONE', 'TZID:Ours', 'BEGIN:STANDARD', 'DTSTART:20200101T000000']
          .concat(`TZOFFSETFROM:${offset}`, `TZOFFSETTO:${offset}`, 'END:STANDARD', 'END:VTIMEZONE', '')
          .join('\r\n');
      const events = [
        vevent('one', 'One', 'DTSTART;TZID=Ours:20260105T090000', 'DTEND;TZID=Ours:20260105T100000'),
        vevent('two', 'Two'),
      ];
      bench.server.say(calendarObject(zone('+0013'), ...events));
      const feed = await bench.open();
      await feed.sync();
      pass();
      bench.server.say(calendarObject(zone('+0017'), ...events));

      assert.deepEqual(await feed.sync(), { changed: ['One'], removed: [] });
    });

    it('an override belongs to its series, wherever it stands', async () => {
      const [, series = '', override = ''] = seriesWithOverride('weekly').split(/(?=BEGIN:VEVENT)/);
      bench.server.say(
        calendarObject(override.replace('END:VCALENDAR\r\n', ''), vevent('one', 'One'), series),
      );
      const feed = await bench.open();
      await feed.sync();

      const weekly = [...feed.resources.values()].find(({ events }) => events.length === 2);

      assert.deepEqual(feed.resources.size, 2);
      assert.deepEqual(weekly?.events.map(({ title }) => title).sort(), ['Weekly', 'Weekly moved']);
    });

    it('events without a UID keep their ids for as long as they say the same', async () => {
      const nameless = (title: string) => vevent('x', title).replace('UID:x\r\n', '');
      bench.server.say(calendarObject(nameless('One'), nameless('Two'), nameless('Two')));
      const feed = await bench.open();
      await feed.sync();
      const ids = [...feed.resources.keys()];
      pass();
      bench.server.say(calendarObject(nameless('Two'), nameless('Three'), nameless('One')));

      assert.equal(ids.length, 2, 'what is there twice is one event');
      assert.deepEqual(await feed.sync(), { changed: ['Three'], removed: [] });
      assert.ok(ids.every((id) => feed.resources.has(id)));
    });

    it('holidays of several years that share a UID are events of their own, with stable ids', async () => {
      const newYear = (year: number) =>
        vevent('new-year', `New Year ${year}`, `DTSTART;VALUE=DATE:${year}0101`);
      bench.server.say(calendarObject(newYear(2025), newYear(2026), newYear(2027)));
      const feed = await bench.open();
      await feed.sync();
      pass();
      bench.server.say(calendarObject(newYear(2026), newYear(2027), newYear(2028)));

      assert.deepEqual(await feed.sync(), { changed: ['New Year 2028'], removed: ['New Year 2025'] });
      assert.deepEqual(feed.titles(), ['New Year 2026', 'New Year 2027', 'New Year 2028']);
    });

    it('of two versions of one event the one with the higher SEQUENCE counts', async () => {
      const moved = vevent(
        'one',
        'Moved',
        'SEQUENCE:2',
        'DTSTART:20260106T090000Z',
        'DTEND:20260106T100000Z',
      );
      bench.server.say(calendarObject(moved, vevent('one', 'One', 'SEQUENCE:1')));
      const feed = await bench.open();
      await feed.sync();

      assert.deepEqual(feed.titles(), ['Moved']);
    });

    it('an event that is broken, or has no end, costs the others nothing', async () => {
      const endless = vevent('endless', 'Endless').replace('END:VEVENT\r\n', '');
      bench.server.say(
        calendarObject(
          vevent('bad', 'Bad', 'DTSTART:never'),
          endless,
          vevent('one', 'One'),
          'BEGIN:VTODO\r\nEND:VTODO\r\n',
        ),
      );
      const feed = await bench.open();
      await feed.sync();

      assert.deepEqual(feed.titles(), ['One']);
      assert.deepEqual([...feed.leftOut.values()], ['it has no readable start, or is not iCalendar']);
      assert.match(JSON.stringify(bench.log), /"event_not_read"/);
    });

    it('an event that is over the budget is left out and named, and the others are there', async () => {
      const rules = Array.from({ length: 30 }, () => 'RRULE:FREQ=DAILY');
      bench.server.say(calendarObject(vevent('many', 'Many', ...rules), vevent('one', 'One')));
      const feed = await bench.open();
      await feed.sync();

      assert.deepEqual(feed.titles(), ['One']);
      assert.deepEqual([...feed.leftOut.values()], ['it has more than 20 recurrence rules']);
    });

    it('what a text that was cut off does not have is not gone, and it is read again whole', async () => {
      const text = calendarObject(vevent('one', 'One'), vevent('two', 'Two'));
      bench.server.say(text, { etag: '"1"' });
      const feed = await bench.open();
      await feed.sync();
      pass();
      bench.server.say(text.slice(0, text.indexOf('UID:two')), { etag: '"2"' });

      assert.deepEqual(await feed.sync(), NOTHING);
      assert.deepEqual(feed.titles(), ['One', 'Two']);
      pass();
      await feed.sync();
      assert.equal(bench.server.calls.at(-1)?.['if-none-match'], undefined);
    });

    it('an answer that is no calendar any more leaves the events as they were', async () => {
      const feed = await bench.open();
      await feed.sync();
      pass();
      bench.server.say('<html>Please sign in</html>', { 'content-type': 'text/html' });

      assert.equal((await providerErrorOf(feed.sync())).kind, 'invalid_response');
      assert.deepEqual(feed.titles(), ['One', 'Two']);
    });

    it('a large calendar is read in threads, and of its second reading only what is new', async () => {
      const many = Array.from({ length: 5_500 }, (_, index) => vevent(`e${index}`, `Event ${index}`));
      bench.server.say(calendarObject(...many));
      const feed = await bench.open();
      assert.equal((await feed.sync()).changed.length, 5_500);
      pass();
      bench.server.say(calendarObject(...many.slice(1), vevent('new', 'New')));

      assert.deepEqual(await feed.sync(), { changed: ['New'], removed: ['Event 0'] });
    });
  });

  describe('when its server is asked', () => {
    const asked = () => bench.server.calls.splice(0).length;

    it('it is asked hourly while nobody reads it, and after five minutes while somebody does', async () => {
      const feed = await bench.open();
      await feed.sync();
      assert.equal(asked(), 1);
      for (const minutes of [15, 30, 45]) {
        pass(15 * MINUTE);
        await feed.sync();
        assert.equal(asked(), 0, `after ${minutes} minutes`);
      }
      pass(15 * MINUTE);
      await feed.sync();
      assert.equal(asked(), 1, 'after an hour');

      for (let second = 0; second < 290; second += 10) {
        pass(10_000);
        await feed.sync();
      }
      assert.equal(asked(), 0, 'however often it is read');
      pass(15_000);
      await feed.sync();
      assert.equal(asked(), 1, 'after five minutes');
    });

    it('it is asked by the version that was read, and an answer without a body changes nothing', async () => {
      const validators = { etag: '"7"', 'last-modified': 'Sun, 22 Nov 2026 00:00:00 GMT' };
      bench.server.say(calendarObject(vevent('one', 'One')), validators);
      const feed = await bench.open();
      await feed.sync();
      bench.server.answer = (headers) => ({ status: headers['if-none-match'] === '"7"' ? 304 : 500 });
      pass();

      assert.deepEqual(await feed.sync(), NOTHING);
      assert.equal(bench.server.calls.at(-1)?.['if-modified-since'], validators['last-modified']);
      pass();
      assert.deepEqual(await feed.sync(), NOTHING, 'nor does the second');
      assert.deepEqual(feed.titles(), ['One']);
    });

    for (const [what, header, headers] of [
      ['the calendar', ['REFRESH-INTERVAL;VALUE=DURATION:PT4H'], {}],
      ['the calendar, as older programs write it', ['X-PUBLISHED-TTL:PT4H'], {}],
      ['its server', [], { 'cache-control': 'public, max-age=14400' }],
    ] as const) {
      it(`the wait that ${what} asks for is kept, also while it is read`, async () => {
        bench.server.say(
          calendarObject(...header.map((line) => `${line}\r\n`), vevent('one', 'One')),
          headers,
        );
        const feed = await bench.open();
        await feed.sync();
        asked();
        for (let minutes = 0; minutes < 235; minutes += 5) {
          pass(5 * MINUTE);
          await feed.sync();
        }
        assert.equal(asked(), 0);
        pass(10 * MINUTE);
        await feed.sync();
        assert.equal(asked(), 1);
      });
    }

    it('a wait of a week is one of a day, and one of a second five minutes', async () => {
      for (const [wait, most] of [
        ['P1W', 24 * HOUR],
        ['PT1S', 5 * MINUTE],
      ] as const) {
        bench.server.say(calendarObject(`REFRESH-INTERVAL;VALUE=DURATION:${wait}\r\n`, vevent('one', 'One')));
        const feed = await bench.open();
        await feed.sync();
        asked();
        pass(most - 1);
        await feed.sync();
        assert.equal(asked(), 0);
        pass(1);
        await feed.sync();
        assert.equal(asked(), 1);
      }
    });

    it('a server that forbids keeping its answer says nothing of how long it holds', async () => {
      bench.server.say(calendarObject(vevent('one', 'One')), { 'cache-control': 'no-cache, max-age=99999' });
      const feed = await bench.open();
      await feed.sync();
      asked();
      pass(HOUR);
      await feed.sync();

      assert.equal(asked(), 1);
    });

    it('a server in trouble is left alone for five minutes, or for as long as it asks', async () => {
      const feed = await bench.open();
      await feed.sync();
      pass();
      bench.server.answer = { status: 503 };
      assert.equal((await providerErrorOf(feed.sync())).retryAfter, 5 * MINUTE);
      bench.server.answer = { status: 429, headers: { 'retry-after': '3600' } };
      assert.equal((await providerErrorOf(feed.sync())).retryAfter, HOUR);
      bench.server.say('<html>', {});
      assert.equal((await providerErrorOf(feed.sync())).retryAfter, 5 * MINUTE);
    });

    it('an address that is gone may come back; after three days its user is asked for another', async () => {
      const feed = await bench.open();
      await feed.sync();
      pass(24 * HOUR);
      for (const status of [401, 403, 404, 410]) {
        bench.server.answer = { status };
        const first = await providerErrorOf(feed.sync());
        assert.deepEqual([first.kind, first.reason], ['not_found', undefined], `${status}`);
      }
      pass(49 * HOUR);
      const last = await providerErrorOf(feed.sync());

      assert.deepEqual([last.kind, last.reason], ['unauthorized', 'calendar_gone']);
      assert.ok(!last.message.includes(SECRET));
    });

    it('a token that is not known, or of an older Kalends, is followed by a whole reading', async () => {
      const feed = await bench.open();
      for (const token of ['v0', '{"v":1,"feed":{}}']) {
        const reading = feed.account.changesSince('', token, async () => new Map());

        assert.equal((await providerErrorOf(Array.fromAsync(reading))).kind, 'sync_token_expired');
      }
    });
  });

  it('nothing that would change the calendar is sent', async () => {
    const { account } = await bench.open();
    const { writing, calendarWriting } = account;
    const target = { href: 'x', etag: undefined, stored: [] };
    const draft = { title: 'x', color: undefined, description: undefined, timeZone: undefined };
    const refusals = [
      writing.update('x', target, {}),
      writing.delete('x', target),
      writing.respond('x', target, { response: 'accepted', comment: undefined }),
      calendarWriting.change('x', {}),
      calendarWriting.delete('x'),
    ];
    for (const refusal of refusals) await assert.rejects(refusal, { reason: 'calendar_read_only' });
    await assert.rejects(calendarWriting.create(draft, 'k'), {
      reason: 'calendar_creation_not_supported_by_provider',
    });
    assert.equal(bench.server.calls.length, 0);
  });
});
