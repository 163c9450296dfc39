/** Shared limits while the database fails: each instance counts alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type AttemptStore, sharedLimits } from '../../src/http/shared-attempts.ts';
import { recordingLog } from '../servers/recording-log.ts';

const TERMS = { attempts: 3, seconds: 60 };
const FAILURES: Readonly<Record<string, () => Promise<never>>> = {
  'accepts no writes': () => Promise.reject(new Error('The database is read-only')),
  'does not respond': () => new Promise(() => {}),
};

describe('a shared limit whose database', () => {
  for (const [failure, fail] of Object.entries(FAILURES))
    it(`${failure} allows the attempts of one instance, and logs this once`, async () => {
      const attemptCounts: AttemptStore = {
        countAttempt: fail,
        refundAttempt: fail,
        deleteEndedAttempts: fail,
      };
      const { log, entries } = recordingLog();
      const deps = { attemptCounts, attemptKey: Buffer.alloc(32), log, now: () => 0, waitMs: 1 };
      const limit = sharedLimits(deps)('login', TERMS);

      const waits: (number | undefined)[] = [];
      for (let at = 0; at < 5; at += 1) waits.push(await limit('ada'));
      assert.deepEqual(waits, [undefined, undefined, undefined, 60, 60]);
      await limit.refund('ada');
      assert.deepEqual(
        entries.map(({ fields }) => 'event' in fields && fields.event),
        ['attempts_not_shared'],
      );
    });
});
