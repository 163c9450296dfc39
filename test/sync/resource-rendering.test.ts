/** Threads that render resources: nothing that a server sends blocks the main thread for long. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';

import type { CalendarEvent } from '../../src/calendars/event.ts';
import { isLight } from '../../src/calendars/light-resource.ts';
import { renderResource } from '../../src/calendars/render-event.ts';
import type { WorkPool, WorkTask } from '../../src/lib/work-pool/work-pool.ts';
import { type StopReason, WorkStopped } from '../../src/lib/work-pool/work-stopped.ts';
import { workPools } from '../../src/start/work-pools.ts';
import { resourceRendering } from '../../src/sync/resource-rendering.ts';
import { event, resource } from '../contract/mirror-rows.ts';

const FOR = { calendarZone: 'Europe/Paris', owner: 'ada' };
const series = (...rrules: string[]): CalendarEvent =>
  event('2026-11-02T09:00:00', { recurrence: { rrules, rdates: [], exdates: [] } });
const ordinary = resource('ordinary', series('FREQ=WEEKLY;COUNT=10;BYDAY=MO,WE'));
const endless = resource('endless', series('FREQ=DAILY;COUNT=99999999;BYHOUR=3'));

/** A pool that never comes to an end. */
const stopping = (reason: StopReason): Pick<WorkPool, 'run'> => ({
  run: async () => ({ parts: [], stopped: new WorkStopped(reason) }),
});
const unused: Pick<WorkPool, 'run'> = {
  run: ({ name }: WorkTask) => {
    throw new Error(`No thread is needed for ${name}`);
  },
};

describe('the rendering of resources', () => {
  const { syncWork, readWork } = workPools();
  after(() => Promise.all([syncWork.close(), readWork.close()]));

  it('the rendering of ordinary events needs no thread', async () => {
    const single = resource('single', event('2026-11-02T09:00:00'));
    const open = resource('open', series('FREQ=MONTHLY;BYDAY=2TU;UNTIL=20301231T000000Z'));

    const { changed, leftOut } = await resourceRendering(unused)([single, ordinary, open], FOR);

    assert.deepEqual(
      changed.map(({ href }) => href),
      ['/single.ics', '/ordinary.ics', '/open.ics'],
    );
    assert.deepEqual(leftOut, []);
  });

  it('the rendering in a thread answers what rendering here does', async () => {
    const { changed } = await resourceRendering(syncWork)([ordinary, endless], FOR);

    assert.equal(isLight(endless), false);
    assert.deepEqual(
      changed,
      [ordinary, endless].map((one) => renderResource(one, FOR.calendarZone)),
    );
  });

  for (const [reason, message] of Object.entries({
    deadline: 'placing it takes too long',
    memory: 'placing it takes too much memory',
  })) {
    it(`the rendering leaves out the one resource that is over its limit of ${reason}, and says so`, async () => {
      const rendering = resourceRendering(stopping(reason as StopReason));

      const { changed, leftOut } = await rendering([ordinary, endless, ordinary], FOR);

      assert.equal(changed.length, 2);
      assert.deepEqual(leftOut, [
        { kind: 'too_complex', href: '/endless.ics', etag: '"endless"', reason: message },
      ]);
    });
  }

  for (const [reason, failure] of Object.entries({
    closed: { kind: 'unavailable', reason: undefined, notSent: true },
    busy: { kind: 'busy', reason: undefined, notSent: true },
    stalled: { kind: 'unavailable', reason: 'internal_fault', notSent: false },
    unstarted: { kind: 'unavailable', reason: 'internal_fault', notSent: false },
  }))
    it(`the rendering leaves nothing out because the pool is ${reason}`, async () => {
      const rendering = resourceRendering(stopping(reason as StopReason));
      await assert.rejects(rendering([endless], FOR), failure);
    });

  it('what may take long is rendered in a thread', () => {
    const many = Array.from({ length: 21 }, () => event('2026-11-02T09:00:00'));
    const zone = { tzid: 'Own', observances: [] };
    const heavy = {
      'many events': resource('x', ...many),
      'many rules': resource('x', series('FREQ=DAILY', 'FREQ=DAILY', 'FREQ=DAILY')),
      'a long rule': resource('x', series(`FREQ=DAILY;BYSECOND=${'1,'.repeat(200)}1`)),
      'a count that no date may reach': resource('x', series('FREQ=DAILY;COUNT=3;BYMONTH=2;BYMONTHDAY=30')),
      'a count of minutes': resource('x', series('FREQ=MINUTELY;COUNT=3;BYMONTH=2')),
      'a count in another calendar': resource('x', series('RSCALE=CHINESE;FREQ=YEARLY;COUNT=3')),
      'a large object': { ...resource('x'), original: { icalendar: 'x'.repeat(40_000) } },
      'a zone of its own': resource('x', {
        ...event('2026-11-02T09:00:00'),
        start: { type: 'zoned', local: '2026-11-02T09:00:00', zone },
      }),
    };
    for (const [what, one] of Object.entries(heavy)) assert.equal(isLight(one), false, what);
  });
});

describe('a resource as the mirror stores it', () => {
  it('a resource keeps the whole object of its provider up to 64 kB, and the digest of a larger one', () => {
    const sized = (length: number) =>
      renderResource({ ...resource('x'), original: { text: 'x'.repeat(length) } }, 'UTC');
    const around = '{"text":""}'.length;

    const largest = sized(65_536 - around);
    const larger = sized(65_537 - around);

    assert.equal(largest.original?.length, 65_536);
    assert.equal(largest.originalDigest, undefined);
    assert.equal(larger.original, undefined);
    assert.match(larger.originalDigest ?? '', /^[0-9a-f]{64}$/);
    assert.equal(largest.bytes, 65_536);
    assert.equal(larger.bytes, 0);
  });
});
