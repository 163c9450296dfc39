/** Links in events of a calendar by its address: those to the address are removed, as everyone who has it can read the calendar. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Changes } from '../../../../src/calendars/calendar-provider.ts';
import { calendarObject, vevent } from '../../../servers/icalendar.ts';
import { type FeedBench, HOUR, openFeedBench } from './feed-bench.ts';

describe('links of a calendar to its own address', () => {
  let bench: FeedBench;
  before(async () => {
    bench = await openFeedBench();
  });
  after(() => bench.close());

  const linesRead = async (...lines: readonly string[]): Promise<string[]> => {
    bench.server.say(calendarObject(vevent('one', 'One', ...lines)));
    const feed = await bench.open();
    await feed.sync();
    const text = JSON.stringify([...feed.resources.values()]);
    return lines.filter((line) =>
      text.includes(JSON.stringify(line.slice(line.indexOf('://'))).slice(1, -1)),
    );
  };
  const host = () => new URL(bench.server.origin).host;
  const path = 'private-3f9c1d77aa4e';

  it('are removed from an event, whichever property has them', async () => {
    const { address } = bench.server;
    const lines = [
      `URL:${address}`,
      `SOURCE;VALUE=URI:${address}`,
      `ATTACH;FMTTYPE=text/calendar:${address}`,
      `IMAGE;VALUE=URI;DISPLAY=BADGE:${address}/logo.png`,
      `CONFERENCE;VALUE=URI;FEATURE=VIDEO:${address}?event=one`,
    ];
    assert.deepEqual(await linesRead(...lines), []);
    const folded = `URL:${address}`.replace(path, `${path.slice(0, 9)}\r\n ${path.slice(9)}`);
    const alarm = ['BEGIN:VALARM', 'ACTION:AUDIO', 'TRIGGER:-PT5M', `ATTACH:${address}`, 'END:VALARM'];
    bench.server.say(calendarObject(vevent('one', 'One', folded, ...alarm)));
    const feed = await bench.open();
    await feed.sync();
    assert.deepEqual(feed.titles(), ['One']);
    assert.ok(!JSON.stringify([...feed.resources.values()]).includes(path));
  });

  it('are removed in every spelling', async () => {
    const spelled = [
      `webcal://${host()}/${path}/basic.ics`,
      `HTTP://${host()}/x/${path}`,
      `http://user@${host()}/?key=${path}`,
      `http://127.1/${path}`,
      `http://${host()}/${path.replace('3', '%33')}/`,
      `https://elsewhere.example/?to=http://${host()}/${path}`,
    ];
    for (const url of spelled) assert.deepEqual(await linesRead(`URL:${url}`), [], url);
  });

  it('are no other links: of other hosts, without a part of the address, or that are no URL', async () => {
    const lines = [
      `URL:https://elsewhere.example/${path}`,
      `ATTACH:http://${host()}/events/one`,
      `CONFERENCE;VALUE=URI:https://meet.example/3f9c1d77`,
      'ATTACH:http://[',
      `DESCRIPTION:See http://${host()}/about`,
    ];
    assert.deepEqual(await linesRead(...lines), lines);
  });

  it('are removed from what an older version read, although nothing changed at the server', async () => {
    const text = calendarObject(vevent('one', 'One', `URL:${bench.server.address}`));
    bench.server.answer = (headers) =>
      headers['if-none-match'] === undefined ? { body: text, headers: { etag: '"1"' } } : { status: 304 };
    const { account } = await bench.open();
    const read = async (token: string | undefined) => {
      bench.clock.now += 2 * HOUR;
      const parts: Changes[] = [];
      for await (const part of account.changesSince(bench.server.address, token, async () => known))
        parts.push(part);
      const changed = parts.flatMap((part) => part.changed);
      return { next: parts.at(-1)?.next ?? '', hrefs: changed.map(({ href }) => href) };
    };
    const known = new Map<string, string>();
    const { next, hrefs } = await read(undefined);
    for (const href of hrefs) known.set(href, 'of an older version');
    const older = next.replace(/"digest":"\d+:/, '"digest":"');

    assert.notEqual(older, next);
    assert.deepEqual((await read(next)).hrefs, []);
    assert.deepEqual((await read(older)).hrefs, hrefs);
  });
});
