/** One table of writes over HTTP on the sandbox's four providers, and on Radicale: the same results on each. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { get } from '../harness/calendar-server.ts';
import { counterpart } from '../harness/counterpart.ts';
import { RADICALE, startRadicale } from '../servers/radicale.ts';
import { onSandbox, onServer, type WriteSite } from './write-site.ts';

const KINDS: readonly ProviderKind[] = ['google', 'microsoft', 'apple', 'caldav'];

for (const kind of KINDS) writesOn(`the sandbox’s ${kind}`, () => onSandbox(kind), {});
writesOn('Radicale', () => onServer(startRadicale), counterpart('Radicale', RADICALE));

function writesOn(name: string, open: () => Promise<WriteSite>, options: { skip?: string | false }): void {
  describe(`writing on ${name}`, options, () => {
    let at: WriteSite;
    let token: string;
    let id: { provider: string; calendarId: string };
    before(async () => {
      at = await open();
      token = await at.server.token();
      const calendars = (await get(at.server, '/calendars', token)).json();
      const calendar = calendars.find((one: { id: string }) => one.id === at.calendarId) ?? calendars[0];
      id = { provider: at.provider, calendarId: calendar.id };
    });
    after(() => at?.close());

    async function send(
      method: 'POST' | 'PUT' | 'DELETE',
      body: object,
      headers: Record<string, string> = {},
    ) {
      const answer = await at.server.app.inject({
        method,
        url: '/event',
        headers: { authorization: `Bearer ${token}`, ...headers },
        payload: { ...id, ...body },
      });
      return { status: answer.statusCode, body: answer.json() };
    }
    async function sent(method: 'POST' | 'PUT' | 'DELETE', body: object) {
      const answer = await send(method, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    }
    async function listTitles(titles: readonly string[]): Promise<string[]> {
      const answer = await get(at.server, '/events?start=2027-01-01&end=2027-12-31', token);
      const events = answer.json().events.filter(({ title }: { title: string }) => titles.includes(title));
      return events.map(
        ({ start, title }: { start: string; title: string }) => `${start.slice(5, 16)} ${title}`,
      );
    }
    /** Checks what a reader sees now, and again after the provider was asked. */
    async function assertTitles(titles: readonly string[], expected: readonly string[]): Promise<void> {
      assert.deepEqual(await listTitles(titles), expected, 'read your own writes');
      at.pass();
      assert.deepEqual(await listTitles(titles), expected, 'as the provider has it');
    }
    const weekly = (title: string, count = 4) => ({
      title,
      start: '2027-01-04T09:00:00Z',
      end: '2027-01-04T10:00:00Z',
      timeZone: 'Europe/Paris',
      recurrence: { frequency: 'WEEKLY', count },
    });
    const instance = (event: { id: string }, day: string) => ({
      eventId: `${event.id}_2027${day}T090000Z`,
      recurringEventId: event.id,
    });

    it('an event is created, changed and deleted', async () => {
      const event = await sent('POST', {
        title: 'One',
        start: '2027-01-01T09:00:00Z',
        end: '2027-01-01T10:00:00Z',
        description: 'Words',
        location: 'Room 5',
        custom: { order: 7 },
        availability: 'free',
      });
      assert.deepEqual(
        [event.description.trim(), event.location, event.availability],
        ['Words', 'Room 5', 'free'],
      );
      assert.deepEqual(event.custom, { order: 7 });
      await assertTitles(['One'], ['01-01T09:00 One']);

      const changed = await sent('PUT', {
        eventId: event.id,
        title: 'Two',
        start: '2027-01-01T11:00:00Z',
        end: '2027-01-01T12:00:00Z',
      });
      assert.deepEqual([changed.location, changed.custom], ['Room 5', { order: 7 }]);
      await assertTitles(['One', 'Two'], ['01-01T11:00 Two']);

      await sent('DELETE', { eventId: event.id });
      await assertTitles(['One', 'Two'], []);
      assert.equal((await send('PUT', { eventId: event.id, title: 'Late' })).status, 404);
    });

    it('an all-day event keeps its dates', async () => {
      const event = await sent('POST', {
        title: 'Fair',
        allDay: true,
        start: '2027-01-02',
        end: '2027-01-04',
      });

      assert.deepEqual(
        [event.allDay, event.start, event.end],
        [true, '2027-01-02T00:00:00.000Z', '2027-01-04T00:00:00.000Z'],
      );
      await assertTitles(['Fair'], ['01-02T00:00 Fair']);
    });

    it('a series keeps its time of day when the clocks change', async () => {
      await sent('POST', {
        ...weekly('Clock'),
        start: '2027-03-22T09:00:00Z',
        end: '2027-03-22T10:00:00Z',
        recurrence: { frequency: 'WEEKLY', count: 2 },
      });

      await assertTitles(['Clock'], ['03-22T09:00 Clock', '03-29T08:00 Clock']);
    });

    it('one instance is changed and deleted', async () => {
      const series = await sent('POST', weekly('Single out'));
      await sent('PUT', {
        ...instance(series, '0111'),
        updateMode: 'this',
        title: 'Out',
        start: '2027-01-12T12:00:00Z',
        end: '2027-01-12T13:00:00Z',
      });
      await sent('DELETE', { ...instance(series, '0118'), deleteMode: 'this' });

      await assertTitles(
        ['Single out', 'Out'],
        ['01-04T09:00 Single out', '01-12T12:00 Out', '01-25T09:00 Single out'],
      );
    });

    it('this and the following instances are changed, with their exceptions', async () => {
      const series = await sent('POST', weekly('Old', 6));
      await sent('PUT', { ...instance(series, '0125'), updateMode: 'this', title: 'Own' });
      await sent('DELETE', { ...instance(series, '0201'), deleteMode: 'this' });

      const later = await sent('PUT', {
        ...instance(series, '0118'),
        updateMode: 'following',
        start: '2027-01-18T10:00:00Z',
        end: '2027-01-18T11:00:00Z',
        location: 'New room',
      });

      assert.notEqual(later.id, series.id);
      await assertTitles(
        ['Old', 'Own'],
        ['01-04T09:00 Old', '01-11T09:00 Old', '01-18T10:00 Old', '01-25T10:00 Own', '02-08T10:00 Old'],
      );
    });

    it('a whole series is changed and deleted by one of its instances', async () => {
      const series = await sent('POST', weekly('Whole', 3));
      await sent('PUT', {
        ...instance(series, '0111'),
        updateMode: 'all',
        start: '2027-01-11T13:00:00Z',
        end: '2027-01-11T14:00:00Z',
        title: 'All',
      });
      await assertTitles(['Whole', 'All'], ['01-04T13:00 All', '01-11T13:00 All', '01-18T13:00 All']);

      await sent('DELETE', { eventId: `${series.id}_20270111T130000Z`, deleteMode: 'all' });
      await assertTitles(['Whole', 'All'], []);
    });

    it('this and the following instances are deleted, changed ones too', async () => {
      const series = await sent('POST', weekly('Ends'));
      await sent('PUT', { ...instance(series, '0118'), updateMode: 'this', title: 'Ends changed' });

      await sent('DELETE', { ...instance(series, '0111'), deleteMode: 'following' });

      await assertTitles(['Ends', 'Ends changed'], ['01-04T09:00 Ends']);
    });

    it('a stale If-Match is refused, and two creations under one key make one event', async () => {
      const body = { title: 'Keyed', start: '2027-01-03T09:00:00Z', end: '2027-01-03T10:00:00Z' };
      const [first, second] = [
        await send('POST', body, { 'idempotency-key': 'k' }),
        await send('POST', body, { 'idempotency-key': 'k' }),
      ];
      assert.deepEqual(second.body, first.body);
      await sent('PUT', { eventId: first.body.id, location: 'Changed' });

      const stale = await send(
        'PUT',
        { eventId: first.body.id, title: 'Lost' },
        { 'if-match': first.body.etag },
      );

      assert.equal(stale.status, 412, JSON.stringify(stale.body));
      assert.equal(stale.body.event.location, 'Changed');
      await assertTitles(['Keyed', 'Lost'], ['01-03T09:00 Keyed']);
    });
  });
}
