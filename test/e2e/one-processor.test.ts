/** The program with one processor, and so one work thread for each pool: what one user reads holds up nobody else. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { counterpart } from '../harness/counterpart.ts';
import { FeedServer, SECRET } from '../servers/feed-server.ts';
import { calendarObject, vevent } from '../servers/icalendar.ts';
import { type Browser, openBrowser } from './browser.ts';
import { allow, authorizeUrl, connect, exchange, jsonOf, linkFeed, read, tokensOf } from './flow.ts';
import { openSite, putEvent, type Site, WITHOUT_RADICALE } from './site.ts';

const skip = WITHOUT_RADICALE || counterpart('taskset', '/usr/bin/taskset').skip;
/** Large enough to be read in a thread, with a rule that is placed in one: 28 kB. */
const RULE = 'RRULE:FREQ=MONTHLY;BYMONTHDAY=15;COUNT=3';
const NOTE = `DESCRIPTION:${'x'.repeat(250)}`;
const FEED = calendarObject(
  ...Array.from({ length: 60 }, (_, i) => vevent(`e${i}`, `Event ${i}`, RULE, NOTE)),
);
const YEAR = 'start=2026-01-01T00:00:00Z&end=2027-01-01T00:00:00Z&pageSize=1000';

describe('the program with one processor', { skip }, () => {
  const server = new FeedServer();
  let site: Site;
  before(async () => {
    await server.start();
    server.answer = (_, place) => (place === SECRET ? { body: FEED } : { status: 404 });
    site = await openSite({ isPinned: true });
    const times = ['DTSTAMP:20260101T000000Z', 'DTSTART:20260107T090000Z', 'DURATION:PT1H'];
    const dinner = ['BEGIN:VEVENT', 'UID:dinner', ...times, 'SUMMARY:Dinner', RULE, 'END:VEVENT'];
    await putEvent(site.calendars, 'dinner', dinner);
  });
  after(async () => {
    await site?.close();
    await server.stop();
  });

  const feedOf = async (userId: string) => {
    const browser: Browser = openBrowser();
    await browser.open(authorizeUrl(site.application, { userId, parameters: { scope: 'read' } }));
    await linkFeed(browser, server.address);
    await allow(browser);
    return (await tokensOf(await exchange(site.application, userId))).accessToken;
  };
  const titles = async (token: string) => {
    const { events, errors } = await jsonOf(await read(site.application, `/events?${YEAR}`, token));
    assert.equal(errors, undefined);
    return (events as { title: string }[]).map(({ title }) => title);
  };

  it('reads a feed whose events are placed in the thread that read it', async () => {
    assert.equal((await titles(await feedOf('ada'))).length, 60 * 3);
  });

  it('links and reads feeds and CalDAV for others meanwhile', async () => {
    const first = feedOf('eve').then(titles);
    const { accessToken } = await connect(site.application, { userId: 'ben', login: site.login });
    const others = await Promise.all([titles(accessToken), feedOf('cat').then(titles)]);

    assert.deepEqual(others[0], ['Dinner', 'Dinner', 'Dinner']);
    assert.equal(others[1].length, 60 * 3);
    assert.equal((await first).length, 60 * 3);
    assert.doesNotMatch(site.program.output().stderr, /"level":(?:40|50)/);
  });
});
