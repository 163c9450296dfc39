import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EventResource } from '../calendars/event.ts';
import type { MirroredEvent, MirroredResource } from '../calendars/mirrored-event.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import { countedFailure, planPart, planRemovals, planWrites, setAside } from './plan-sync.ts';

const resource = (href: string, etag = '1'): EventResource => ({
  href,
  etag,
  eventId: href,
  events: [],
  original: {},
});
const part = (changed: EventResource[], removed: string[] = []) => ({ changed, removed, complete: false });

describe('the plan of a sync', () => {
  it('the plan of a sync writes the last version of a resource that is named twice', () => {
    const plan = planPart(part([resource('a', 'old'), resource('a', 'new')]), new Set());

    assert.deepEqual(plan, [{ write: [resource('a', 'new')], leaveOut: [], remove: [] }]);
  });

  it('the plan of a sync removes a resource that one part names as both changed and removed', () => {
    const listed = new Set<string>();

    assert.deepEqual(planPart(part([resource('a')], ['a']), listed), [
      { write: [], leaveOut: [], remove: ['a'] },
    ]);
    assert.deepEqual(listed, new Set());
  });

  it('the plan of a sync splits a large part without losing anything', () => {
    const resources = Array.from({ length: 250 }, (_, i) => resource(`c${i}`));
    const removed = Array.from({ length: 350 }, (_, i) => `r${i}`);

    const plan = planPart(part(resources, removed), new Set());

    assert.equal(plan.length, 4);
    assert.deepEqual(
      plan.flatMap(({ write }) => write),
      resources,
    );
    assert.deepEqual(
      plan.flatMap(({ remove }) => remove),
      removed,
    );
    assert.ok(plan.every(({ write, remove }) => write.length <= 100 && remove.length <= 100));
  });

  it('the plan of a sync counts what is left out or unchanged as listed', async () => {
    const listed = new Set<string>();
    const leftOut = { kind: 'too_complex', href: 'b', etag: '1', reason: 'it is too large' } as const;

    const plan = planPart(
      { ...part([resource('a'), resource('b')]), leftOut: [leftOut], unchanged: ['c'] },
      listed,
    );

    assert.deepEqual(plan, [{ write: [resource('a')], leaveOut: [leftOut], remove: [] }]);
    assert.deepEqual(await planRemovals(['a', 'b', 'c', 'd'], listed), [['d']]);
  });

  it('the plan of a sync splits writes by resources, rows and bytes, and never splits a resource', () => {
    const rendered = (bytes: number, rows = 1): MirroredResource => ({
      href: 'x',
      etag: undefined,
      eventId: 'x',
      original: undefined,
      originalDigest: undefined,
      events: Array.from({ length: rows }, () => ({}) as MirroredEvent),
      bytes,
    });
    const sizes = (...changed: MirroredResource[]) =>
      planWrites({ changed, leftOut: [], removed: [] }).map((piece) => piece.changed.length);

    assert.deepEqual(sizes(), [0]);
    assert.deepEqual(sizes(...Array.from({ length: 250 }, () => rendered(10))), [100, 100, 50]);
    assert.deepEqual(sizes(rendered(1, 499), rendered(1), rendered(1)), [2, 1]);
    assert.deepEqual(sizes(rendered(600_000), rendered(400_000), rendered(1)), [2, 1]);
    assert.deepEqual(sizes(rendered(9_000_000, 3_000), rendered(1)), [1, 1]);
  });

  it('the plan of a sync sets a target aside after three unfinished syncs, and retries it after a day', () => {
    const now = 1_000;
    const checkSetAside = (unfinished: number, before?: SyncFailure) =>
      setAside({ unfinished, before, what: 'this calendar' }, now);
    const aside = (retryAt: number): SyncFailure => ({ kind: 'set_aside', message: '', retryAt });

    assert.equal(checkSetAside(2), undefined);
    assert.deepEqual(checkSetAside(3)?.failure, {
      kind: 'set_aside',
      reason: 'calendar_set_aside',
      message: 'Three attempts to read this calendar did not finish: it is now tried once a day',
      retryAt: now + 24 * 3_600_000,
    });
    assert.equal(checkSetAside(3, { kind: 'unavailable', message: '' })?.isDue, false);
    assert.equal(checkSetAside(4, aside(now + 1))?.isDue, false);
    assert.equal(checkSetAside(4, aside(now))?.isDue, true);
  });

  it('the plan of a sync removes what a complete listing lacks', async () => {
    const listed = new Set<string>();
    planPart(part([resource('a')]), listed);
    planPart(part([resource('b'), resource('c')]), listed);

    assert.deepEqual(await planRemovals(['a', 'b', 'c', 'ghost'], listed), [['ghost']]);
    assert.deepEqual(await planRemovals(['a'], listed), []);
  });

  it('the plan of a sync lets reads ask less often after five failures in a row, at least every five minutes', () => {
    const down: SyncFailure = { kind: 'unavailable', message: '' };
    const rests: (number | undefined)[] = [];
    let failure: SyncFailure | undefined;
    for (let i = 0; i < 10; i += 1) {
      failure = countedFailure(down, failure, 0);
      rests.push(failure.retryAt);
    }

    const seconds = [30, 60, 120, 240, 300, 300].map((s) => s * 1000);
    assert.deepEqual(rests, [undefined, undefined, undefined, undefined, ...seconds]);
  });

  it('the plan of a sync respects a Retry-After that is longer than the pause after failures', () => {
    const before: SyncFailure = { kind: 'unavailable', message: '', failures: 4 };

    const failure = countedFailure({ kind: 'rate_limited', message: '', retryAt: 100_000 }, before, 0);

    assert.equal(failure.retryAt, 100_000);
  });
});
