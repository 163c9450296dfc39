import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import { endTogether, type Running, runUntilStopped } from './run-until-stopped.ts';

const log = { info: () => {} };
afterEach(() => {
  for (const name of ['SIGTERM', 'SIGINT']) process.removeAllListeners(name);
});
const signal = () => process.emit('SIGTERM', 'SIGTERM');

describe('runUntilStopped', () => {
  it('a failed start ends its parts in reverse order, even if one fails to end, and throws its own error', async () => {
    const ended: string[] = [];
    const start = async ({ parts }: Running) => {
      parts.defer(() => void ended.push('first'));
      parts.defer(() => Promise.reject(new Error('The second does not end')));
      parts.defer(async () => void ended.push('third'));
      throw new Error('The start failed');
    };

    await assert.rejects(runUntilStopped(start, log), /The start failed/);

    assert.deepEqual(ended, ['third', 'first']);
  });

  it('a signal ends the parts, during or after the start, without an error', async () => {
    for (const isDuring of [true, false]) {
      const ended: unknown[] = [];
      const start = async ({ parts, stopping }: Running) => {
        parts.defer(() => void ended.push(stopping.reason));
        if (isDuring) signal();
        else setImmediate(signal);
        stopping.throwIfAborted();
      };

      await runUntilStopped(start, log);

      assert.deepEqual(ended, ['SIGTERM']);
    }
  });

  it('throws the error of a part that fails to end after a signal', async () => {
    const start = async ({ parts }: Running) => {
      parts.defer(() => endTogether([Promise.resolve(), Promise.reject(new Error('It does not end'))]));
      signal();
    };

    await assert.rejects(runUntilStopped(start, log), /It does not end/);
  });
});
