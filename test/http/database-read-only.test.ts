/** Every route while PostgreSQL takes no writes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { administer } from '../harness/migrated.ts';
import { until } from '../harness/until.ts';
import { type AppOnPostgres, openAppOnPostgres } from './app-on-postgres.ts';

let served: AppOnPostgres;
before(async () => {
  served = await openAppOnPostgres();
});
after(() => served?.close());

const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
  await administer(served.postgres.url, `ALTER SYSTEM SET default_transaction_read_only = ${value}`);
  await administer(served.postgres.url, 'SELECT pg_reload_conf()');
};

describe('A read-only PostgreSQL', () => {
  it('is not ready, serves reads, and refuses writes with 503, or 500 where a flow starts, until it takes writes', async () => {
    const { ask, token, callEachRoute, untilReady } = served;
    await setReadOnly('on');
    const revoke = () => ask('POST', '/revoke', { body: { token } });

    let ready = await ask('GET', '/ready');
    await until('it is not ready', async () => {
      ready = await ask('GET', '/ready');
      return ready.statusCode !== 200;
    });
    const results = await callEachRoute();
    const read = await ask('GET', '/calendars');
    const revoked = await revoke();

    assert.deepEqual([ready.statusCode, ready.json().code], [503, 'database_read_only']);
    assert.ok(results.filter(({ status }) => status >= 500).length > 10);
    assert.equal(read.statusCode, 200);
    assert.deepEqual([revoked.statusCode, revoked.json().error], [503, 'temporarily_unavailable']);

    await setReadOnly('off');
    await untilReady();
    assert.equal((await revoke()).statusCode, 200);
    assert.equal((await ask('GET', '/calendars')).statusCode, 401, 'the token was revoked');
  });
});
