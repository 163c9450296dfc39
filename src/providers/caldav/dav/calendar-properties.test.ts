import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseCalendar, readColor } from './calendar-properties.ts';
import { parseTimeZone } from './calendar-time-zone.ts';
import { readMultistatus } from './multistatus.ts';

const NAMESPACES =
  'xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:cs="http://calendarserver.org/ns/" xmlns:a="http://apple.com/ns/ical/"';

const calendarWith = (properties: string, types = '<collection/><c:calendar/>') => {
  const prop = `<resourcetype>${types}</resourcetype>${properties}`;
  const response = `<response><href>/cal/My%20Caf%C3%A9/</href><propstat><prop>${prop}</prop><status>HTTP/1.1 200 OK</status></propstat></response>`;
  const [first] = readMultistatus(
    `<multistatus ${NAMESPACES}>${response}</multistatus>`,
    (read) => read,
  ).responses;
  return first && parseCalendar(first, new URL(first.href, 'https://dav.example.com'));
};

describe('a calendar collection', () => {
  it('a calendar collection without a name has the name of its last path segment', () => {
    assert.equal(calendarWith('')?.title, 'My Café');
  });

  it('a scheduling box, a subscription and a collection for tasks are no calendars for events', () => {
    assert.equal(calendarWith('', '<collection/><c:calendar/><c:schedule-inbox/>'), undefined);
    assert.equal(calendarWith('', '<collection/><c:schedule-outbox/>'), undefined);
    assert.equal(calendarWith('', '<collection/><cs:subscribed/>'), undefined);
    const tasks =
      '<c:supported-calendar-component-set><c:comp name="VTODO"/></c:supported-calendar-component-set>';
    assert.equal(calendarWith(tasks), undefined);
  });

  const privileges = (names: string) =>
    `<current-user-privilege-set>${names.replace(/<[^>]*>/g, '<privilege>$&</privilege>')}</current-user-privilege-set>`;
  const rows: [string, 'read' | 'write'][] = [
    ['', 'write'],
    [privileges('<read/>'), 'read'],
    [privileges('<read/><read-acl/><write-properties/>'), 'read'],
    [privileges('<read/><write/>'), 'write'],
    [privileges('<all/>'), 'write'],
    [privileges('<read/><bind/>'), 'write'],
    [privileges('<read/><write-content/>'), 'write'],
  ];
  for (const [properties, access] of rows)
    it(`a calendar collection grants ${access} with ${properties || 'no privileges told'}`, () => {
      assert.equal(calendarWith(properties)?.access, access);
    });

  it('the raw properties of a calendar collection are stored as plain data', () => {
    const original = calendarWith('<displayname>Work &amp; more</displayname>')?.original;

    assert.deepEqual(original, {
      'd:resourcetype': [{ 'd:collection': '' }, { 'c:calendar': '' }],
      'd:displayname': 'Work & more',
    });
  });
});

describe('the color of a calendar', () => {
  const rows: [string | undefined, string | undefined][] = [
    ['#12ABEF', '#12abef'],
    ['#12ABEFFF', '#12abef'],
    ['12abef', '#12abef'],
    ['#1af', '#11aaff'],
    ['#1af8', '#11aaff'],
    ['red', undefined],
    ['#12abe', undefined],
    ['', undefined],
    [undefined, undefined],
  ];
  for (const [text, color] of rows)
    it(`the color of a calendar reads ${text} as ${color}`, () => {
      assert.equal(readColor(text), color);
    });
});

describe('the zone of a calendar', () => {
  const timezone = (tzid: string, rest = '') =>
    `BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:${tzid}\n${rest}END:VTIMEZONE\nEND:VCALENDAR\n`;

  it('the zone of a calendar is the one that its VTIMEZONE names by IANA, Windows or X-LIC-LOCATION', () => {
    assert.equal(parseTimeZone(timezone('Europe/Athens')), 'Europe/Athens');
    assert.equal(parseTimeZone(timezone('W. Europe Standard Time')), 'Europe/Berlin');
    assert.equal(parseTimeZone(timezone('Mine', 'X-LIC-LOCATION:America/Lima\n')), 'America/Lima');
  });

  it('the zone of a calendar is unknown without a VTIMEZONE that names one', () => {
    for (const text of [undefined, '', 'nonsense', timezone(''), 'BEGIN:VCALENDAR\nEND:VCALENDAR'])
      assert.equal(parseTimeZone(text), undefined);
  });
});
