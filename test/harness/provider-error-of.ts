import assert from 'node:assert/strict';

import { ProviderError } from '../../src/calendars/provider-error.ts';

/** Returns the error that the call rejects with; fails unless it is a ProviderError. */
export async function providerErrorOf(call: Promise<unknown>): Promise<ProviderError> {
  const reason = await call.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.ok(reason instanceof ProviderError, `${reason}`);
  return reason;
}
