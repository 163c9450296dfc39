import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { calendar } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const HOME = 'https://dav.example/ada/home/';
const ID = { provider: 'caldav', calendarId: HOME };
const MEETING = { ...ID, title: 'Meeting', start: '2026-11-20T09:00:00Z', end: '2026-11-20T10:00:00Z' };

type Method = 'POST' | 'PUT' | 'DELETE';

describe('writing events', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    server = await openCalendarServer();
    server.provider.addCalendar(calendar(HOME));
    server.provider.addCalendar(calendar(`${HOME}shared/`, { access: 'read' }));
    await link(server);
    token = await server.token();
    await get(server, '/calendars', token);
  });
  after(() => server.close());

  async function send(method: Method, body: object, headers: Record<string, string> = {}, url = '/event') {
    const answer = await server.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}`, ...headers },
      payload: body,
    });
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
  }
  async function create(change: object = {}) {
    const { status, body } = await send('POST', { ...MEETING, ...change });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
  const list = async (start: string, end: string) => {
    const answer = await get(server, `/events?start=${start}&end=${end}`, token);
    return answer.json().events;
  };

  it('creates an event: its fields at the root with success, the same event under event, and in the mirror', async () => {
    const created = await create({
      attendees: ['grace@example.com', { email: 'alan@example.com' }],
      custom: { a: 1 },
    });

    const { success, event, ...root } = created;
    assert.equal(success, true);
    assert.deepEqual(root, event);
    assert.equal(event.start, '2026-11-20T09:00:00.000Z');
    const [listed] = await list('2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z');
    assert.deepEqual(listed, event);
  });

  it('changes what is named and nothing else, and takes away what is empty', async () => {
    const { id } = await create({ title: 'Old', description: 'Words', location: 'Here' });

    const { status, body } = await send('PUT', { ...ID, eventId: id, title: 'New', description: '' });

    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.title, body.description, body.location], ['New', undefined, 'Here']);
  });

  it('deletes by query, as published clients do, and by body', async () => {
    for (const by of ['query', 'body'] as const) {
      const { id } = await create({ title: `Doomed ${by}` });
      const parameters = { ...ID, eventId: id };
      const url = by === 'query' ? `/event?${new URLSearchParams(parameters)}` : '/event';

      const answer = await send('DELETE', by === 'body' ? parameters : {}, {}, url);

      assert.deepEqual([answer.status, answer.body.success], [200, true]);
      assert.equal(typeof answer.body.message, 'string');
      assert.equal((await send('PUT', { ...parameters, title: 'Late' })).status, 404);
    }
  });
});
