import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { EgressError } from './egress-error.ts';
import { lazyEgress } from './lazy-egress.ts';

describe('Lazy egress', () => {
  it('refuses the same requests as egress, from the first one on', async () => {
    const egress = lazyEgress({ privateNetwork: { mode: 'deny' } });

    const requests = ['http://127.0.0.1/', 'https://[::ffff:127.0.0.1]/'].map((url) =>
      egress.request({ method: 'GET', url }),
    );

    for (const request of requests) {
      await assert.rejects(
        request,
        (reason) => reason instanceof EgressError && reason.kind === 'forbidden_address',
      );
    }
    await egress.close();
  });

  it('closes without ever having been used', async () => {
    await assert.doesNotReject(lazyEgress({ privateNetwork: { mode: 'deny' } }).close());
  });
});
