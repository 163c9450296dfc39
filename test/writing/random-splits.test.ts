/**
 * Random series, split at random on independent servers: the instances are those that were requested, and both halves
 * keep every other property (name, parameters, value) unchanged.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';

import ICAL from 'ical.js';

import { get } from '../harness/calendar-server.ts';
import { counterpart } from '../harness/counterpart.ts';
import { rounds, scale } from '../harness/rounds.ts';
import { type Pick, random } from '../providers/random-changes.ts';
import { CYRUS, startCyrus } from '../servers/cyrus.ts';
import { RADICALE, startRadicale } from '../servers/radicale.ts';
import { type ModelInstance, randomSeries } from '../servers/random-series.ts';
import { startXandikos, XANDIKOS } from '../servers/xandikos.ts';
import { onCalDavSandbox, onServer, type WriteSite } from './write-site.ts';

const ROUNDS = rounds(scale() < 20 ? 2 : 4);
const HALF_HOUR = 1_800_000;

splitsOn({ name: 'the sandbox’s caldav', open: onCalDavSandbox, options: {} });
splitsOn({
  name: 'Radicale',
  open: () => onServer(startRadicale),
  options: counterpart('Radicale', RADICALE),
});
splitsOn({
  name: 'Xandikos',
  open: () => onServer(startXandikos),
  options: counterpart('Xandikos', XANDIKOS),
});
splitsOn({
  name: 'Cyrus',
  open: () => onServer(startCyrus),
  options: counterpart('Cyrus', CYRUS, { root: true }),
  // Its version 3.6 refuses events without length, however they are written.
  leastLength: HALF_HOUR,
});

type Target = {
  readonly name: string;
  open(): Promise<WriteSite>;
  readonly options: { readonly skip?: string | false };
  readonly leastLength?: number;
};

/** The requested change of the later half. */
type Request = { readonly title?: string; readonly location?: string; readonly shift: number };

type Shown = {
  readonly id: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly original: { readonly icalendar: string };
};

function splitsOn({ name, open, options, leastLength }: Target): void {
  describe(`splits at random on ${name}`, options, () => {
    let at: WriteSite;
    let token: string;
    before(async () => {
      at = await open();
      token = await at.server.token();
      await get(at.server, '/calendars', token);
    });
    after(() => at?.close());

    const listed = async (): Promise<readonly Shown[]> => {
      at.pass();
      // Time passes by the minute, and a token lives for an hour.
      token = await at.server.token();
      const answer = await get(at.server, '/events?start=2026-10-01&end=2027-04-01', token);
      return answer.json().events;
    };
    const send = async (method: 'PUT' | 'DELETE', body: object) => {
      const payload = { provider: at.provider, calendarId: at.calendarId, ...body };
      const headers = { authorization: `Bearer ${token}` };
      const answer = await at.server.app.inject({ method, url: '/event', headers, payload });
      assert.equal(answer.statusCode, 200, answer.body);
    };

    afterEach(async () => {
      const ids = (await listed()).map(({ id }) => id.replace(/_\d{8}(T\d{6}Z)?$/, ''));
      for (const eventId of new Set(ids)) await send('DELETE', { eventId });
      assert.deepEqual(await listed(), []);
    });

    for (let seed = 1; seed <= ROUNDS; seed += 1)
      it(`a split changes what was asked and nothing else, seed ${seed}`, async () => {
        const pick = random(seed * 7919);
        const uid = `random-${seed}`;
        const { icalendar, instances } = randomSeries(uid, pick, leastLength);
        await at.put(`${uid}.ics`, icalendar);
        const found = await listed();
        assert.deepEqual(found.map(textOfShown), inOrder(instances).map(textOfModel), 'before');
        const named = instances[1 + pick(instances.length - 1)] ?? assert.fail('There are instances');
        const request = randomRequest(pick, named.isMoved);

        const eventId = idOf(found, named);
        await send('PUT', { eventId, updateMode: 'following', ...fieldsOf(request, named) });

        const split = await listed();
        const expected = instances.map((instance) => asked(instance, named, request));
        assert.deepEqual(split.map(textOfShown), inOrder(expected).map(textOfModel), 'after');
        assertKept({ before: found, after: split, named, request });
      });
  });
}

