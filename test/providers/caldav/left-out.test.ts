/** Calendars of a hostile server: what takes too much is left out, and what was read is not read again. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { Changes } from '../../../src/calendars/calendar-provider.ts';
import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import type { StopReason } from '../../../src/lib/work-pool/work-stopped.ts';
import { openAccount } from '../../../src/providers/caldav/caldav-account.ts';
import { event } from '../../servers/icalendar.ts';
import { CALENDAR, multistatus, OddCalDav } from '../../servers/odd-caldav.ts';
import { USERS } from '../../servers/process.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import { poisonedBy, type WorkHere, workHere } from '../../servers/work-here.ts';

/** Too long to be read at once. */
const LONG = `DESCRIPTION:${'x'.repeat(20_000)}`;

describe('a calendar of a hostile CalDAV server', () => {
  let server: OddCalDav;
  let egress: Egress;
  let work: WorkHere;
  /** The mirror's etags by href. */
  let stored: Map<string, string | undefined>;

  beforeEach(async () => {
    server = new OddCalDav();
    await server.start();
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    work = workHere();
    stored = new Map();
  });
  afterEach(async () => {
    await egress.close();
    await server.stop();
  });

  const changes = (token?: string) => {
    const { origin } = server;
    const credentials = {
      username: 'ada',
      password: USERS.ada ?? '',
      principal: `${origin}/principal/`,
      homes: [`${origin}/dav/ada/`],
      origins: [origin],
    };
    const { log } = recordingLog();
    const account = openAccount(credentials, { egress, log, now: Date.now, syncWork: work });
    return account.changesSince(origin + CALENDAR, token, async () => stored);
  };
  /** The parts until the end, or so many; the mirror takes them over. */
  const pull = async (most = Number.POSITIVE_INFINITY, token?: string): Promise<Changes[]> => {
    const parts: Changes[] = [];
    for await (const part of changes(token)) {
      parts.push(part);
      for (const { href, etag } of [...part.changed, ...(part.leftOut ?? [])]) stored.set(href, etag);
      if (parts.length === most) break;
    }
    return parts;
  };
  const titlesIn = (parts: readonly Changes[]) =>
    parts.flatMap(({ changed }) => changed.flatMap(({ events }) => events.map(({ title }) => title)));
  const leftOutIn = (parts: readonly Changes[]) => parts.flatMap(({ leftOut = [] }) => leftOut);
  const putMany = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `e${String(index).padStart(4, '0')}`);
    for (const name of names) server.put(`${name}.ics`, event(name, name));
    return names;
  };
  /** How often each object was asked for. */
  const askedFor = () =>
    server.calls
      .splice(0)
      .flatMap(({ method, path, body }) =>
        method === 'GET' ? path : [...body.matchAll(/<d:href>([^<]*)<\/d:href>/g)].map(([, href]) => href),
      );

  const WHY = { deadline: 'it takes too long to read', memory: 'it takes too much memory to read' } as const;
  for (const reason of ['deadline', 'memory'] as const)
    it(`leaves out what is over its ${reason}, of two hundred events, and reads the others`, async () => {
      const names = putMany(200);
      server.put('e0120.ics', event('e0120', 'Poison', LONG, poisonedBy(reason)));

      const parts = await pull();

      assert.deepEqual(
        titlesIn(parts).toSorted(),
        names.filter((name) => name !== 'e0120'),
      );
      const href = `${CALENDAR}e0120.ics`;
      assert.deepEqual(leftOutIn(parts), [{ kind: 'too_complex', href, etag: '"202"', reason: WHY[reason] }]);
      assert.ok(parts.at(-1)?.next);
    });

  it('leaves out what is over the budget of a resource, and says why', async () => {
    putMany(3);
    const rules = Array.from({ length: 21 }, (_, index) => `RRULE:FREQ=DAILY;INTERVAL=${index + 1}`);
    server.put('e0001.ics', event('e0001', 'Many rules', ...rules));

    const parts = await pull();

    assert.deepEqual(titlesIn(parts).toSorted(), ['e0000', 'e0002']);
    assert.deepEqual(
      leftOutIn(parts).map(({ reason }) => reason),
      ['it has more than 20 recurrence rules'],
    );
  });

  it('knows an unreadable event by its version only if its text was received', async () => {
    server.put('denied.ics');
    server.put('unreadable.ics', event('a', 'A', 'DTSTART:never'));
    server.odd = ({ kind, path }) => {
      if (kind === 'calendar-multiget') return { status: 501 };
      return path.endsWith('denied.ics') && kind === 'GET' ? { status: 403 } : undefined;
    };

    const left = leftOutIn(await pull()).map(({ kind, etag, reason }) => [kind, etag, reason]);

    assert.deepEqual(left, [
      ['unreadable', undefined, 'the server returned 403'],
      ['unreadable', '"3"', 'it has no readable start, or is not iCalendar'],
    ]);
  });

  it('reads one by one what takes too long together', async () => {
    work = workHere(11_000);
    const names = putMany(10);
    for (const name of names) server.put(`${name}.ics`, event(name, name, LONG.slice(0, 3000)));

    const parts = await pull();

    assert.deepEqual(titlesIn(parts).toSorted(), names);
    assert.equal(server.calls.filter(({ method }) => method === 'GET').length, 10);
  });

  it('does not read again what was left out, until it is another', async () => {
    server.put('a.ics', event('a', 'Poison', LONG, poisonedBy('deadline')));
    await pull();
    askedFor();

    const again = await pull();
    assert.deepEqual([leftOutIn(again), askedFor()], [[], []]);
    assert.deepEqual(
      again.flatMap(({ unchanged = [] }) => unchanged),
      [`${CALENDAR}a.ics`],
    );

    server.put('a.ics', event('a', 'Mended'));
    assert.deepEqual(titlesIn(await pull()), ['Mended']);
  });

  it('leaves out an object that is larger than any answer may be', async () => {
    putMany(3);
    server.put('e0001.ics', event('e0001', 'Large', `DESCRIPTION:${'x'.repeat(10_000_000)}`));

    const parts = await pull();

    assert.deepEqual(titlesIn(parts).toSorted(), ['e0000', 'e0002']);
    assert.deepEqual(
      leftOutIn(parts).map(({ reason }) => reason),
      ['it is larger than 10 MB'],
    );
  });

  it('gets large objects one after the other where the server has no multiget', async () => {
    const names = putMany(20);
    for (const name of names)
      server.put(`${name}.ics`, event(name, name, `DESCRIPTION:${'x'.repeat(600_000)}`));
    server.odd = ({ kind }) => (kind === 'calendar-multiget' ? { status: 501 } : undefined);

    const parts = await pull();

    assert.deepEqual(titlesIn(parts).toSorted(), names);
    assert.ok(parts.every(({ changed }) => changed.length <= 1));
  });

  it('of a first sync that was cut short, brings the rest only', async () => {
    const names = putMany(200);
    const first = await pull(3);
    const before = new Set(titlesIn(first));
    assert.equal(before.size, 150);
    askedFor();

    const second = await pull();

    const rest = names.filter((name) => !before.has(name));
    assert.deepEqual(titlesIn(second).toSorted(), rest);
    assert.deepEqual(
      askedFor().toSorted(),
      rest.map((name) => `${CALENDAR}${name}.ics`),
    );
    assert.deepEqual(
      new Set(second.flatMap(({ unchanged = [] }) => unchanged)),
      new Set([...before].map((name) => `${CALENDAR}${name}.ics`)),
    );
    assert.ok(second.every(({ complete }) => complete));
  });

  it('of many changes that were cut short, brings the rest only', async () => {
    putMany(1);
    const { next } = (await pull()).at(-1) ?? {};
    const names = putMany(120);
    const before = titlesIn(await pull(2, next));
    assert.equal(before.length, 100);
    askedFor();

    const second = await pull(undefined, next);

    assert.deepEqual(new Set([...before, ...titlesIn(second)]), new Set(names));
    assert.equal(askedFor().length, 20);
  });

  it('reads an object without an etag each time', async () => {
    server.put('a.ics', event('a', 'Untagged'));
    const { origin } = server;
    stored.set(`${CALENDAR}a.ics`, undefined);
    server.odd = ({ kind }) =>
      kind === 'sync-collection'
        ? multistatus(`${server.member('a.ics').replace(/<d:getetag>.*?<\/d:getetag>/, '')}${TOKEN}`)
        : undefined;

    assert.deepEqual(titlesIn(await pull()), ['Untagged'], origin);
  });

  it('takes the first of ten thousand answers about one object', async () => {
    server.put('a.ics', event('a', 'First'));
    server.odd = ({ kind }) => {
      if (kind !== 'calendar-multiget') return undefined;
      const first = server.member('a.ics', true);
      return multistatus(first + first.replace('First', 'Other').repeat(10_000));
    };

    assert.deepEqual(titlesIn(await pull()), ['First']);
    assert.deepEqual(askedFor(), [`${CALENDAR}a.ics`]);
  });

  it('asks for an object once that is listed a thousand times', async () => {
    server.put('a.ics', event('a', 'One'));
    server.odd = ({ kind }) =>
      kind === 'sync-collection' ? multistatus(server.member('a.ics').repeat(1000) + TOKEN) : undefined;

    assert.deepEqual(titlesIn(await pull()), ['One']);
    assert.deepEqual(askedFor(), [`${CALENDAR}a.ics`]);
  });

  it('takes no etag and no sync token that is too long to be kept', async () => {
    server.put('a.ics', event('a', 'One'));
    const long = 'x'.repeat(9000);
    server.odd = ({ kind }) => {
      if (kind === 'sync-collection') return multistatus(server.member('a.ics') + TOKEN.replace('t-1', long));
      if (kind === 'calendar-query' || kind === 'calendar-multiget')
        return multistatus(server.member('a.ics', true).replace(/"\d+"/, long));
      return undefined;
    };

    const parts = await pull();

    assert.deepEqual(
      parts.flatMap(({ changed }) => changed.map(({ etag }) => etag)),
      [undefined],
    );
    assert.ok((parts.at(-1)?.next?.length ?? 0) < 1000);
  });

  it('ends when a thousand events take more than thirty seconds to read, with what came until then', async () => {
    work = workHere(9000);
    for (const name of putMany(250)) server.put(`${name}.ics`, event(name, name, LONG));
    const parts: Changes[] = [];

    const reading = (async () => {
      for await (const part of changes()) parts.push(part);
    })();

    await assert.rejects(
      reading,
      (failure: unknown) =>
        failure instanceof ProviderError &&
        failure.kind === 'invalid_response' &&
        failure.reason === 'event_too_complex',
    );
    assert.ok(titlesIn(parts).length >= 50 && titlesIn(parts).length < 250);
  });

  it('is no longer read when the threads are closed, and that is no failure of the server', async () => {
    server.put('a.ics', event('a', 'Poison', LONG, poisonedBy('closed')));

    await assert.rejects(
      pull(),
      (failure: unknown) =>
        failure instanceof ProviderError && failure.kind === 'unavailable' && failure.notSent,
    );
  });

  for (const [reason, failure] of Object.entries({
    busy: { kind: 'busy', notSent: true },
    stalled: { kind: 'unavailable', reason: 'internal_fault' },
    unstarted: { kind: 'unavailable', reason: 'internal_fault' },
  }))
    it(`fails as a whole if the threads are ${reason}, and leaves nothing out`, async () => {
      server.put('a.ics', event('a', 'Poison', LONG, poisonedBy(reason as StopReason)));
      await assert.rejects(pull(), failure);
    });

  it('is read in threads where its answers are large, and only there', async () => {
    putMany(3);
    await pull();
    assert.deepEqual(work.takeTasks(), []);

    stored.clear();
    for (const name of putMany(100)) server.put(`${name}.ics`, event(name, name, LONG));
    await pull();
    assert.deepEqual(new Set(work.takeTasks()), new Set(['caldav-listing', 'caldav-objects']));
  });
});

const TOKEN = '<d:sync-token>t-1</d:sync-token>';
