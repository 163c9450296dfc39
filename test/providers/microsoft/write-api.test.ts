/** From `POST`, `PUT` and `DELETE /event` into Outlook, and back through the mirror: both show the same each time. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { ADA, type Bench, openBench } from '../provider-bench.ts';
import { instancesOf, listEvents } from './listed-events.ts';

const WINDOW = { start: Date.UTC(2026, 9, 1), end: Date.UTC(2027, 3, 1) };
const ZONE = 'Europe/Berlin';

describe('The interface on Outlook', () => {
  let bench: Bench;
  let token: string;

  before(async () => {
    bench = await openBench('microsoft');
    token = await bench.server.token();
    await bench.link({ scope: 'read-write' });
    await listed();
  });
  after(() => bench.close());

  const listed = () => listEvents(bench.server, token, WINDOW);
  async function send(method: 'POST' | 'PUT' | 'DELETE', url: string, fields: object) {
    const answer = await bench.server.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      payload: { provider: 'microsoft', calendarId: bench.calendarId, ...fields },
    });
    return { status: answer.statusCode, body: answer.json() };
  }
  async function sent(method: 'POST' | 'PUT' | 'DELETE', url: string, fields: object) {
    const { status, body } = await send(method, url, fields);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
  /** Before any sync: a write is in the mirror before it is answered. */
  async function shownAlike(titles: readonly string[]): Promise<void> {
    const ours = instancesOf(await listed());
    assert.deepEqual(ours, await bench.manual.instances(ADA.email, bench.calendarId, WINDOW));
    assert.deepEqual(
      ours.map(({ title, start }) => `${new Date(start).toISOString().slice(5, 16)} ${title}`),
      titles,
    );
  }

  it('the interface on Outlook writes a series in its zone, changes and deletes parts of it, splits it, and ends it', async () => {
    const series = await sent('POST', '/event', {
      title: 'Weekly',
      timeZone: ZONE,
      start: '2026-10-12T07:00:00Z',
      end: '2026-10-12T08:00:00Z',
      custom: { team: 1 },
      recurrence: { frequency: 'WEEKLY', count: 6 },
    });
    const instance = (stamp: string) => `${series.id}_${stamp}`;
    await shownAlike([
      '10-12T07:00 Weekly',
      '10-19T07:00 Weekly',
      '10-26T08:00 Weekly',
      '11-02T08:00 Weekly',
      '11-09T08:00 Weekly',
      '11-16T08:00 Weekly',
    ]);

    await sent('PUT', '/event', { eventId: instance('20261109T080000Z'), title: 'Own', updateMode: 'this' });
    await sent('DELETE', '/event', { eventId: instance('20261102T080000Z'), deleteMode: 'this' });
    await shownAlike([
      '10-12T07:00 Weekly',
      '10-19T07:00 Weekly',
      '10-26T08:00 Weekly',
      '11-09T08:00 Own',
      '11-16T08:00 Weekly',
    ]);

    const later = await sent('PUT', '/event', {
      eventId: instance('20261026T080000Z'),
      recurringEventId: series.id,
      updateMode: 'following',
      location: 'Room 2',
      custom: { team: 2 },
      start: '2026-10-27T13:00:00Z',
      end: '2026-10-27T14:00:00Z',
    });
    await shownAlike([
      '10-12T07:00 Weekly',
      '10-19T07:00 Weekly',
      '10-27T13:00 Weekly',
      '11-10T13:00 Own',
      '11-17T13:00 Weekly',
    ]);
    assert.deepEqual([later.custom, later.location], [{ team: 2 }, 'Room 2']);

    await sent('PUT', '/event', { eventId: series.id, updateMode: 'all', title: 'Early' });
    await sent('DELETE', '/event', {
      eventId: `${later.id}_20261117T130000Z`,
      recurringEventId: later.id,
      deleteMode: 'following',
    });
    await shownAlike(['10-12T07:00 Early', '10-19T07:00 Early', '10-27T13:00 Weekly', '11-10T13:00 Own']);

    for (const eventId of [series.id, later.id])
      await sent('DELETE', '/event', { eventId, deleteMode: 'all' });
    await shownAlike([]);
  });

  it('the interface on Outlook tells what Outlook cannot repeat as 422, with the reason', async () => {
    const { status, body } = await send('POST', '/event', {
      title: 'Monthly',
      start: '2026-10-31T09:00:00Z',
      end: '2026-10-31T10:00:00Z',
      recurrence: { frequency: 'MONTHLY', byMonthDay: [31] },
    });

    assert.deepEqual([status, body.code], [422, 'recurrence_not_supported_by_provider']);
    assert.match(body.details.recurrence[0], /last day/);
    await shownAlike([]);
  });

  it('the interface on Outlook keeps changes of different fields that are made at once, though each is of one version', async () => {
    const { id: eventId } = await sent('POST', '/event', {
      title: 'Busy',
      start: '2026-10-20T09:00:00Z',
      end: '2026-10-20T10:00:00Z',
    });
    const fields = {
      title: 'Named',
      description: 'Said',
      location: 'Here',
      privacy: 'private',
      availability: 'free',
    };

    await Promise.all(
      Object.entries(fields).map(([name, value]) => sent('PUT', '/event', { eventId, [name]: value })),
    );

    const [event] = await listed();
    assert.deepEqual({ ...event, ...fields }, event);
    await sent('DELETE', '/event', { eventId });
  });

  it('the interface on Outlook merges a change with what somebody changed in Outlook meanwhile', async () => {
    const { id: eventId } = await sent('POST', '/event', {
      title: 'Ours',
      start: '2026-10-21T09:00:00Z',
      end: '2026-10-21T10:00:00Z',
    });
    const at = (time: string) => ({ dateTime: `2026-10-21T${time}`, timeZone: ZONE });
    await bench.manual.updateEvent(ADA.email, bench.calendarId, {
      id: eventId,
      title: 'Theirs',
      start: at('15:00:00'),
      end: at('16:00:00'),
    });

    const after = await sent('PUT', '/event', { eventId, location: 'Ours' });

    assert.deepEqual(
      [after.title, after.start, after.location],
      ['Theirs', '2026-10-21T13:00:00.000Z', 'Ours'],
    );
    await sent('DELETE', '/event', { eventId });
  });

  it('the interface on Outlook answers an invitation', async () => {
    const { manual } = bench.microsoft();
    const at = (time: string) => ({ dateTime: `2026-10-22T${time}`, timeZone: ZONE });
    const draft = {
      title: 'Review',
      start: at('09:00:00'),
      end: at('10:00:00'),
      attendees: [{ email: ADA.email }],
    };
    const eventId = await manual.invite(ADA.email, bench.calendarId, {
      ...draft,
      organizer: { email: 'grace@example.com', name: 'Grace' },
    });

    const answered = await sent('POST', '/event/rsvp', { eventId, response: 'accepted', comment: 'Gladly' });

    const guest = answered.attendees.find(({ email }: { email: string }) => email === ADA.email);
    assert.deepEqual([guest.status, manual.responses(ADA.email).at(-1)?.comment], ['accepted', 'Gladly']);
  });

  it('the interface on Outlook refuses to split the series of another organizer, and writes nothing', async () => {
    const { manual, requests } = bench.microsoft();
    const at = (time: string) => ({ dateTime: `2026-10-23T${time}`, timeZone: ZONE });
    const id = await manual.invite(ADA.email, bench.calendarId, {
      title: 'Theirs',
      start: at('09:00:00'),
      end: at('10:00:00'),
      recurrence: { frequency: 'weekly', count: 5 },
      attendees: [{ email: ADA.email }],
      organizer: { email: 'grace@example.com', name: 'Grace' },
    });
    await listed();
    const writes = () =>
      ['create', 'update', 'delete'].reduce((sum, name) => sum + requests(`events.${name}`), 0);
    const before = writes();

    const { status, body } = await send('PUT', '/event', {
      eventId: `${id}_20261106T080000Z`,
      recurringEventId: id,
      updateMode: 'following',
      title: 'Mine',
    });

    assert.deepEqual([status, body.code, writes()], [422, 'organizer_only', before]);
  });
});
