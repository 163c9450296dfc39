/** Copies of a series that its provider refuses permanently. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { get } from '../harness/calendar-server.ts';
import { openBench } from '../providers/provider-bench.ts';
import { calendarObject } from '../servers/icalendar.ts';
import { text } from '../servers/odd-series.ts';
import type { Method } from './event-site.ts';
import { openOddSite } from './odd-site.ts';
import { WEEKLY } from './split-series.ts';

describe('a copy that is refused permanently', () => {
  it('is answered 422 at Microsoft, and nothing is left half done', async () => {
    const bench = await openBench('microsoft');
    const { server } = bench;
    await bench.link({ scope: 'read-write' });
    await bench.read();
    const token = await server.token();
    const send = async (method: Method, body: object) => {
      const headers = { authorization: `Bearer ${token}` };
      const payload = { ...body, provider: 'microsoft', calendarId: bench.calendarId };
      const answer = await server.app.inject({ method, url: '/event', headers, payload });
      return { status: answer.statusCode, body: answer.json() };
    };
    assert.equal((await send('POST', WEEKLY)).status, 200);
    const url = '/events?start=2027-01-01&end=2027-03-01';
    const { events } = (await get(server, url, token)).json();
    bench.fault({ kind: 'status', status: 413 }, 'events.create', 1);

    const answer = await send('PUT', { eventId: events[2].id, updateMode: 'following', title: 'Later' });

    assert.deepEqual([answer.status, answer.body.code], [422, 'field_not_supported_by_provider']);
    assert.deepEqual(await server.db.all('SELECT step FROM split_journal'), []);
    await bench.close();
  });

  it('is answered 422 at CalDAV when the new series would be too complex, and nothing is sent', async () => {
    const at = await openOddSite();
    const exceptions = Array.from({ length: 10 }, (_, i) => {
      const day = String(19 + i);
      return text(
        'BEGIN:VEVENT',
        'UID:daily',
        'DTSTAMP:20260101T000000Z',
        `RECURRENCE-ID:202611${day}T090000Z`,
        `DTSTART:202611${day}T110000Z`,
        `DTEND:202611${day}T120000Z`,
        `SUMMARY:Special ${day}`,
        'END:VEVENT',
      ).trimEnd();
    });
    await at.given(
      'a.ics',
      calendarObject(
        text(
          'BEGIN:VEVENT',
          'UID:daily',
          'DTSTAMP:20260101T000000Z',
          'DTSTART:20261116T090000Z',
          'DTEND:20261116T100000Z',
          'RRULE:FREQ=DAILY;COUNT=20',
          'SUMMARY:Daily',
          'END:VEVENT',
          ...exceptions,
        ),
      ),
    );
    const attendees = Array.from({ length: 1_000 }, (_, i) => `guest-${i}@example.com`);
    const eventId = await at.idAt('2026-11-18');

    const answer = await at.send('PUT', { eventId, updateMode: 'following', attendees });

    assert.deepEqual([answer.status, answer.body.code], [422, 'field_not_supported_by_provider']);
    assert.deepEqual(at.writes(), []);
    assert.deepEqual(await at.server.db.all('SELECT step FROM split_journal'), []);
    await at.close();
  });
});