/** Draws a change. An instance that was moved by hand keeps its times, which are not those of its series. */
function randomRequest(pick: Pick, isMoved: boolean): Request {
  return {
    ...(isMoved || pick(2) === 0 ? { title: 'Asked' } : {}),
    ...(pick(2) === 0 ? { location: 'Roof' } : {}),
    shift: isMoved ? 0 : pick(2) * HALF_HOUR,
  };
}

function fieldsOf({ shift, ...words }: Request, { start, end }: ModelInstance) {
  const moved = { start: iso(start + shift), end: iso(end + shift) };
  const isNothing = Object.keys(words).length === 0;
  return { ...words, ...(shift === 0 && !isNothing ? {} : moved) };
}

/** Returns the expected instance after the split. One that was moved by hand stays. */
function asked(instance: ModelInstance, named: ModelInstance, request: Request): ModelInstance {
  if (instance.index < named.index) return instance;
  const { shift } = request;
  const title = request.title ?? instance.title;
  const by = instance.isMoved ? 0 : shift;
  return { ...instance, title, start: instance.start + by, end: instance.end + by };
}

const iso = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');
const inOrder = (instances: readonly ModelInstance[]) =>
  [...instances].sort((a, b) => a.start - b.start || a.index - b.index);
const textOfModel = ({ title, start, end }: ModelInstance) => `${iso(start)} ${iso(end)} ${title}`;
const textOfShown = ({ title, start, end }: Shown) =>
  `${iso(Date.parse(start))} ${iso(Date.parse(end))} ${title}`;

function idOf(shown: readonly Shown[], { start, title }: ModelInstance): string {
  const found = shown.find((event) => Date.parse(event.start) === start && event.title === title);
  return found?.id ?? assert.fail('The instance is shown');
}

type Halves = {
  readonly before: readonly Shown[];
  readonly after: readonly Shown[];
  readonly named: ModelInstance;
  readonly request: Request;
};

/** Properties that a split changes by itself, and those with times. */
const VOLATILE = ['uid', 'dtstamp', 'created', 'last-modified', 'sequence', 'dtstart', 'dtend', 'duration'];
const RULES = ['rrule', 'exdate', 'recurrence-id', 'prodid'];

function assertKept({ before: found, after: split, named, request }: Halves): void {
  const whole = partsOf(found[0]?.original.icalendar ?? '');
  const earlier = partsOf(
    split.find(({ start }) => Date.parse(start) < named.start)?.original.icalendar ?? '',
  );
  const later = partsOf(split.at(-1)?.original.icalendar ?? '');
  const words = [
    ...(request.title === undefined ? [] : ['summary']),
    ...(request.location === undefined ? [] : ['location', 'geo']),
  ];
  const isLater = (index: string) => Number(index) >= named.index;
  const series = [...whole.events.keys()];
  const both = (indexes: readonly string[], other: Parts, asked: readonly string[]) => {
    assert.deepEqual([...other.events.keys()].sort(), [...indexes].sort(), 'the exceptions');
    for (const index of indexes)
      assert.deepEqual(
        other.events.get(index)?.filter((one) => isCompared(one, asked)),
        whole.events.get(index)?.filter((one) => isCompared(one, asked)),
        `properties of ${index}`,
      );
    assert.deepEqual(other.zones, whole.zones);
  };
  both(
    series.filter((index) => index === '-1' || !isLater(index)),
    earlier,
    [],
  );
  both(
    series.filter((index) => index === '-1' || isLater(index)),
    later,
    words,
  );
}

const isCompared = (text: string, asked: readonly string[]): boolean =>
  ![...VOLATILE, ...RULES, ...asked].some((name) => text.startsWith(`["${name}"`));

type Parts = { readonly events: ReadonlyMap<string, readonly string[]>; readonly zones: readonly string[] };

/** All properties and alarms of each event, by its X-TEST-INDEX, as sorted JSON. */
function partsOf(icalendar: string): Parts {
  const calendar = new ICAL.Component(ICAL.parse(icalendar));
  const events = calendar.getAllSubcomponents('vevent').map((event) => {
    const properties = event.getAllProperties().map((property) => JSON.stringify(property.toJSON()));
    const alarms = event.getAllSubcomponents('valarm').map((alarm) => JSON.stringify(alarm.toJSON()));
    const index = String(event.getFirstPropertyValue('x-test-index'));
    return [index, [...properties, ...alarms].sort()] as const;
  });
  const zones = calendar.getAllSubcomponents('vtimezone').map((zone) => JSON.stringify(zone.toJSON()));
  return { events: new Map(events), zones };
}
