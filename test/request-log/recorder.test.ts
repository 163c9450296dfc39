/** The recorder before a log that fails, hangs or is flooded. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';

import type { Answer } from '../../src/http/answer-listener.ts';
import type { NewRequestEntry } from '../../src/request-log/request-entry.ts';
import { startRequestRecorder } from '../../src/request-log/request-recorder.ts';
import type { RowLimits } from '../../src/request-log/row-limits.ts';
import { recordingLog } from '../servers/recording-log.ts';

const MOST_WAITING = 5_000;
const GENEROUS = { ofApplication: 1e6, successesInSecond: 1e6, ofAddress: 1e6, ofStrangers: 1e6 };
const NEVER = new Promise<void>(() => {});

type Write = (entries: readonly NewRequestEntry[]) => Promise<void>;

/** A recorder on a log that does as `write` says; `kept` is what was written. */
function open(write: Write, rowLimits?: RowLimits) {
  const kept: NewRequestEntry[] = [];
  const { log, entries } = recordingLog();
  const clock = { now: Date.UTC(2026, 10, 1) };
  const addRequests: Write = async (some) => {
    await write(some);
    kept.push(...some);
  };
  const limits = rowLimits === undefined ? {} : { rowLimits };
  const deps = { requestLog: { addRequests }, log, now: () => clock.now, ...limits };
  const recorder = startRequestRecorder(deps);
  let count = 0;
  const answer = (change: Partial<Answer> = {}) =>
    recorder.heard({
      ...{ requestId: `r${count++}`, method: 'GET', route: '/events', status: 401, durationMs: 1 },
      ...{ asker: undefined, address: '203.0.113.7', body: '{"code":"invalid_token"}', received: [] },
      ...change,
    });
  return { recorder, kept, entries, clock, answer };
}

/** Lets this time pass on the recorder's timers, second by second, with its writes. */
async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 1_000) {
    mock.timers.tick(Math.min(left, 1_000));
    await immediate();
  }
}

const acme = { asker: { clientId: 'acme', userId: 'ada' } };

describe('the recorder of requests', () => {
  beforeEach(() => {
    mock.timers.reset();
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  });

  it('the recorder of requests keeps little of a flood by strangers, and says how much it left out', async () => {
    const { recorder, kept, entries, answer } = open(async () => {});

    for (let index = 0; index < 10_000; index++) answer();
    const ofOne = 60;
    for (let index = 0; index < 10_000; index++)
      answer({ status: 404, address: `198.51.${index % 250}.${index % 7}`, body: undefined });
    for (let index = 0; index < 10_000; index++)
      answer({ asker: { clientId: 'acme', isRefused: true }, address: `2001:db8:${index}::1` });
    answer(acme);
    await recorder.stop();

    assert.equal(
      kept.filter(({ status, network }) => status === 401 && network === '203.0.113.0/24').length,
      ofOne + 1,
    );
    assert.equal(kept.length, 601);
    const left = entries.filter(({ message }) => /left out/.test(message));
    assert.deepEqual(
      left.map(({ fields }) => fields),
      [{ event: 'request_log_incomplete', dropped: 0, beyondLimit: 29_400 }],
    );
  });

  it('the recorder of requests keeps at most 6,000 refusals of an application in a minute, and of another as many', async () => {
    const { recorder, kept, answer, clock } = open(async () => {});

    for (const minute of [0, 1])
      for (let index = 0; index < 7_000; index++) {
        if (index % 1000 === 0) await new Promise((next) => setImmediate(next));
        clock.now = Date.UTC(2026, 10, 1, 0, minute);
        answer(acme);
      }
    answer({ asker: { clientId: 'other' } });
    await recorder.stop();

    assert.equal(kept.filter(({ clientId }) => clientId === 'acme').length, 12_000);
    assert.equal(kept.filter(({ clientId }) => clientId === 'other').length, 1);
  });

  it('the recorder of requests holds a bounded number while the log is away, refusals longest, and writes them when it is back', async () => {
    let isAway = true;
    const { recorder, kept, entries, answer } = open(async () => {
      if (isAway) throw new Error('the database is away');
    }, GENEROUS);

    for (let index = 0; index < 4_000; index++) answer(acme);
    for (let index = 0; index < 20_000; index++) answer({ ...acme, status: 200 });
    await pass(1_000);
    assert.equal(kept.length, 0);
    isAway = false;
    await recorder.stop();

    assert.equal(kept.length, MOST_WAITING);
    assert.equal(new Set(kept.map(({ requestId }) => requestId)).size, MOST_WAITING);
    assert.equal(kept.filter(({ status }) => status === 401).length, 4_000);
    const dropped = entries.flatMap(({ fields }) => ('dropped' in fields ? Number(fields.dropped) : []));
    assert.equal(
      dropped.reduce((sum, some) => sum + some, 0),
      24_000 - MOST_WAITING,
    );
  });

  it('the recorder of requests logs once a minute that the log is away', async () => {
    const { recorder, entries, answer, clock } = open(async () => {
      throw new Error('the database is away');
    });

    answer(acme);
    await pass(3_000);
    const atFirst = entries.filter(({ level }) => level === 'error').length;
    clock.now += 60_000;
    await pass(1_000);
    await recorder.stop();

    assert.equal(atFirst, 1);
    // One a minute later, and one at the end.
    assert.ok(entries.filter(({ level }) => level === 'error').length <= 3);
  });

  it('the recorder of requests stops within two seconds when the log hangs, and says what is lost', async () => {
    const { recorder, entries, answer } = open(() => NEVER);
    answer(acme);
    answer(acme);
    let isStopped = false;

    const stopped = recorder.stop().then(() => {
      isStopped = true;
    });
    await pass(1_999);
    assert.equal(isStopped, false);
    await pass(1);
    await stopped;

    assert.deepEqual(
      entries.map(({ fields }) => fields),
      [{ event: 'request_log_incomplete', dropped: 2, beyondLimit: 0 }],
    );
    answer(acme);
    await recorder.stop();
  });

  it('the recorder of requests writes within a second, and at once when there is much', async () => {
    const { recorder, kept, answer } = open(async () => {}, GENEROUS);

    for (let index = 0; index < 200; index++) answer(acme);
    await immediate();
    await immediate();
    assert.equal(kept.length, 200);
    answer(acme);
    await pass(1_000);

    assert.equal(kept.length, 201);
    await recorder.stop();
  });
});
