import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { calendar } from '../contract/mirror-rows.ts';
import { type CalendarServer, get } from '../harness/calendar-server.ts';
import { EVENT, HOME, ID, type Method, openEventSite } from './event-site.ts';

describe('writing events', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    ({ server, token } = await openEventSite({}, calendar(`${HOME}shared/`, { access: 'read' })));
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
    const { status, body } = await send('POST', { ...EVENT, ...change });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
  const list = async (start: string, end: string) => {
    const answer = await get(server, `/events?start=${start}&end=${end}`, token);
    return answer.json().events;
  };

  it('an event is created: its fields at the root with success, the same event under event, and in the mirror', async () => {
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

  it('a change of an event changes what is named and nothing else, and takes away what is empty', async () => {
    const { id } = await create({ title: 'Old', description: 'Words', location: 'Here' });

    const { status, body } = await send('PUT', { ...ID, eventId: id, title: 'New', description: '' });

    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.title, body.description, body.location], ['New', undefined, 'Here']);
  });

  it('an event is deleted by query, as published clients do, and by body', async () => {
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
