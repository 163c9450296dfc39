/** Times whose year cannot be written: every provider reads the years 2 to 9998, in UTC and on the clock of the time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { EVENT, ID, type Method, openEventSite } from './event-site.ts';
import { openWitnessSite } from './witness-site.ts';

const KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];

describe('times at the limits of the years', () => {
  it('are refused if they are beyond in UTC or in their zone', async () => {
    const { server, token } = await openEventSite();
    try {
      const send = async (
        method: Method,
        { time, ...body }: { readonly time?: string; readonly [more: string]: unknown },
      ) => {
        const payload = { ...EVENT, ...(time && { start: time, end: time }), ...body };
        const headers = { authorization: `Bearer ${token}` };
        const answer = await server.app.inject({ method, url: '/event', headers, payload });
        return { status: answer.statusCode, body: answer.json() };
      };
      const problem = 'must be in the years 2 to 9998';
      const details = { start: [`start ${problem}`], end: [`end ${problem}`] };

      for (const times of [
        { time: '0002-01-01T00:00+23:59' },
        { time: '9998-12-31T23:59:59-00:01' },
        { time: '0002-01-01T00:00', timeZone: 'Asia/Tokyo' },
        { time: '0002-01-01T00:00Z', timeZone: 'America/New_York' },
      ]) {
        const refused = await send('POST', times);
        assert.deepEqual([refused.status, refused.body.details], [400, details], JSON.stringify(times));
      }
      assert.equal((await send('POST', { time: '9998-12-31T22:59:59Z' })).status, 200);
      const { body } = await send('POST', { time: '0002-01-01T00:00Z' });
      const change = { ...ID, eventId: body.id, start: undefined, end: undefined };
      assert.equal((await send('PUT', { ...change, timeZone: 'Asia/Tokyo' })).status, 200);
      assert.equal((await send('PUT', { ...change, timeZone: 'America/New_York' })).status, 400);
    } finally {
      await server.close();
    }
  });

  for (const kind of KINDS)
    it(`are refused if the start of a series moves beyond at ${kind}`, async () => {
      const site = await openWitnessSite(kind);
      try {
        const times = { start: '2020-01-06T09:00:00Z', end: '2020-01-06T10:00:00Z' };
        const recurrence = { frequency: 'WEEKLY' };
        const { body } = await site.send('POST', { title: 'Series', ...times, recurrence });
        const early = { start: '0003-01-06T08:00:00Z', end: '0003-01-06T09:00:00Z' };

        const eventId = `${body.id}_20270111T090000Z`;
        const answer = await site.send('PUT', { eventId, ...early, updateMode: 'all' });

        assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request']);
        assert.match(answer.body.message, /outside the years 2 to 9998/);
      } finally {
        await site.close();
      }
    });
});
