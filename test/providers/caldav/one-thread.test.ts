/** All tasks that yield parts, in a pool of one thread: a caller may need it again for each part, and others wait for it. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';

import { workPool } from '../../../src/lib/work-pool/work-pool.ts';
import { DAV_TASKS } from '../../../src/providers/caldav/dav-tasks.ts';
import { EXPAND } from '../../../src/reading/expand-elsewhere.ts';
import { RENDER_TASK } from '../../../src/sync/render-task.ts';
import { event, resource } from '../../contract/mirror-rows.ts';
import { calendarObject, vevent } from '../../servers/icalendar.ts';
import { escapeText, multistatus, present } from '../../servers/odd-caldav.ts';

const COLLECTION = 'https://dav.example/work/';
const ONE = calendarObject(vevent('one', 'One'));
const bodyOf = (text = '') => ({ bytes: new Uint8Array(Buffer.from(text)), charset: 'utf-8' });
const listOf = (content: string) => bodyOf(multistatus(content).body);
const object = `<d:getetag>"1"</d:getetag><c:calendar-data>${escapeText(ONE)}</c:calendar-data>`;
const collection = '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>';
const wanted = [{ path: '/work/one.ics', etag: '"0"' }];
const place = { digest: undefined, known: '', from: 0, most: 5, isCareful: false, addresses: [COLLECTION] };
const home = { base: COLLECTION, origins: ['https://dav.example'], principal: COLLECTION, most: 5 };
const window = { start: 0, end: 1 };

/** An input for each task, by its name. */
const INPUTS: Readonly<Record<string, object>> = {
  'caldav-listing': { body: listOf(present('/work/one.ics', object)), collection: COLLECTION },
  'caldav-properties': { body: listOf(present('/work/', '<d:displayname>Work</d:displayname>')) },
  'caldav-calendars': { body: listOf(present('/work/', collection)), ...home },
  'caldav-object': { body: bodyOf(ONE), path: '/work/one.ics', etag: '"1"' },
  'caldav-objects': { body: listOf(present('/work/one.ics', object)), collection: COLLECTION, wanted },
  'caldav-feed': { body: bodyOf(ONE), ...place },
  [RENDER_TASK]: { resource: resource('one', event('2026-11-02T09:00:00')), calendarZone: 'UTC' },
  [EXPAND]: {
    ...{ calendarKey: 'a', zone: 'UTC', series: [], progress: new SharedArrayBuffer(4) },
    wanted: { window, after: undefined, limit: 1, singleEvents: true },
  },
};

describe('a pool with one thread', () => {
  const script = new URL('../../../src/start-work-thread.js', import.meta.url);
  const limits = { mostThreads: 1, mostMemory: 64, idleMs: 10_000, waitMs: 60_000 };
  const pool = workPool({ ...limits, script });
  after(() => pool.close());
  const run = async (name: string) => {
    const { parts, stopped } = await pool.run({ name, input: INPUTS[name], owner: 'ada', partMs: 10_000 });
    assert.equal(stopped, undefined);
    return parts;
  };

  for (const name of [...Object.keys(DAV_TASKS), RENDER_TASK, EXPAND])
    it(`runs ${name} for a caller that renders an event for each of its parts`, async () => {
      const parts = await run(name);

      assert.ok(parts.length > 0);
      for (const part of parts) {
        assert.ok(typeof part === 'object' && part !== null && !('failure' in part));
        assert.equal((await run(RENDER_TASK)).length, 1);
      }
    });

  it('does not continue a task whose parts took more than ten seconds together', async (t) => {
    let seconds = 0;
    t.mock.method(process, 'threadCpuUsage', () => {
      seconds += 3;
      return { user: seconds * 1_000_000, system: 0 };
    });
    const events = Array.from({ length: 10 }, (_, i) => vevent(`e${i}`, `E${i}`));
    const input = { body: bodyOf(calendarObject(...events)), ...place, most: 10, isCareful: true };

    const parts = await Array.fromAsync<unknown>(DAV_TASKS['caldav-feed']?.(input as never) ?? []);

    assert.equal(parts.length, 4);
  });
});
