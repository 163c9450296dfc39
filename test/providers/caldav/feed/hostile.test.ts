/** Hostile events in a calendar that is read from its address: they do not affect its other events. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { toInstant } from '../../../../src/lib/recurrence/event-instant.ts';
import type { WorkPool, WorkTask } from '../../../../src/lib/work-pool/work-pool.ts';
import { WorkStopped } from '../../../../src/lib/work-pool/work-stopped.ts';
import { FEED, type FeedInput } from '../../../../src/providers/caldav/feed/feed-task.ts';
import { workPools } from '../../../../src/start/work-pools.ts';
import { providerErrorOf } from '../../../harness/provider-error-of.ts';
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

        assert.deepEqual((await feed.sync()).removed, []);
        assert.deepEqual(feed.titles(), ['One', 'Three', 'Two']);
      });

  it('lines that end with a carriage return alone are lines where the text has no others', async () => {
    bench.server.say(calendarObject(one, three).replaceAll('\r\n', '\r'));
    const feed = await bench.open();
    await feed.sync();

    assert.deepEqual(feed.titles(), ['One', 'Three']);
  });

  it('a UID that looks like another with its start names an event of its own', async () => {
    const years = [2026, 2027].map((year) =>
      vevent('holiday', `Holiday ${year}`).replaceAll('2026', `${year}`),
    );
    const [start = ''] = /DTSTART.*/.exec(years[0] ?? '') ?? [];
    bench.server.say(calendarObject(...years, vevent(`holiday\\n${start}`, 'Two')));
    const feed = await bench.open();
    await feed.sync();

    assert.deepEqual(feed.titles(), ['Holiday 2026', 'Holiday 2027', 'Two']);
  });

  it('a time zone whose name has a comma in it is found', async () => {
    const zone = ['BEGIN:VTIMEZONE', 'TZID:Acme\\, HQ', 'BEGIN:STANDARD', 'DTSTART:19700101T000000']
      .concat(['TZOFFSETFROM:+0245', 'TZOFFSETTO:+0245', 'END:STANDARD', 'END:VTIMEZONE', ''])
      .join('\r\n');
    const start = 'DTSTART;TZID="Acme, HQ":20260105T120000';
    bench.server.say(
      calendarObject(zone, vevent('one', 'One', start, 'DTEND;TZID="Acme, HQ":20260105T130000')),
    );
    const feed = await bench.open();
    await feed.sync();

    const [event] = [...feed.resources.values()].flatMap(({ events }) => events);
    assert.ok(event !== undefined);
    assert.equal(toInstant(event.start, 'UTC'), Date.parse('2026-01-05T09:15:00Z'));
  });

  it('a line that is folded in the middle of a character is read', async () => {
    const [before, behind] = calendarObject(vevent('one', 'One'), vevent('two', 'Zoë')).split('ë');
    const [first, second] = Buffer.from('ë');
    const folded = [
      Buffer.from(`${before}`),
      [first ?? 0],
      Buffer.from('\r\n '),
      [second ?? 0],
      Buffer.from(`${behind}`),
    ];
    bench.server.say(Buffer.concat(folded.map((piece) => Uint8Array.from(piece))));
    const feed = await bench.open();
    await feed.sync();

    assert.deepEqual(feed.titles(), ['One', 'Zoë']);
  });
});

describe('what takes a thread too much to read', () => {
  const titles = (feed: { titles(): string[] }) => feed.titles().sort();
  const long = Array.from({ length: 300 }, (_, index) => vevent(`e${index}`, `E${index}`));

  it('an event in a calendar by its address is left out by its name, and the others are read', async () => {
    const heavy = new Set([nameOf('e20'), nameOf('e250')]);
    const bench = await openFeedBench({ syncWork: threadThatEndsAt(heavy) });
    try {
      bench.server.say(calendarObject(...long));
      const feed = await bench.open();
      await feed.sync();

      assert.equal(titles(feed).length, 298);
      assert.deepEqual(new Set(feed.leftOut.keys()), heavy);
      assert.match([...feed.leftOut.values()][0] ?? '', /too long to read/);
    } finally {
      await bench.close();
    }
  });

  it('a calendar as a whole is refused', async () => {
    const bench = await openFeedBench({ syncWork: threadThatEndsAt('any text') });
    try {
      bench.server.say(calendarObject(...long));
      assert.match((await providerErrorOf(bench.link())).message, /too long to read/);
    } finally {
      await bench.close();
    }
  });
});

describe('a calendar by its address that is large', () => {
  it('is read in runs of some two million characters, and each event once', async () => {
    const { syncWork, readWork } = workPools();
    const runs: number[] = [];
    const run = async <Part>(task: WorkTask) => {
      const result = await syncWork.run<Part>(task);
      runs.push(JSON.stringify(result.parts).length);
      return result;
    };
    const bench = await openFeedBench({
      syncWork: { run, load: () => syncWork.load(), close: () => syncWork.close() },
    });
    try {
      const text = `DESCRIPTION:${'x'.repeat(60_000)}`;
      const events = Array.from({ length: 100 }, (_, i) => vevent(`e${i}`, `E${i}`, text));
      bench.server.say(calendarObject(...events));
      const feed = await bench.open();
      runs.length = 0;
      const { changed } = await feed.sync();

      assert.equal(changed.length, 100);
      assert.equal(new Set(changed).size, 100);
      assert.equal(runs.length, 3);
      // Each event has its text twice: as its description and in `original`.
      assert.ok(Math.max(...runs) < 4_500_000, `${runs}`);
    } finally {
      await bench.close();
      await Promise.all([syncWork.close(), readWork.close()]);
    }
  });
});

/** Returns the name of the resource of an event with this UID. */
const nameOf = (uid: string): string => hash('sha256', uid, 'base64url');

/** Threads whose time is over as soon as they come to one of these resources, which they say only where they are careful. */
function threadThatEndsAt(heavy: ReadonlySet<string> | 'any text'): WorkPool {
  return {
    async run<Part>({ input }: WorkTask) {
      const parts: Part[] = [];
      const stopped = new WorkStopped('deadline');
      if (heavy === 'any text') return { parts, stopped };
      const read = input as FeedInput;
      for (const part of FEED.run(read)) {
        if (read.isCareful && part.isNext !== undefined && heavy.has(part.isNext.href)) {
          parts.push({ part, ms: 1 } as Part);
          return { parts, stopped };
        }
        // A read that is not careful processes several resources before it reports them.
        if (!read.isCareful && part.changed.some(({ href }) => heavy.has(href))) return { parts, stopped };
        parts.push({ part, ms: 1 } as Part);
      }
      return { parts, stopped: undefined };
    },
    load: () => ({ threads: 0, running: 0, waiting: 0 }),
    close: async () => {},
  };
}
