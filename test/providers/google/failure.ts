/** Assertions about the errors that a test expects. */
import assert from 'node:assert/strict';

import { ProviderError } from '../../../src/calendars/provider-error.ts';

/** For assert.rejects: a ProviderError of this kind and reason, whose message gives nothing away. */
export const failsAs = (kind: string, reason?: string) => (failure: unknown) => {
  assert.ok(failure instanceof ProviderError, String(failure));
  assert.deepEqual([failure.kind, failure.reason], [kind, reason]);
  assert.doesNotMatch(failure.message, /secret|refresh-|access-|code-1/);
  return true;
};
