/** Every calendar object that leaves for a server, read by ical.js, which we did not write, and held against RFC 5545. */
import assert from 'node:assert/strict';

import ICAL from 'ical.js';

import type { Egress } from '../../src/lib/egress/egress.ts';
import { parseICalendar } from '../../src/lib/icalendar/parse-icalendar.ts';

/** An egress whose PUTs fail the test that makes them when their text is not in order. */
export function checkedWrites(egress: Egress): Egress {
  return {
    ...egress,
    async request(request) {
      if (request.method === 'PUT') assertInOrder(String(request.body));
      return egress.request(request);
    },
  };
}

function assertInOrder(text: string): void {
  const lines = text.split('\r\n');
  assert.equal(lines.pop(), '', 'The text ends with CRLF');
  for (const line of lines) {
    assert.ok(Buffer.byteLength(line) <= 75, `No more than 75 octets: ${line}`);
    assert.doesNotMatch(line, /[\r\n]/);
  }
  const calendar = new ICAL.Component(ICAL.parse(text));
  assert.equal(calendar.name, 'vcalendar');
  assert.equal(calendar.getFirstProperty('method'), null);
  const described = calendar
    .getAllSubcomponents('vtimezone')
    .map((zone) => zone.getFirstPropertyValue('tzid'));
  assert.equal(new Set(described).size, described.length, 'Each zone is described once');
  const events = calendar.getAllSubcomponents('vevent');
  assert.ok(events.length > 0);
  const master = events.find((event) => !event.hasProperty('recurrence-id'));
  for (const event of events) {
    for (const name of ['uid', 'dtstamp', 'dtstart'])
      assert.equal(event.getAllProperties(name).length, 1, `One ${name}`);
    for (const property of event.getAllProperties())
      if (property.getParameter('tzid') !== undefined)
        assert.ok(
          described.includes(property.getParameter('tzid') ?? ''),
          `${property.toICALString()} has its zone`,
        );
    assertEndsLater(event);
    if (master !== undefined) assertLikeStart(event, master);
  }
  assertReadAlike(text, events);
}

/** RFC 5545 §3.8.2.2. */
function assertEndsLater(event: ICAL.Component): void {
  const [start, end] = ['dtstart', 'dtend'].map((name) => event.getFirstPropertyValue(name));
  if (!(start instanceof ICAL.Time && end instanceof ICAL.Time)) return;
  assert.ok(end.compare(start) > 0, `${end} is later than ${start}`);
}

/** RFC 5545 §3.8.4.4, §3.8.5.1, §3.3.10: what names occurrences has the type and the zone of DTSTART. */
function assertLikeStart(event: ICAL.Component, master: ICAL.Component): void {
  const start = master.getFirstProperty('dtstart');
  for (const name of ['recurrence-id', 'exdate', 'rdate'])
    for (const property of event.getAllProperties(name)) {
      if (property.type === 'period') continue;
      const form = [property.type, property.getParameter('tzid')];
      assert.deepEqual(form, [start?.type, start?.getParameter('tzid')], property.toICALString());
    }
  const value = start?.getFirstValue();
  for (const property of event.getAllProperties('rrule')) {
    const [, until] = /UNTIL=(\w+)/.exec(property.toICALString()) ?? [];
    if (until === undefined || !(value instanceof ICAL.Time)) continue;
    const isFloating =
      !value.isDate && value.zone === ICAL.Timezone.localTimezone && !start?.getParameter('tzid');
    assert.match(until, value.isDate ? /^\d{8}$/ : isFloating ? /^\d{8}T\d{6}$/ : /^\d{8}T\d{6}Z$/);
  }
}

/** Asserts that ical.js and Kalends read the same. */
function assertReadAlike(text: string, events: readonly ICAL.Component[]): void {
  const parsed = parseICalendar(text);
  assert.equal(parsed.length, events.length);
  for (const [index, event] of events.entries()) {
    const read = parsed[index];
    const textOf = (name: string) => {
      const value = event.getFirstPropertyValue(name);
      return value === null ? undefined : String(value).trim() || undefined;
    };
    assert.deepEqual(
      [read?.uid, read?.summary, read?.description, read?.location],
      [textOf('uid'), textOf('summary'), textOf('description'), textOf('location')],
    );
    const start = read?.start;
    assert.equal(start?.type === 'date' ? start.date : start?.local, textOf('dtstart')?.replace(/Z$/, ''));
  }
}
