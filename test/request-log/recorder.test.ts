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
const MANY = 1e6;
const GENEROUS = {
  ...{ ofApplication: MANY, burst: MANY, ofEqual: MANY },
  ...{ successesInSecond: MANY, ofAddress: MANY, ofStrangers: MANY },
};
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

  it('the recorder of requests counts claimed requests as those of strangers, not as the application’s', async () => {
    const { recorder, kept, answer } = open(async () => {});
    const claim = { asker: { clientId: 'acme', isClaimed: true } } as const;

    for (let index = 0; index < 1_000; index++) answer({ ...claim, route: `/${index % 40}` });
    for (let index = 0; index < 1_000; index++) answer({ ...claim, address: `2001:db8:${index}::1` });
    for (let index = 0; index < 1_000; index++) answer({ ...acme, route: `/${index}` });
    await recorder.stop();

    const claims = kept.filter(({ isClaimed }) => isClaimed);
    assert.equal(claims.filter(({ network }) => network === '203.0.113.0/24').length, 60);
    assert.equal(claims.length, 600);
    assert.ok(claims.every(({ userId, repeated }) => userId === undefined && repeated === 1));
    assert.equal(kept.length - claims.length, 1_000);
  });

  it('the recorder of requests stores 1,000 failed requests of an application at once, then 600 a minute', async () => {
    const { recorder, kept, entries, answer, clock } = open(async () => {});

    for (const minute of [0, 1, 2])
      for (let index = 0; index < 1_700; index++) {
        if (index % 1000 === 0) await new Promise((next) => setImmediate(next));
        clock.now = Date.UTC(2026, 10, 1, 0, minute);
        answer({ ...acme, route: `/${index}` });
      }
    answer({ asker: { clientId: 'other' } });
    await recorder.stop();

    assert.equal(kept.filter(({ clientId }) => clientId === 'acme').length, 1_000 + 600 + 600);
    assert.equal(kept.filter(({ clientId }) => clientId === 'other').length, 1);
    const left = entries.map(({ fields }) => ('beyondLimit' in fields ? Number(fields.beyondLimit) : 0));
    assert.equal(
      left.reduce((sum, count) => sum + count),
      3 * 1_700 - 2_200,
    );
  });

  it('the recorder of requests stores 20 of equal failed requests in a minute, and one entry that counts the others', async () => {
    const { recorder, kept, entries, answer, clock } = open(async () => {});

    for (const seconds of [0, 59, 60])
      for (let index = 0; index < 5_000; index++) {
        clock.now = Date.UTC(2026, 10, 1, 0, 0, seconds);
        answer(acme);
      }
    const stored = kept.length;
    await pass(1_000);
    await recorder.stop();

    assert.equal(stored, 0);
    assert.deepEqual(
      kept.map(({ repeated }) => repeated).filter((count) => count > 1),
      [9_980, 4_980],
    );
    assert.equal(kept.length, 2 * 21);
    assert.deepEqual(entries, []);
  });

  it('the recorder of requests counts only failed requests with the same application, method, route, status and code', async () => {
    const { recorder, kept, answer } = open(async () => {});
    const changes: readonly Partial<Answer>[] = [
      ...[{}, { method: 'POST' }, { route: undefined }, { status: 403 }, { body: '{"code":"other"}' }],
      ...[{ body: '{"error":"invalid_grant"}' }, { asker: { clientId: 'other' } }],
    ];

    for (const change of changes) for (let index = 0; index < 23; index++) answer({ ...acme, ...change });
    for (let index = 0; index < 10; index++) answer({ ...acme, status: 200 });
    await recorder.stop();

    assert.deepEqual(
      kept.map(({ repeated }) => repeated).filter((count) => count > 1),
      changes.map(() => 3),
    );
    assert.equal(kept.length, changes.length * 21 + 10);
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
