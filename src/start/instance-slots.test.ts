import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricsText } from '../metrics/metrics-text.ts';
import { slotListener, slotMeters } from './instance-slots.ts';

const LINE = { work: 'sync', clientId: 'acme', held: 32, waiting: 5 };

test('a scrape shows held and waiting slots by work, refusals and waits', () => {
  const meters = slotMeters();
  const slots = slotListener(meters, { warn: () => {} });
  slots.opened('sync', () => ({ held: 3, waiting: 1 }));
  slots.opened('work_thread', () => ({ held: 1, waiting: 0 }));
  slots.opened('work_thread', () => ({ held: 1, waiting: 4 }));
  slots.refused('sync');
  slots.waited('sync', 0.2);
  const text = metricsText(meters.families());
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));

  for (const line of [
    'kalends_slots{work="sync",state="held"} 3',
    'kalends_slots{work="sync",state="waiting"} 1',
    'kalends_slots{work="work_thread",state="held"} 2',
    'kalends_slots{work="work_thread",state="waiting"} 4',
    'kalends_slots_refused_total{work="sync"} 1',
    'kalends_slots_refused_total{work="work_thread"} 0',
    'kalends_slot_wait_seconds_bucket{work="sync",le="0.5"} 1',
  ])
    assert.ok(lines.includes(line), `${line}\n${text}`);
});

test('an application that holds all its slots is logged at most once a minute', () => {
  const lines: object[] = [];
  let at = 0;
  const slots = slotListener(undefined, { warn: (line: object) => lines.push(line) }, () => at);
  const other = { ...LINE, clientId: 'other' };
  for (const [time, line] of [
    [0, LINE],
    [30_000, other],
    [59_999, LINE],
    [60_000, LINE],
    [60_001, other],
  ] as const) {
    at = time;
    slots.exhausted(line);
  }

  assert.deepEqual(
    lines,
    [LINE, other, LINE].map((line) => ({ event: 'slots_exhausted', ...line })),
  );
});
