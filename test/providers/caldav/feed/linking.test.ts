/** Linking a calendar by its address: which addresses are accepted, what is shown of it, and why one is refused. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createEgress, type Egress } from '../../../../src/lib/egress/egress.ts';
import { EgressError } from '../../../../src/lib/egress/egress-error.ts';
import { hostOfUrl } from '../../../../src/lib/host-of-url.ts';
import { caldavProvider } from '../../../../src/providers/caldav/caldav-provider.ts';
import { readFeedAddress } from '../../../../src/providers/caldav/feed/feed-address.ts';
import { fetchFeed } from '../../../../src/providers/caldav/feed/fetch-feed.ts';
import { providerErrorOf } from '../../../harness/provider-error-of.ts';
import { FeedServer, SECRET } from '../../../servers/feed-server.ts';
import { calendarObject, event, vevent } from '../../../servers/icalendar.ts';
import { recordingLog } from '../../../servers/recording-log.ts';
import { type FeedBench, openFeedBench } from './feed-bench.ts';

const named = (...header: readonly string[]) =>
  event('one', 'One').replace('VERSION:2.0', ['VERSION:2.0', ...header].join('\r\n'));

describe('linking a calendar by its address', () => {
  let bench: FeedBench;
  before(async () => {
    bench = await openFeedBench();
  });
  after(() => bench.close());
  beforeEach(() => bench.server.say(event('one', 'One')));

  it('a calendar is linked by its address, in one request and without a name or password', async () => {
    bench.server.calls.length = 0;
    bench.server.say(named('X-WR-CALNAME:Holidays', 'METHOD:PUBLISH'));

    const { display, provesOwner } = await bench.link();

    assert.equal(display, 'Holidays (127.0.0.1)');
    assert.equal(provesOwner, false);
    assert.equal(bench.server.calls.length, 1);
    assert.equal(bench.server.calls[0]?.authorization, undefined);
  });

  it('an address is taken as it is pasted', () => {
    const pasted = {
      ' webcal://cal.example/a.ics ': 'https://cal.example/a.ics',
      'WEBCALS://cal.example/a.ics': 'https://cal.example/a.ics',
      'cal.example/a.ics': 'https://cal.example/a.ics',
      'https://CAL.example/A.ics?x=1#top': 'https://cal.example/A.ics?x=1',
      'http://cal.example/a': 'http://cal.example/a',
    };
    for (const [typed, address] of Object.entries(pasted)) assert.equal(readFeedAddress(typed).href, address);
  });

  it('what is no address of the web is refused, and so is one with a name or password in it', async () => {
    for (const typed of [
      'jane@example.com',
      'two words.example',
      'ftp://cal.example/a.ics',
      'file:///etc/passwd',
      '',
    ]) {
      assert.equal((await providerErrorOf(bench.link(typed))).detail, 'no_address', typed);
    }
    const typed = 'https://jane:secret@cal.example/a.ics';
    assert.equal((await providerErrorOf(bench.link(typed))).detail, 'address_credentials');
  });

  it('an address is the same account for every user, and another address is another account', async () => {
    const [first, again, other] = [
      await bench.link(),
      await bench.link(),
      await bench.link(`${bench.server.address}?2`),
    ];

    assert.equal(again.accountId, first.accountId);
    assert.equal(again.identity, first.identity);
    assert.notEqual(other.accountId, first.accountId);
  });

  it('the id of an account shows the host of its address and nothing more, and cannot be found out by guessing', async () => {
    const { accountId } = await bench.link();
    const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    const feedKey = Buffer.alloc(32, 8);
    const elsewhere = caldavProvider({ egress, log: recordingLog().log, now: Date.now, feedKey });

    assert.match(accountId, /^feed:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/);
    assert.equal(hostOfUrl(accountId), '127.0.0.1', 'by which turns at one server are taken');
    assert.notEqual((await elsewhere.signIn.verifyAddress?.(bench.server.address))?.accountId, accountId);
    await egress.close();
  });

  it('an address proves nothing about who has it: it takes any password, and none is asked for', async () => {
    const { credentials } = await bench.link();
    bench.server.calls.length = 0;

    assert.equal(await bench.provider.signIn.takesAnyPassword(credentials), true);
    assert.equal(bench.provider.signIn.remembered?.(credentials), undefined);
    assert.equal(bench.server.calls.length, 0);
  });

  it('each refusal says what is wrong with the address, and only its host', async () => {
    const html = { body: '<!doctype html><p>BEGIN</p>', headers: { 'content-type': 'text/html' } };
    const refusals = [
      [html, 'invalid_response', 'no_calendar'],
      [{ body: '' }, 'invalid_response', 'no_calendar'],
      [{ status: 404 }, 'not_found', undefined],
      [{ status: 410 }, 'not_found', undefined],
      [{ status: 401 }, 'unauthorized', 'sign_in_needed'],
      [{ status: 403 }, 'not_found', 'sign_in_needed'],
      [{ status: 429 }, 'rate_limited', undefined],
      [{ status: 503 }, 'unavailable', undefined],
      [{ status: 418 }, 'invalid_response', undefined],
      [{ status: 304 }, 'invalid_response', undefined],
      [{ body: `BEGIN:VCALENDAR\r\n${'X'.repeat(10_000_001)}` }, 'too_large', undefined],
      [{ status: 302, headers: { location: 'https://10.0.0.1/a.ics' } }, 'forbidden_address', undefined],
      [{ status: 302, headers: { location: SECRET } }, 'invalid_response', undefined],
    ] as const;
    for (const [answer, kind, detail] of refusals) {
      bench.server.answer = answer;
      const failure = await providerErrorOf(bench.link());

      assert.deepEqual([failure.kind, failure.detail], [kind, detail], JSON.stringify(answer).slice(0, 80));
      for (let error: unknown = failure; error instanceof Error; error = error.cause)
        assert.ok(!`${error.stack}`.includes(SECRET), `${error.stack}`);
    }
  });

  it('a redirect is followed, and the account stays that of the address that was typed', async () => {
    const { accountId } = await bench.link();
    bench.server.answer = (_, path) =>
      path === SECRET ? { status: 301, headers: { location: '/moved.ics' } } : { body: event('one', 'One') };

    assert.equal((await bench.link()).accountId, accountId);
  });

  it('a redirect to a private address is not followed where those are opened, but at the origin that was typed', async () => {
    const other = new FeedServer();
    await other.start();
    const { port } = new URL(other.origin);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])
      for (const scheme of ['http', 'https']) {
        const location = `${scheme}://${host}:${port}/any?query`;
        bench.server.answer = { status: 302, headers: { location } };
        assert.equal((await providerErrorOf(bench.link())).kind, 'forbidden_address', location);
      }
    assert.equal(other.calls.length, 0);
    await other.stop();
  });

  it('what another host answers is not told, whatever it is', async () => {
    const refusals = [401, 404, 429, 503].map((status) => ({ status, header: () => undefined }));
    const told = [];
    for (const answer of [...refusals, new EgressError('unreachable', 'x'), new EgressError('tls', 'x')]) {
      const egress: Egress = {
        async request({ mayFollow }) {
          assert.equal(mayFollow?.(new URL('https://other.example/b.ics')), true);
          if (answer instanceof EgressError) throw answer;
          return { ...answer, url: new URL('https://other.example/b.ics'), body: Buffer.alloc(0) };
        },
        close: async () => undefined,
      };
      const { kind, detail, message } = await providerErrorOf(
        fetchFeed(new URL('https://cal.example/a.ics'), undefined, egress),
      );
      told.push(JSON.stringify([kind, detail, message]));
    }

    assert.equal(new Set(told).size, 1, `${told}`);
  });

  it('a calendar without events is one', async () => {
    bench.server.say(calendarObject());

    assert.equal((await bench.link()).display, '127.0.0.1');
  });

  it('the calendar has the name, text, colour and zone that it gives itself, and can only be read', async () => {
    bench.server.say(
      named(
        'X-WR-CALNAME:Old',
        'NAME:Team\\, games',
        'X-WR-CALDESC:All',
        'COLOR:turquoise',
        'X-WR-TIMEZONE:Europe/Rome',
      ),
    );
    const feed = await bench.open();

    const { href, original, ...calendar } = await feed.list();

    assert.deepEqual(calendar, {
      title: 'Team, games',
      description: 'All',
      color: '#40e0d0',
      timeZone: 'Europe/Rome',
      access: 'read',
    });
    assert.match(href, /^feed:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/);
    assert.equal(bench.server.calls.length, 0, 'it was read when it was linked');
    await feed.sync();
    assert.equal((await feed.list()).original['X-WR-CALNAME'], 'Old');
  });

  it('Apple’s colour counts, and the one zone that is described where none is named', async () => {
    const zone = ['BEGIN:VTIMEZONE', 'TZID:Europe/Oslo', 'END:VTIMEZONE', ''].join('\r\n');
    bench.server.say(calendarObject('X-APPLE-CALENDAR-COLOR:#FF2968FF\r\n', zone, vevent('one', 'One')));
    const { color, timeZone } = await (await bench.open()).list();

    assert.deepEqual([color, timeZone], ['#ff2968', 'Europe/Oslo']);
  });

  it('a new name, colour and zone are taken over once the calendar was read again', async () => {
    const feed = await bench.open();
    await feed.list();
    await feed.sync();
    bench.server.say(named('X-WR-CALNAME:Renamed', 'X-WR-TIMEZONE:Asia/Tokyo'));
    bench.clock.now += 2 * 3_600_000;
    await feed.sync();
    const renamed = await feed.list();
    feed.forget();

    assert.deepEqual([renamed.title, renamed.timeZone], ['Renamed', 'Asia/Tokyo']);
    assert.equal((await feed.list()).title, 'Renamed', 'and stay while it is read anew');
  });

  it('nothing that a calendar declares about itself shows its secret address', async () => {
    const { address } = bench.server;
    bench.server.say(
      named(
        `X-WR-CALNAME:From ${address}`,
        `X-WR-CALDESC:See ${address}`,
        `SOURCE;VALUE=URI:${address}`,
        `URL:${address}`,
      ),
    );
    const feed = await bench.open();
    await feed.sync();

    const shown = JSON.stringify([await feed.list(), bench.log]);

    assert.ok(!shown.includes(SECRET), shown);
    assert.ok(shown.includes('"title":"127.0.0.1"'), shown);
  });

  it('nor a part of it that is no word, as it is written or meant, nor of where it redirects, nor cut off', async () => {
    const path = '/cal/private-3f9c1d77%20aa4e/words-only/basic.ics?key=s3cret%2Btoken&x=1';
    const final = '/moved/0123456789abcdef.ics';
    const told = [
      'private-3f9c1d77%20aa4e',
      'private-3f9c1d77 aa4e',
      's3cret%2Btoken',
      's3cret+token',
      final.slice(7),
    ];
    for (const [index, text] of told.entries()) {
      const padding = 'x'.repeat(200 - 4);
      const body = named(`X-WR-CALNAME:${padding}${text}`, `X-WR-CALDESC:On ${text}`, `PRODID:words-only`);
      bench.server.answer = (_, asked) =>
        asked === path ? { status: 301, headers: { location: final } } : { body: String(body) };
      const feed = await bench.open(`${bench.server.origin}${path}`);
      await feed.sync();
      const shown = await feed.list();

      assert.equal(shown.title, '127.0.0.1', text);
      assert.equal(shown.description, undefined, text);
      assert.deepEqual(shown.original, { PRODID: 'words-only' }, `${index}`);
    }
  });
});
