/** What strangers write into a calendar that is read from its address: it costs the other events nothing. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { calendarObject, vevent } from '../../../servers/icalendar.ts';
import { type FeedBench, HOUR, openFeedBench } from './feed-bench.ts';

describe('what strangers write into a calendar by its address', () => {
  let bench: FeedBench;
  before(async () => {
    bench = await openFeedBench();
  });
  after(() => bench.close());

  const [one, three] = [vevent('one', 'One'), vevent('three', 'Three')];

  for (const [name, end] of [
    ['U+2028', '\u2028'],
    ['U+2029', '\u2029'],
    ['a carriage return alone', '\r'],
  ] as const)
    for (const mark of ['END:VCALENDAR', 'END:VEVENT', 'BEGIN:VTODO', 'BEGIN:VEVENT'])
      it(`${mark} between ${name} and another in a description ends no other event`, async () => {
        bench.server.say(calendarObject(one, vevent('two', 'Two'), three));
        const feed = await bench.open();
        await feed.sync();
        bench.clock.now += 2 * HOUR;
        const written = vevent('two', 'Two', `DESCRIPTION:Hello${end}${mark}${end}`);
        bench.server.say(calendarObject(one, written, three));

        assert.deepEqual(
          (await feed.sync()).removed.filter((title) => title !== 'Two'),
          [],
        );
        const titles = feed.titles();
        assert.ok(titles.includes('One') && titles.includes('Three'), `${titles}`);
      });

  it('lines that end with a carriage return alone are lines where the text has no others', async () => {
    bench.server.say(calendarObject(one, three).replaceAll('\r\n', '\r'));
    const feed = await bench.open();
    await feed.sync();

    assert.deepEqual(feed.titles(), ['One', 'Three']);
  });
});
