/** Reading in threads: what they answer is what is read without them. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';

import { ProviderError } from '../../../src/calendars/provider-error.ts';
import type { WorkPool } from '../../../src/lib/work-pool/work-pool.ts';
import { CALENDARS } from '../../../src/providers/caldav/dav/calendar-listing.ts';
import {
  collectParts,
  type DavInput,
  type DavTask,
  davReading,
} from '../../../src/providers/caldav/dav/dav-reading.ts';
import { LISTING } from '../../../src/providers/caldav/dav/listed-object.ts';
import { PROPERTIES } from '../../../src/providers/caldav/dav/properties-task.ts';
import { OBJECT, OBJECTS } from '../../../src/providers/caldav/object-tasks.ts';
import { workPools } from '../../../src/start/work-pools.ts';
import { calendarObject, event, seriesWithOverride, vevent } from '../../servers/icalendar.ts';
import { escapeText, multistatus, present } from '../../servers/odd-caldav.ts';

const COLLECTION = 'https://dav.example/work/';
const LONG = 'x'.repeat(20_000);
const bodyOf = (text: string) => ({ bytes: Buffer.from(text), charset: 'utf-8' });
const listOf = (content: string) => bodyOf(multistatus(content).body ?? '');

const OWN_ZONE = [
  'BEGIN:VTIMEZONE',
  'TZID:Ours',
  'BEGIN:STANDARD',
  'DTSTART:20200101T000000',
  'TZOFFSETFROM:+0013',
  'TZOFFSETTO:+0017',
  'END:STANDARD',
  'END:VTIMEZONE',
  '',
].join('\r\n');
const OBJECT_TEXTS = {
  'weekly.ics': seriesWithOverride('weekly'),
  'zone.ics': calendarObject(
    OWN_ZONE,
    vevent('zone', 'In a zone of its own', 'DTSTART;TZID=Ours:20260105T090000', 'RRULE:FREQ=DAILY;COUNT=3'),
  ),
  'long.ics': event('long', 'Long', `DESCRIPTION:${LONG}`, 'ATTENDEE;PARTSTAT=ACCEPTED:mailto:a@example.org'),
  'task.ics': calendarObject('BEGIN:VTODO\r\nUID:task\r\nEND:VTODO\r\n'),
  'broken.ics': calendarObject(vevent('broken', 'Broken', 'DTSTART:nonsense')),
};
const object = (name: string, data: string) =>
  present(
    `/work/${name}`,
    `<d:getetag>"1"</d:getetag><c:calendar-data>${escapeText(data)}</c:calendar-data>`,
  );
const objects = Object.entries(OBJECT_TEXTS);

describe('reading in threads', () => {
  let pool: WorkPool | undefined;
  after(() => pool?.close());

  /** `what`: what the parts are of; where one ends and the next begins is a matter of time. */
  async function isTheSame<Input extends DavInput, Part>(
    task: DavTask<Input, Part>,
    input: Input,
    what: (parts: Part[]) => unknown = (parts) => parts,
  ) {
    pool ??= workPools().syncWork;
    assert.ok(input.body.bytes.byteLength > 16_000, 'It is read in a thread');
    const here = davReading({ work: undefined, owner: 'ada' });
    const there = davReading({ work: pool, owner: 'ada' });

    const parts = await collectParts(here, task, input);
    assert.deepEqual(what(await collectParts(there, task, input)), what(parts));
    return { parts, spentMs: there.spentMs() };
  }

  it('threads read the objects of a multiget', async () => {
    const body = listOf(objects.map(([name, data]) => object(name, data)).join(''));
    const wanted = objects.map(([name]) => ({ path: `/work/${name}`, etag: '"0"' }));

    const { parts } = await isTheSame(OBJECTS, { body, collection: COLLECTION, wanted }, (parts) =>
      parts.flat(),
    );

    assert.deepEqual(
      parts.flat().map(({ content }) => content.type),
      ['event', 'event', 'event', 'gone', 'left out'],
    );
  });

  it('threads read an object that was got by itself', async () => {
    const body = bodyOf(OBJECT_TEXTS['long.ics']);

    const { parts } = await isTheSame(OBJECT, { body, path: '/work/long.ics', etag: undefined });

    assert.equal(parts[0]?.type, 'event');
  });

  it('threads read a listing in parts of a thousand', async () => {
    const members = Array.from({ length: 3000 }, (_, index) =>
      present(`/work/${index}.ics`, `<d:getetag>"${index}"</d:getetag>`),
    );
    const body = listOf(`${members.join('')}<d:sync-token>t-1</d:sync-token>`);

    const { parts, spentMs } = await isTheSame(LISTING, { body, collection: COLLECTION });

    assert.equal(parts.flatMap(({ listed }) => listed).length, 3000);
    assert.ok(parts.every(({ listed }) => listed.length <= 1000));
    assert.equal(parts.at(-1)?.syncToken, 't-1');
    assert.ok(spentMs > 0);
  });

  it('threads read the list of calendars', async () => {
    const zone = `<c:calendar-timezone>${escapeText(calendarObject(OWN_ZONE))}</c:calendar-timezone>`;
    const calendar = present(
      '/work/',
      `<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>${zone}<c:calendar-description>${LONG}</c:calendar-description>`,
    );

    const origins = ['https://dav.example'];
    const body = listOf(calendar);
    const input = { body, base: COLLECTION, origins, principal: COLLECTION, most: 5 };
    const { parts } = await isTheSame(CALENDARS, input, (parts) =>
      parts.flatMap(({ calendars }) => calendars),
    );

    assert.deepEqual(
      parts.flatMap(({ calendars }) => calendars.map(({ calendar }) => calendar.href)),
      [COLLECTION],
    );
  });

  it('threads read the properties of a resource', async () => {
    const body = listOf(present('/work/', `<d:displayname>${LONG}</d:displayname>`));

    const { parts } = await isTheSame(PROPERTIES, { body });

    assert.equal(parts[0]?.[0]?.properties.get('{DAV:}displayname')?.text, LONG);
  });

  it('what is read here counts as what threads read, also where it fails', async () => {
    const body = bodyOf('short');
    const reading = davReading({ work: pool, owner: 'ada' });
    const slow: DavTask<{ body: typeof body }, string> = {
      name: 'slow',
      *run() {
        useProcessor(20);
        yield 'part';
        useProcessor(20);
        throw new ProviderError('invalid_response', 'It is no calendar');
      },
    };

    await assert.rejects(collectParts(reading, slow, { body }), { kind: 'invalid_response' });

    assert.ok(reading.spentMs() >= 40);
  });

  it('threads fail as it fails here, after the parts that came before', async () => {
    pool ??= workPools().syncWork;
    const reading = davReading({ work: pool, owner: 'ada' });
    const members = Array.from({ length: 3000 }, (_, index) => present(`/work/${index}.ics`, ''));
    const { bytes, charset } = listOf(members.join(''));
    const body = { bytes: bytes.subarray(0, -10), charset };
    let count = 0;

    const reads = async () => {
      for await (const { listed } of reading.parts(LISTING, { body, collection: COLLECTION }))
        count += listed.length;
    };

    await assert.rejects(reads(), { name: 'ProviderError', kind: 'invalid_response' });
    assert.ok(count > 0, 'There were parts');
  });
});

function useProcessor(ms: number): void {
  const before = process.threadCpuUsage();
  for (let spent = 0; spent < ms * 1000; ) {
    const { user, system } = process.threadCpuUsage(before);
    spent = user + system;
  }
}
