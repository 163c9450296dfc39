/** GET /events/changes?wait=: the answer is held until something changes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

type Answer = { changes: { event: { id: string } }[]; cursor: string; more: boolean; code?: string };

describe('GET /events/changes with wait', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    server = await openCalendarServer();
    server.provider.addCalendar(calendar('/work/'));
    await link(server);
    token = await server.token('read');
  });
  after(() => server.close());

  const ask = async (query: string) => {
    const answer = await get(server, `/events/changes?${query}`, token);
    return { status: answer.statusCode, ...answer.json<Answer>() };
  };
  const cursorNow = async () => {
    await get(server, '/events?start=2026-11-01T00:00:00Z&end=2026-12-01T00:00:00Z', token);
    return (await ask('')).cursor;
  };
  const change = async (id: string) => {
    server.provider.put('/work/', resource(id, event('2026-11-10T09:00:00')));
    server.clock.now += 61_000;
    for (const { accountKey } of await server.deps.accounts.listAccounts('acme', 'ada'))
      for (const { calendarKey } of await server.deps.mirror.listCalendars(accountKey))
        await server.deps.sync.syncCalendar(calendarKey, server.clock.now);
  };

  it('returns present changes at once, and later ones as soon as they come', async () => {
    const cursor = await cursorNow();
    await change('there');
    const there = await ask(`cursor=${cursor}&wait=25`);
    assert.deepEqual(
      there.changes.map(({ event: { id } }) => id),
      ['there'],
    );

    let isAnswered = false;
    const held = ask(`cursor=${there.cursor}&wait=25`).finally(() => {
      isAnswered = true;
    });
    await sleep(700);
    assert.equal(isAnswered, false);
    await change('comes');
    const comes = await held;
    assert.deepEqual(
      comes.changes.map(({ event: { id } }) => id),
      ['comes'],
    );
    assert.notEqual(comes.cursor, there.cursor);
  });

  it('answers an empty list and a cursor when nothing came in time', async () => {
    const cursor = await cursorNow();
    const { status, changes, more, cursor: next } = await ask(`cursor=${cursor}&wait=1`);
    assert.deepEqual({ status, changes, more }, { status: 200, changes: [], more: false });
    await change('later');
    assert.equal((await ask(`cursor=${next}`)).changes.length, 1);
  });

  it('refuses a wait that is no number of seconds up to 25', async () => {
    for (const wait of ['26', '-1', '1.5', 'x', '999']) {
      const { status, code } = await ask(`wait=${wait}`);
      assert.deepEqual([wait, status, code], [wait, 400, 'invalid_request']);
    }
  });

  it('does not let more than five of a user wait at once, and refuses none of another', async () => {
    const cursor = await cursorNow();
    const asked = Array.from({ length: 6 }, () => ask(`cursor=${cursor}&wait=25`));
    // Five are held, so that the other one is answered first.
    const refused = await Promise.race(asked);
    assert.deepEqual([refused.status, refused.code], [429, 'too_many_reads']);
    assert.equal((await ask(`cursor=${cursor}`)).status, 200);
    await change('all');
    const answers = (await Promise.all(asked)).filter(({ status }) => status === 200);
    assert.deepEqual(
      answers.map(({ changes }) => changes.length),
      [1, 1, 1, 1, 1],
    );
  });

  it('tells nothing once the grant has ended, whatever changes meanwhile', async () => {
    const cursor = await cursorNow();
    const bearer = await server.token('read');
    const held = get(server, `/events/changes?cursor=${cursor}&wait=25`, bearer);
    await sleep(300);
    const named = await server.deps.signer.readAccessToken(bearer);
    await server.db.write(
      'UPDATE token_family SET ended_at = :now WHERE family_id = :familyId RETURNING family_id',
      { now: server.clock.now, familyId: named?.familyId ?? '' },
    );
    await change('unseen');
    const answer = await held;
    assert.deepEqual([answer.statusCode, answer.json().code], [401, 'invalid_token']);
  });

  it('is over when the server stops', async () => {
    const other = await openCalendarServer();
    const bearer = await other.token('read');
    const { cursor } = (await get(other, '/events/changes', bearer)).json<Answer>();
    const held = get(other, `/events/changes?cursor=${cursor}&wait=25`, bearer);
    await sleep(300);
    const startedAt = performance.now();
    await other.close();
    assert.equal((await held).statusCode, 200);
    assert.ok(performance.now() - startedAt < 10_000);
  });
});
