/** Writes that the provider makes while another process has the lock of the database. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { createSealer } from '../../src/lib/sealing.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { openSqlite } from '../../src/store/drivers/sqlite-driver.ts';
import { LEASE_MS } from '../../src/sync/lease.ts';
import type { ResourceRendering } from '../../src/sync/resource-rendering.ts';
import { inTurn } from '../../src/writing/calendar-turn.ts';
import { calendar } from '../contract/mirror-rows.ts';
import {
  type CalendarServer,
  get,
  link,
  makeUsers,
  openCalendarServer,
  START,
} from '../harness/calendar-server.ts';
import { renderHere } from '../harness/render-here.ts';
import { EVENT, HOME, ID, type Method } from './event-site.ts';

describe('a database that fails after the provider made a change', () => {
  let server: CalendarServer;
  let token: string;
  let lockAtRendering = false;
  let lock: () => void;
  let unlock: () => void;
  let close: () => Promise<void>;

  const rendering: ResourceRendering = async (...input) => {
    if (lockAtRendering) lock();
    return renderHere(...input);
  };

  beforeEach(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'kalends-locked-'));
    const file = path.join(folder, 'kalends.db');
    const db = openSqlite(file, { lockWaitMs: 0 });
    await migrate(db, Date.now, async () => {});
    server = await openCalendarServer({ db, sealer: createSealer(randomBytes(32)), rendering });
    await makeUsers(server.deps, START);
    server.provider.addCalendar(calendar(HOME));
    await link(server);
    token = await server.token();
    await get(server, '/events', token);
    const other = new DatabaseSync(file);
    lock = () => other.exec('BEGIN IMMEDIATE');
    unlock = () => other.exec('ROLLBACK');
    close = async () => {
      other.close();
      await server.close();
      await db.close();
      await rm(folder, { recursive: true });
    };
  });
  afterEach(() => close());

  async function send(method: Method, body: object, url = '/event') {
    const headers = { authorization: `Bearer ${token}` };
    return server.app.inject({ method, url, headers, payload: body });
  }
  async function sendLocked(method: Method, body: object, url?: string) {
    lockAtRendering = true;
    const answer = await send(method, body, url);
    lockAtRendering = false;
    unlock();
    return answer;
  }
  const titles = async () => {
    server.clock.now += LEASE_MS;
    const { events } = (await get(server, '/events', token)).json();
    return events.map(({ title }: { title: string }) => title);
  };

  it('leaves a created event at 200, which the next sync brings', async () => {
    const answer = await sendLocked('POST', EVENT);

    assert.equal(answer.statusCode, 200, answer.body);
    const { id, title } = answer.json();
    assert.equal(server.provider.resourcesOf(HOME)[0]?.href, `${HOME}${id}.ics`);
    assert.equal(title, EVENT.title);
    assert.ok(server.log.lines.some((line) => line.includes('"event":"write_not_stored"')));
    assert.deepEqual(await titles(), [EVENT.title]);
  });

  it('makes a change fail with 503, which says that the provider made it', async () => {
    const { id: eventId } = (await send('POST', EVENT)).json();

    const changed = await sendLocked('PUT', { ...ID, eventId, title: 'Changed' });

    assert.equal(changed.statusCode, 503, changed.body);
    const { code, message } = changed.json();
    assert.equal(code, 'temporarily_unavailable');
    assert.match(message, /^The provider made the change/);
    assert.equal(changed.headers['retry-after'], '5');
    assert.deepEqual(await titles(), ['Changed']);
  });

  it('does not replace the result of a write whose lease cannot be released', async () => {
    const [turnOf] = await server.db.all<{ calendarKey: string; accountKey: string }>(
      'SELECT calendar_key AS "calendarKey", account_key AS "accountKey" FROM calendar',
    );
    const work = async () => {
      lock();
      return 'created';
    };

    const result = await inTurn(turnOf ?? assert.fail('There is no calendar'), work, server.deps);
    unlock();

    assert.equal(result, 'created');
    assert.ok(server.log.lines.some((line) => line.includes('"event":"write_not_stored"')));
  });
});
