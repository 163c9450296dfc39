import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OPTIONS, unknownNames } from './config.ts';

describe('unknownNames', () => {
  it('finds names in the environment that are not settings, with the nearest setting', () => {
    const unknown = unknownNames(
      {
        KALENDS_URL: 'x',
        KALENDS_MASTER_KEY_FILE: 'x',
        KALENDS_CLIENT_ID: 'x',
        KALENDS_SERVICE_HOST: 'x',
        KALENDS_PORT_8080_TCP: 'x',
        KALENDS_TRUSTED_PROXY: 'x',
        KALENDS_LOGLEVEL: 'x',
        KALENDS_SOMETHING_ENTIRELY_ELSE: 'x',
        PATH: 'x',
      },
      OPTIONS,
    );

    assert.deepEqual(unknown, [
      { name: 'KALENDS_TRUSTED_PROXY', nearest: 'KALENDS_TRUST_PROXY' },
      { name: 'KALENDS_LOGLEVEL', nearest: 'KALENDS_LOG_LEVEL' },
      { name: 'KALENDS_SOMETHING_ENTIRELY_ELSE', nearest: undefined },
    ]);
  });
});
