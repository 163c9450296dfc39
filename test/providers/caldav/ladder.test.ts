/** How changes are found: by sync-collection, ctag or etags, whatever habits the server has. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { CalendarAccount } from '../../../src/calendars/calendar-provider.ts';
import { ProviderError, type ProviderErrorKind } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { openAccount } from '../../../src/providers/caldav/caldav-account.ts';
import { type Mirror, sync, titles } from '../../servers/mirror.ts';
import { CALENDAR, condition, gone, multistatus, OddCalDav, present } from '../../servers/odd-caldav.ts';
import { USERS } from '../../servers/process.ts';
import { type LogEntry, recordingLog } from '../../servers/recording-log.ts';

const HOUR = 3600 * 1000;

const failsAs = (kind: ProviderErrorKind, retryAfter?: number) => (failure: unknown) =>
  failure instanceof ProviderError && failure.kind === kind && failure.retryAfter === retryAfter;

describe('changes of a CalDAV calendar', () => {
  let server: OddCalDav;
  let egress: Egress;
  let account: CalendarAccount;
  let mirror: Mirror;
  let entries: LogEntry[];
  let now: number;

  beforeEach(async () => {
    server = new OddCalDav();
    await server.start();
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    now = Date.UTC(2026, 10, 21);
    mirror = new Map();
    const recording = recordingLog();
    entries = recording.entries;
    const { origin } = server;
    account = openAccount(
      {
        username: 'ada',
        password: USERS.ada ?? '',
        principal: `${origin}/principal/`,
        homes: [`${origin}/dav/ada/`],
        origins: [origin],
      },
      { egress, log: recording.log, now: () => now },
    );
    server.put('a.ics');
    server.put('b.ics');
  });
  afterEach(async () => {
    await egress.close();
    await server.stop();
  });

  const pull = async (token?: string) => (await sync(account, server.origin + CALENDAR, mirror, token)).next;
  const refuse = (kind: string, status: number) => {
    server.odd = (call) => (call.kind === kind ? { status } : undefined);
  };

  describe('by sync-collection', () => {
    it('sync-collection costs one small request when nothing changed', async () => {
      const next = await pull();
      server.takeCalls();

      await pull(next);

      assert.deepEqual(server.takeCalls(), ['sync-collection 0']);
    });

    it('sync-collection continues with the returned token while the server truncates its responses', async () => {
      const pages = ['a.ics', 'b.ics', 'c.ics'];
      server.put('c.ics');
      server.odd = ({ kind, body }) => {
        if (kind !== 'sync-collection') return undefined;
        const page = Number(/urn:page:(\d)/.exec(body)?.[1] ?? 0);
        const cut = page < 2 ? gone(CALENDAR, '507 Insufficient Storage') : '';
        const token = `<d:sync-token>urn:page:${page + 1}</d:sync-token>`;
        return multistatus(server.member(pages[page] ?? '') + cut + token);
      };

      const next = await pull();

      assert.deepEqual(titles(mirror), pages);
      assert.equal(JSON.parse(next).token, 'urn:page:3');
    });

    it('sync-collection is left when its pages do not move on', async () => {
      server.odd = ({ kind }) =>
        kind === 'sync-collection'
          ? multistatus(`${gone(CALENDAR, '507 Insufficient Storage')}<d:sync-token>urn:same</d:sync-token>`)
          : undefined;

      const next = await pull();

      assert.deepEqual(titles(mirror), ['a.ics', 'b.ics']);
      assert.equal(JSON.parse(next).method, 'compare');
    });

    it('a calendar is compared again if an older Kalends wrote its token', async () => {
      const older = JSON.stringify({ ...JSON.parse(await pull()), v: 1 });

      await assert.rejects(pull(older), failsAs('sync_token_expired'));
    });

    for (const status of [403, 409, 410, 412])
      it(`${status} with valid-sync-token is taken for an expired token`, async () => {
        const next = await pull();
        server.odd = ({ kind }) =>
          kind === 'sync-collection' ? condition(status, 'valid-sync-token') : undefined;

        await assert.rejects(pull(next), failsAs('sync_token_expired'));
      });

    it('SOGo, whose tokens are whole seconds, is asked from two seconds earlier, and what is known is left out', async () => {
      const sogo = '/SOGo/dav/ada/Calendar/';
      const tokens: string[] = [];
      server.odd = ({ kind, body, path }) => {
        if (!path.startsWith(sogo)) return undefined;
        if (kind === 'calendar-multiget') return multistatus(server.member('a.ics', true, `${sogo}a.ics`));
        tokens.push(/<d:sync-token>([^<]*)</.exec(body)?.[1] ?? '');
        return multistatus(
          `${server.member('a.ics', false, `${sogo}a.ics`)}<d:sync-token>1795233950</d:sync-token>`,
        );
      };
      const { next } = await sync(account, server.origin + sogo, mirror);

      const { changed } = await sync(account, server.origin + sogo, mirror, next);

      assert.deepEqual(tokens, ['', '1795233948']);
      assert.deepEqual(changed, []);
    });

    it('an event that became a task is taken for gone', async () => {
      const next = await pull();
      server.put('a.ics', 'BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:a\r\nEND:VTODO\r\nEND:VCALENDAR\r\n');

      await pull(next);

      assert.deepEqual(titles(mirror), ['b.ics']);
    });
  });

  describe('when sync-collection is refused', () => {
    for (const status of [400, 403, 404, 405, 415, 418, 500, 501])
      it(`etags are compared for a day after ${status}, then sync-collection is tried again, and nothing is lost on either way`, async () => {
        const synced = await pull();
        // 403 to a token in use means the token, so that the report itself is refused from the start.
        const before = status === 403 ? undefined : synced;
        refuse('sync-collection', status);
        server.put('c.ics');
        server.remove('a.ics');

        const compared = await pull(before);
        assert.deepEqual(titles(mirror), ['b.ics', 'c.ics']);
        now += 23 * HOUR;
        server.takeCalls();
        server.put('d.ics');
        const again = await pull(compared);
        assert.ok(!server.takeCalls().includes('sync-collection 0'), 'not tried within a day');
        server.odd = () => undefined;
        now += 2 * HOUR;
        server.remove('b.ics');
        const healed = await pull(again);

        assert.deepEqual(titles(mirror), ['c.ics', 'd.ics']);
        assert.deepEqual(server.takeCalls(), ['sync-collection 0'], 'nothing known is fetched again');
        assert.equal(JSON.parse(healed).method, 'sync-collection');
        assert.ok(entries.some(({ message }) => message.includes('sync-collection')));
      });

    it('etags are compared when the answer has no token', async () => {
      server.odd = ({ kind }) => (kind === 'sync-collection' ? multistatus('') : undefined);

      assert.equal(JSON.parse(await pull()).method, 'compare');
      assert.deepEqual(titles(mirror), ['a.ics', 'b.ics']);
    });

    it('an unchanged ctag is believed once it is settled, for an hour', async () => {
      refuse('sync-collection', 501);
      const fresh = await pull();
      server.takeCalls();

      now += 5000;
      const settled = await pull(fresh);
      assert.deepEqual(
        server.takeCalls(),
        ['PROPFIND 0', 'calendar-query 1'],
        'a fresh ctag may hide a change',
      );
      now += 60_000;
      const trusted = await pull(settled);
      assert.deepEqual(server.takeCalls(), ['PROPFIND 0']);
      now += HOUR;
      await pull(trusted);
      assert.deepEqual(server.takeCalls(), ['PROPFIND 0', 'calendar-query 1']);
    });

    it('etags are compared each time where there is no ctag', async () => {
      server.odd = ({ kind, depth }) => {
        if (kind === 'sync-collection') return { status: 501 };
        return kind === 'PROPFIND' && depth === '0' ? multistatus(present(CALENDAR, '')) : undefined;
      };
      let next = await pull();
      for (let round = 0; round < 3; round += 1) {
        now += 60_000;
        server.put(`new-${round}.ics`);
        next = await pull(next);
      }

      assert.equal(mirror.size, 5);
    });

    it('the collection is listed where the query is refused or cut short', async () => {
      for (const answer of [{ status: 403 }, multistatus(gone(CALENDAR, '507 Insufficient Storage'))]) {
        server.odd = ({ kind }) => {
          if (kind === 'sync-collection') return { status: 501 };
          return kind === 'calendar-query' ? answer : undefined;
        };
        mirror.clear();

        await pull();

        assert.deepEqual(titles(mirror), ['a.ics', 'b.ics']);
      }
    });

    it('no deletion is concluded from a listing that stays cut short', async () => {
      const next = await pull();
      server.odd = ({ kind, depth }) => {
        if (kind === 'sync-collection' || kind === 'calendar-query') return { status: 501 };
        const cut = multistatus(gone(CALENDAR, '507 Insufficient Storage'));
        return kind === 'PROPFIND' && depth === '1' ? cut : undefined;
      };

      await assert.rejects(pull(next), failsAs('invalid_response'));
      assert.deepEqual(titles(mirror), ['a.ics', 'b.ics']);
    });
  });

  describe('whatever the rung', () => {
    const passing: [number, ProviderErrorKind, Record<string, string>, number | undefined][] = [
      [401, 'unauthorized', {}, undefined],
      [429, 'rate_limited', { 'retry-after': '7' }, 7000],
      [
        503,
        'unavailable',
        { date: 'Sat, 21 Nov 2026 10:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT' },
        30_000,
      ],
      [502, 'unavailable', {}, undefined],
      [504, 'unavailable', {}, undefined],
    ];
    for (const [status, kind, headers, retryAfter] of passing)
      it(`reports ${status} as ${kind}, and infers nothing else from it`, async () => {
        const next = await pull();
        server.odd = () => ({ status, headers });

        await assert.rejects(pull(next), failsAs(kind, retryAfter));
        server.odd = () => undefined;
        server.put('c.ics');
        await pull(next);
        assert.deepEqual(titles(mirror), ['a.ics', 'b.ics', 'c.ics']);
      });

    it('the collection itself, its folders and what is no calendar object are filtered out', async () => {
      const extra =
        present(CALENDAR, '<d:getetag>"x"</d:getetag><d:getcontenttype>text/calendar</d:getcontenttype>') +
        present(CALENDAR.slice(0, -1), '<d:getetag>"x"</d:getetag>') +
        present(`${CALENDAR}sub/`, '<d:resourcetype><d:collection/></d:resourcetype>') +
        present(`${CALENDAR}sub.ics`, '<d:resourcetype><d:collection/></d:resourcetype>') +
        present(`${CALENDAR}note.txt`, '<d:getetag>"x"</d:getetag>') +
        present(`${CALENDAR}card`, '<d:getcontenttype>text/vcard</d:getcontenttype>');
      server.odd = ({ kind }) =>
        kind === 'sync-collection'
          ? multistatus(`${extra}${server.member('a.ics')}<d:sync-token>urn:1</d:sync-token>`)
          : undefined;

      await pull();

      assert.deepEqual(titles(mirror), ['a.ics']);
      assert.ok(server.calls.every(({ body }) => !body.includes('note.txt')));
    });

    it('an href is known again that is spelled in another way', async () => {
      server.put('x~%40y%C3%A9.ics');
      const next = await pull();
      server.odd = ({ kind }) =>
        kind === 'sync-collection'
          ? multistatus(
              `${gone(`${server.origin}/d%61v/ada/work/x%7e@y%c3%a9.ics`.replace('@', '%40'))}<d:sync-token>urn:odd:9</d:sync-token>`,
            )
          : undefined;

      await pull(next);

      assert.deepEqual(titles(mirror), ['a.ics', 'b.ics']);
    });

    it('nothing is fetched again for an etag that a front end dressed up', async () => {
      refuse('sync-collection', 501);
      let next = await pull();
      for (const dress of [
        (etag: string) => `W/"${etag}"`,
        (etag: string) => `"${etag}-gzip"`,
        (etag: string) => etag,
      ]) {
        now += HOUR * 2;
        const plain = (name: string) => String(server.resources.get(name)?.revision);
        server.odd = ({ kind }) => {
          if (kind === 'sync-collection') return { status: 501 };
          const dressed = ['a.ics', 'b.ics'].map((name) =>
            present(CALENDAR + name, `<d:getetag>${dress(plain(name))}</d:getetag>`),
          );
          return kind === 'calendar-query' ? multistatus(dressed.join('')) : undefined;
        };
        server.takeCalls();
        next = await pull(next);
        assert.deepEqual(server.takeCalls(), ['PROPFIND 0', 'calendar-query 1']);
      }
    });

    it('resources are read one by one where multiget is refused', async () => {
      refuse('calendar-multiget', 501);

      await pull();

      assert.deepEqual(titles(mirror), ['a.ics', 'b.ics']);
      assert.deepEqual(server.takeCalls(), ['sync-collection 0', 'calendar-multiget 1', 'GET', 'GET']);
    });

    it('what multiget left out is read by itself', async () => {
      server.odd = ({ kind }) =>
        kind === 'calendar-multiget' ? multistatus(server.member('a.ics', true)) : undefined;

      await pull();

      assert.deepEqual(titles(mirror), ['a.ics', 'b.ics']);
    });

    it('half as much is asked for when an answer is too large', async () => {
      const padding = `X-PAD:${'x'.repeat(70)}\r\n`.repeat(35_000);
      for (const name of ['a.ics', 'b.ics']) {
        const { data = '' } = server.resources.get(name) ?? {};
        server.put(name, data.replace('END:VEVENT', `${padding}END:VEVENT`));
      }

      await pull();

      assert.deepEqual(server.takeCalls(), ['sync-collection 0', ...Array(3).fill('calendar-multiget 1')]);
      assert.deepEqual(titles(mirror), ['a.ics', 'b.ics']);
    });

    it('characters that XML forbids lose one event, not the calendar', async () => {
      server.put(
        'bad.ics',
        'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:\u0001no uid\r\nEND:VEVENT\r\nEND:VCALENDAR',
      );

      await pull();

      assert.deepEqual(titles(mirror), ['a.ics', 'b.ics']);
      assert.deepEqual(
        entries.map(({ level, message }) => [level, message]),
        [['warn', 'Skipped an event that cannot be read']],
      );
    });

    it('an href at a foreign origin is never requested', async () => {
      const foreign = new OddCalDav();
      await foreign.start();
      server.odd = ({ kind }) =>
        kind === 'sync-collection'
          ? multistatus(
              `${server.member('a.ics', false, `${foreign.origin}${CALENDAR}a.ics`)}${server.member('b.ics')}<d:sync-token>urn:1</d:sync-token>`,
            )
          : undefined;

      await pull();
      await assert.rejects(sync(account, foreign.origin + CALENDAR, new Map()), failsAs('invalid_response'));
      await foreign.stop();

      assert.deepEqual(titles(mirror), ['b.ics']);
      assert.deepEqual(foreign.calls, []);
    });

    it('multistatus is read with any prefixes, and no value that has another status than success', async () => {
      server.odd = ({ kind }) =>
        kind === 'sync-collection'
          ? {
              status: 207,
              body: `<multistatus xmlns="DAV:"><response><href><![CDATA[${CALENDAR}a.ics]]></href><propstat><prop><getetag>"2"</getetag></prop><status>HTTP/1.1 200 OK</status></propstat><propstat><prop><resourcetype><collection/></resourcetype></prop><status>HTTP/1.1 404 Not Found</status></propstat></response><x:response xmlns:x="urn:other"><href>${CALENDAR}b.ics</href></x:response><sync-token>\n urn:1 \n</sync-token></multistatus>`,
            }
          : undefined;

      const next = await pull();

      assert.deepEqual(titles(mirror), ['a.ics']);
      assert.equal(JSON.parse(next).token, 'urn:1');
    });
  });
});
