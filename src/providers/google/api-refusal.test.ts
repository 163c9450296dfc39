import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { toGoogleError } from './api-refusal.ts';

describe('an error of Google', () => {
  it('is explained in at most 200 characters of its own, without half a surrogate pair', () => {
    const body = Buffer.from(JSON.stringify({ error: { message: `${'x'.repeat(199)}😀` } }));
    const answer = { status: 400, url: new URL('https://google.example/'), header: () => undefined, body };

    const { message } = toGoogleError(answer, 'PATCH');

    assert.equal(message, `Google does not accept this: ${'x'.repeat(199)}\ufffd`);
  });
});
