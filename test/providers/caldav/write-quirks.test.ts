/** Writing to servers with habits: conditions they do not keep, etags they change, answers that are lost, refusals. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  ProviderError,
  type ProviderErrorKind,
  UnsupportedByProvider,
} from '../../../src/calendars/provider-error.ts';
import { berlin, draftOf, targetAt } from '../../contract/mirrored-writes.ts';
import { event } from '../../servers/icalendar.ts';
import { CALENDAR, type DavAnswer, type DavCall, multistatus } from '../../servers/odd-caldav.ts';
import { type WritingAccount, writingAccount } from '../../servers/writing-account.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const DRAFT = draftOf({
  title: 'Once',
  start: berlin('2026-11-16T09:00:00'),
  end: berlin('2026-11-16T10:00:00'),
});

const failsAs = (kind: ProviderErrorKind) => (failure: unknown) =>
  failure instanceof ProviderError && failure.kind === kind;
const refusedFor = (reason: string, field?: string) => (failure: unknown) =>
  failure instanceof UnsupportedByProvider && failure.reason === reason && failure.field === field;

const conditionOf = (status: number, element: string): DavAnswer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<d:error xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${element}</d:error>`,
});

describe('writing to a CalDAV server', () => {
  let account: WritingAccount;
  beforeEach(async () => {
    account = await writingAccount();
  });
  afterEach(() => account.close());

  /** Sets the response to the next call of that method, sent after `act`. */
  const once = (method: string, answer: DavAnswer, act?: (call: DavCall) => void) => {
    let isOver = false;
    account.server.odd = (call) => {
      if (call.method !== method || isOver) return undefined;
      isOver = true;
      act?.(call);
      return answer;
    };
  };
  const names = () => [...account.server.resources.keys()];
  const puts = () => account.server.calls.filter(({ method }) => method === 'PUT');

  describe('creates', () => {
    it('a creation uses a name of the form of a UID, which nothing may have yet', async () => {
      const { changed } = await account.create(DRAFT, KEY);

      assert.match(changed[0]?.href ?? '', /\/[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}\.ics$/);
      assert.equal(puts()[0]?.ifNoneMatch, '*');
    });

    it('a creation makes one event although the first answer was lost', async () => {
      once('PUT', { status: 502 }, ({ path, body }) => account.server.put(path.slice(CALENDAR.length), body));

      await assert.rejects(account.create(DRAFT, KEY), failsAs('unavailable'));
      const { changed } = await account.create(DRAFT, KEY);

      assert.deepEqual([changed[0]?.events[0]?.title, names().length], ['Once', 1]);
    });

    it('a creation makes one event on a server that says 409 where 412 belongs', async () => {
      await account.create(DRAFT, KEY);
      once('PUT', { status: 409 });

      await account.create(DRAFT, KEY);

      assert.equal(names().length, 1);
    });

    it('a creation makes one event on a server that keeps it under another name and says so', async () => {
      const { changed } = await account.create(DRAFT, KEY);
      const [name = ''] = names();
      account.server.put('renamed.ics', account.server.resources.get(name)?.data);
      account.server.remove(name);
      const conflict = `<c:no-uid-conflict><d:href>${CALENDAR}renamed.ics</d:href></c:no-uid-conflict>`;
      once('PUT', conditionOf(403, conflict));

      const again = await account.create(DRAFT, KEY);

      assert.equal(again.changed[0]?.href, `${CALENDAR}renamed.ics`);
      assert.equal(again.changed[0]?.events[0]?.uid, changed[0]?.events[0]?.uid);
    });

    it('a creation makes an event on a server that chooses its name itself, and finds it there', async () => {
      account.server.odd = ({ method, path, body, kind }) => {
        if (kind === 'calendar-query') {
          const [, uid = ''] = /<c:text-match[^>]*>([^<]*)</.exec(body) ?? [];
          const isThere = account.server.resources.get('42.ics')?.data?.includes(`UID:${uid}`) === true;
          return multistatus(isThere ? account.server.member('42.ics') : '');
        }
        if (method !== 'PUT' || path.endsWith('/42.ics')) return undefined;
        account.server.put('42.ics', body);
        return { status: 201 };
      };

      const first = await account.create(DRAFT, KEY);
      once('PUT', conditionOf(403, '<c:no-uid-conflict/>'));
      const answers = account.server.odd;
      account.server.odd = (call) =>
        answers(call) ??
        (call.kind === 'calendar-query' ? multistatus(account.server.member('42.ics')) : undefined);
      const again = await account.create(DRAFT, KEY);

      assert.equal(first.changed[0]?.href, `${CALENDAR}42.ics`);
      assert.deepEqual(again.changed, first.changed);
    });

    it('a creation makes nothing over what is another event under that name', async () => {
      await account.create(DRAFT, KEY);
      const [name = ''] = names();
      account.server.put(name, event('foreign', 'Not ours'));

      await assert.rejects(account.create(DRAFT, KEY), failsAs('precondition_failed'));

      assert.ok(account.lines(name).includes('SUMMARY:Not ours'));
    });

    it('a creation makes another event with the same key in another calendar', async () => {
      const { changed } = await account.create(DRAFT, KEY);
      const other = await account.writing
        .create(account.calendar.replace('/work/', '/home/'), DRAFT, KEY)
        .catch(() => undefined);
      const [first, second] = puts().map(({ body }) => /^UID:(.*)$/m.exec(body)?.[1]);

      assert.ok(changed.length === 1 && other?.changed.length !== 0);
      assert.notEqual(first, second);
    });
  });

  describe('answers', () => {
    it('a write answers with the etag and the text that the server has by then', async () => {
      once('PUT', { status: 201 }, ({ path, body }) =>
        account.server.put(
          path.slice(CALENDAR.length),
          body.replace('SUMMARY:Once', 'SUMMARY:Once (checked)'),
        ),
      );

      const { changed } = await account.create(DRAFT, KEY);

      assert.deepEqual(
        [changed[0]?.etag, changed[0]?.events[0]?.title],
        [`"${account.server.revision}"`, 'Once (checked)'],
      );
    });

    it('a write answers with what was put when the server cannot say what it has', async () => {
      once('GET', { status: 503 });

      const { changed } = await account.create(DRAFT, KEY);

      assert.equal(changed[0]?.events[0]?.title, 'Once');
    });
  });

  describe('changes', () => {
    it('a write changes the version that was seen, by its etag', async () => {
      const href = await account.given('a.ics', event('a', 'First'));
      const etag = account.mirror.get(href)?.etag;

      await account.update(href, { title: 'Second' });

      assert.deepEqual(
        puts().map(({ ifMatch }) => ifMatch),
        [etag],
      );
    });

    it('a write changes no version that came in between reading and writing', async () => {
      const href = await account.given('a.ics', event('a', 'First'));
      once('PUT', { status: 412 }, () => account.server.put('a.ics', event('a', 'Between')));

      await assert.rejects(account.update(href, { title: 'Second' }), failsAs('precondition_failed'));

      assert.ok(account.lines('a.ics').includes('SUMMARY:Between'));
    });

    it('a write changes what a front end shows under an etag of its own', async () => {
      const href = await account.given('a.ics', event('a', 'First'));
      const etag = account.mirror.get(href)?.etag ?? '';
      const data = account.server.resources.get('a.ics')?.data ?? '';
      once('GET', { status: 200, body: data, headers: { etag: etag.replace(/"$/, '-gzip"') } });

      await account.update(href, { title: 'Second' });

      assert.deepEqual(
        puts().map(({ ifMatch }) => ifMatch),
        [etag.replace(/"$/, '-gzip"'), etag],
      );
    });

    it('a write changes what has weak etags, which compare with none', async () => {
      const href = await account.given('a.ics', event('a', 'First'));
      const data = account.server.resources.get('a.ics')?.data ?? '';
      let isPut = false;
      account.server.odd = ({ method, ifMatch, body, path }) => {
        if (method === 'GET' && !isPut) return { status: 200, body: data, headers: { etag: 'W/"7"' } };
        if (method !== 'PUT') return undefined;
        if (ifMatch !== undefined) return { status: 412 };
        isPut = true;
        account.server.put(path.slice(CALENDAR.length), body);
        return { status: 204 };
      };
      const stored = account.mirror.get(href);
      assert.ok(stored);

      await account.writing.update(
        account.calendar,
        { href, etag: 'W/"7"', stored: [stored] },
        { title: 'Second' },
      );

      assert.deepEqual(
        puts().map(({ ifMatch }) => ifMatch),
        ['W/"7"', '"7"', undefined],
      );
      assert.ok(account.lines('a.ics').includes('SUMMARY:Second'));
    });

    it('a write takes a text with other line ends for what was seen, under the etag of the server', async () => {
      const text = event('a', 'First', 'X-NOTE:one', ' folded');
      const href = await account.given('a.ics', text);
      const { stored, ...target } = targetAt(account.mirror, href);
      const original = { icalendar: text.replaceAll('\r', '') };
      const seen = { ...target, etag: '"other"', stored: stored.map((one) => ({ ...one, original })) };

      await account.writing.update(account.calendar, seen, { title: 'Second' });

      const [put] = puts();
      assert.equal(put?.ifMatch, target.etag);
      const isUnchanged = (line: string) => !/^(DTSTAMP|SUMMARY|SEQUENCE|LAST-MODIFIED):/.test(line);
      const unchanged = text.replace('\r\n ', '').split('\r\n').filter(isUnchanged);
      assert.deepEqual(put?.body.split('\r\n').filter(isUnchanged), unchanged);
    });

    it('a write without an etag changes only what is, to the letter, what was seen', async () => {
      const href = await account.given('a.ics', event('a', 'First'));
      const target = { ...targetAt(account.mirror, href), etag: undefined };
      account.server.put('a.ics', event('a', 'Other'));

      const late = account.writing.update(account.calendar, target, { title: 'Second' });

      await assert.rejects(late, failsAs('precondition_failed'));
      assert.deepEqual(puts(), []);
    });
  });

  describe('knows by its digest', () => {
    const long = (title: string) => event('a', title, `DESCRIPTION:${'\u{1f4c5} "x" '.repeat(8000)}`);
    const withDigest = async (icalendar: string) => {
      const href = await account.given('a.ics', icalendar);
      const target = targetAt(account.mirror, href);
      const digest = createHash('sha256').update(JSON.stringify({ icalendar })).digest('hex');
      const stored = target.stored.map((known) => ({ ...known, original: {}, originalDigest: digest }));
      return { ...target, etag: undefined, stored };
    };

    it('a write changes a long text that is, to the letter, what was seen', async () => {
      const target = await withDigest(long('First'));

      await account.writing.update(account.calendar, target, { title: 'Second' });

      assert.ok(account.lines('a.ics').includes('SUMMARY:Second'));
    });

    it('a write refuses a long text that is another', async () => {
      const target = await withDigest(long('First'));
      account.server.put('a.ics', long('Other'));

      const late = account.writing.update(account.calendar, target, { title: 'Second' });

      await assert.rejects(late, failsAs('precondition_failed'));
      assert.deepEqual(puts(), []);
    });
  });

  describe('deletes', () => {
    it('a deletion deletes the version that was seen, and finds no fault in one that is gone', async () => {
      const href = await account.given('a.ics', event('a', 'First'));
      const target = targetAt(account.mirror, href);

      const first = await account.writing.delete(account.calendar, target);
      const second = await account.writing.delete(account.calendar, target);

      assert.deepEqual([first.removed, second.removed], [[href], [href]]);
      assert.equal(account.server.calls.find(({ method }) => method === 'DELETE')?.ifMatch, target.etag);
    });

    it('a deletion deletes what vanishes between reading and deleting', async () => {
      const href = await account.given('a.ics', event('a', 'First'));
      once('DELETE', { status: 404 }, () => account.server.remove('a.ics'));

      assert.deepEqual((await account.remove(href)).removed, [href]);
    });
  });

  describe('tells', () => {
    const kinds: [number, ProviderErrorKind][] = [
      [401, 'unauthorized'],
      [404, 'not_found'],
      [409, 'not_found'],
      [423, 'unavailable'],
      [429, 'rate_limited'],
      [500, 'unavailable'],
      [507, 'unavailable'],
    ];
    for (const [status, kind] of kinds)
      it(`reports a PUT with the response ${status} as ${kind}`, async () => {
        once('PUT', { status });

        await assert.rejects(account.create(DRAFT, KEY), failsAs(kind));
      });

    const limits: [string, DavAnswer, string, string?][] = [
      ['403', { status: 403 }, 'calendar_read_only'],
      ['405', { status: 405 }, 'calendar_read_only'],
      ['need-privileges', conditionOf(403, '<d:need-privileges/>'), 'calendar_read_only'],
      [
        'allowed-attendee-scheduling-object-change',
        conditionOf(403, '<c:allowed-attendee-scheduling-object-change/>'),
        'organizer_only',
      ],
      [
        'max-attendees-per-instance',
        conditionOf(403, '<c:max-attendees-per-instance/>'),
        'field_not_supported_by_provider',
        'attendees',
      ],
      [
        'max-instances',
        conditionOf(403, '<c:max-instances/>'),
        'recurrence_not_supported_by_provider',
        'recurrence',
      ],
      ['min-date-time', conditionOf(403, '<c:min-date-time/>'), 'field_not_supported_by_provider', 'start'],
      [
        'valid-calendar-data',
        conditionOf(403, '<c:valid-calendar-data/>'),
        'field_not_supported_by_provider',
      ],
      ['413', { status: 413 }, 'field_not_supported_by_provider'],
      ['415', { status: 415 }, 'field_not_supported_by_provider'],
    ];
    for (const [name, answer, reason, field] of limits)
      it(`reports a PUT refused by ${name} as ${reason}`, async () => {
        once('PUT', answer);

        await assert.rejects(account.create(DRAFT, KEY), refusedFor(reason, field));
      });

    it('reports a refused DELETE as calendar_read_only', async () => {
      const href = await account.given('a.ics', event('a', 'First'));
      once('DELETE', { status: 403 });

      await assert.rejects(account.remove(href), refusedFor('calendar_read_only'));
    });

    it('reports an address outside the calendar as not_found, without a request', async () => {
      for (const href of ['/dav/ada/work/', 'http://other.test/a.ics', 'http://['])
        await assert.rejects(
          account.writing.update(account.calendar, { href, etag: undefined, stored: [] }, { title: 'x' }),
          failsAs('not_found'),
        );

      assert.deepEqual(account.server.calls, []);
    });
  });
});
