/** Events that a write cancels: readers do not find them any more, and the response has their own times. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openWitnessSite, type WitnessSite } from './witness-site.ts';

/** Google and Microsoft refuse this status. */
const KINDS = ['apple', 'caldav'] as const;
const TIMED = {
  start: '2027-01-04T09:00:00.000Z',
  end: '2027-01-04T10:00:00.000Z',
  timeZone: 'Europe/Paris',
};
const ALL_DAY = { start: '2027-01-04', end: '2027-01-06', allDay: true };

const WEEKLY = { title: 'Weekly', recurrence: { frequency: 'WEEKLY' } };

/** Creates an event. Returns the id of the event. */
async function create({ send }: WitnessSite, event: object): Promise<string> {
  const { status, body } = await send('POST', event);
  assert.equal(status, 200, JSON.stringify(body));
  return body.id;
}

async function cancelled({ send }: WitnessSite, eventId: string, mode: object = {}) {
  const { status, body } = await send('PUT', { eventId, status: 'cancelled', ...mode });
  assert.deepEqual([status, body.status], [200, 'cancelled'], JSON.stringify(body));
  return body.event;
}

for (const kind of KINDS)
  describe(`an event that is cancelled at ${kind}`, () => {
    it('is returned as one occurrence of its series, which does not take place', async (t) => {
      const site = await openWitnessSite(kind);
      t.after(() => site.close());
      const id = await create(site, { ...WEEKLY, ...TIMED });
      const eventId = `${id}_20270111T090000Z`;
      const times = { start: '2027-01-11T13:00:00.000Z', end: '2027-01-11T14:00:00.000Z' };
      await site.send('PUT', { eventId, ...times, updateMode: 'this' });

      const event = await cancelled(site, eventId, { updateMode: 'this' });

      assert.deepEqual([event.id, event.recurringEventId], [eventId, id]);
      assert.deepEqual([event.start, event.end], [times.start, times.end]);
      const starts = (await site.listed()).map(({ start }) => start.slice(0, 10));
      assert.deepEqual(starts.slice(0, 2), ['2027-01-04', '2027-01-18']);
    });

    it('is returned as an occurrence of an all-day series with its dates', async (t) => {
      const site = await openWitnessSite(kind);
      t.after(() => site.close());
      const id = await create(site, { ...WEEKLY, ...ALL_DAY });

      const event = await cancelled(site, `${id}_20270111`, { updateMode: 'this' });

      assert.deepEqual([event.id, event.recurringEventId], [`${id}_20270111`, id]);
      assert.deepEqual([event.startDate, event.endDate], ['2027-01-11', '2027-01-13']);
    });

    it('is returned as a whole series with the times of its first occurrence and its rule', async (t) => {
      const site = await openWitnessSite(kind);
      t.after(() => site.close());
      const timed = await create(site, { ...WEEKLY, ...TIMED });
      const allDay = await create(site, { ...WEEKLY, ...ALL_DAY });

      const event = await cancelled(site, timed);
      const dates = await cancelled(site, allDay);

      assert.deepEqual([event.start, event.end, event.recurringEventId], [TIMED.start, TIMED.end, undefined]);
      assert.equal(event.recurrence.frequency, 'WEEKLY');
      assert.deepEqual([dates.startDate, dates.endDate], ['2027-01-04', '2027-01-06']);
    });

    it('is returned with its own times when it is created', async (t) => {
      const site = await openWitnessSite(kind);
      t.after(() => site.close());

      const { status, body } = await site.send('POST', { ...WEEKLY, ...TIMED, status: 'cancelled' });

      assert.deepEqual([status, body.start, body.end], [200, TIMED.start, TIMED.end], JSON.stringify(body));
    });
  });
