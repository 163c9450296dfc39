import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

const MINUTE = 60_000;

describe('kalends requests list', () => {
  let cli: CommandLine;
  let clientId: string;

  /** Returns the ids in the list with these options. */
  const idsOf = async (...options: string[]) => {
    const { document } = await cli.json('requests', 'list', ...options);
    const rows = document.requests as Record<string, unknown>[]; // The documented output.
    return rows.map(({ request_id }) => request_id);
  };

  beforeEach(async () => {
    cli = await openCommandLine();
    const { document } = await cli.json(...CREATE);
    clientId = String(document.client_id);
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    await storage.users.loadOrCreateUser(clientId, 'ada', Date.now());
    const body = JSON.stringify({
      error: 'Forbidden',
      message: 'Write access denied',
      code: 'insufficient_scope',
    });
    const of = {
      method: 'GET',
      durationMs: 12,
      clientId,
      network: '192.0.2.0/24',
      repeated: 1,
      isClaimed: false,
    };
    const at = Date.now();
    await storage.requestLog.addRequests([
      {
        ...of,
        requestId: 'r1',
        at: at - 90 * MINUTE,
        route: '/events',
        status: 403,
        userId: 'ada',
        body,
        repeated: 980,
      },
      {
        ...of,
        requestId: 'r2',
        at: at - 2,
        route: '/token',
        status: 429,
        userId: undefined,
        body: undefined,
      },
      { ...of, requestId: 'r3', at: at - 1, route: '/events', status: 200, userId: 'ada', body: undefined },
      {
        ...of,
        requestId: 'r4',
        at,
        route: undefined,
        status: 404,
        userId: undefined,
        body,
        clientId: undefined,
      },
    ]);
    await storage.close();
  });
  afterEach(() => cli.close());

  it('kalends requests list shows matching requests, the newest first', async () => {
    assert.deepEqual(await idsOf(), ['r4', 'r3', 'r2', 'r1']);
    assert.deepEqual(await idsOf('--client', clientId), ['r3', 'r2', 'r1']);
    assert.deepEqual(await idsOf('--client', clientId, '--status', '4xx', '--since', '1h'), ['r2']);
    assert.deepEqual(await idsOf('--status', '429'), ['r2']);
    assert.deepEqual(await idsOf('--route', '/events', '--limit', '1'), ['r3']);
    assert.deepEqual(await idsOf('--request', 'r1'), ['r1']);
    assert.deepEqual(await idsOf('--client', clientId, '--user', 'ada'), ['r3', 'r1']);
    assert.deepEqual(await idsOf('--client', clientId, '--user', 'ben'), []);
  });

  it('kalends requests list shows responses as a table, and everything stored as JSON', async () => {
    const { stdout } = await cli.run(['requests', 'list', '--request', 'r1']);
    assert.match(
      stdout,
      new RegExp(`403 +12 +GET +/events +${clientId} +r1 +Write access denied \\(980 times`),
    );

    const { document } = await cli.json('requests', 'list', '--request', 'r1');
    const [{ user, at, ...shown } = {}] = document.requests as Record<string, unknown>[]; // As above.
    assert.match(String(user), /^user_/);
    assert.match(String(at), /^\d{4}-\d\d-\d\dT/);
    assert.deepEqual(shown, {
      ...{ request_id: 'r1', method: 'GET', route: '/events', status: 403, duration_ms: 12 },
      ...{ client_id: clientId, network: '192.0.2.0/24', repeated: 980, claimed: false },
      body: { error: 'Forbidden', message: 'Write access denied', code: 'insufficient_scope' },
    });
  });

  it('kalends requests list marks requests that only named their application', async () => {
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    const entry = { requestId: 'r5', at: Date.now(), method: 'GET', route: '/authorize', status: 400 };
    const rest = { durationMs: 1, network: undefined, body: undefined, repeated: 1, userId: undefined };
    await storage.requestLog.addRequests([{ ...entry, ...rest, clientId, isClaimed: true }]);
    await storage.close();

    const { stdout } = await cli.run(['requests', 'list', '--client', clientId]);
    assert.match(stdout, new RegExp(`/authorize +${clientId} \\(claimed\\) +r5`));
    assert.doesNotMatch(stdout, new RegExp(`/token +${clientId} \\(claimed`));
    const { document } = await cli.json('requests', 'list', '--request', 'r5');
    const [row] = document.requests as Record<string, unknown>[]; // As above.
    assert.deepEqual([row?.claimed, row?.client_id], [true, clientId]);
  });

  it('kalends requests list explains what it would show if the log is empty', async () => {
    const { stdout } = await cli.run(['requests', 'list', '--request', 'none']);

    assert.match(
      stdout,
      /^No requests match these options. Errors and one success in a hundred are stored for 7 days/,
    );
  });

  it('kalends requests list refuses filters that cannot match', async () => {
    const refused: readonly [readonly string[], RegExp, number][] = [
      [['--status', '4x'], /--status must be/, 2],
      [['--status', '600'], /--status must be/, 2],
      [['--since', 'yesterday'], /--since must be a time/, 2],
      [['--limit', '0'], /--limit must be/, 2],
      [['--limit', '1001'], /--limit must be/, 2],
      [['--user', 'ada'], /--user needs --client/, 2],
      [['--client', 'nobody'], /nobody/, 1],
    ];
    for (const [options, message, code] of refused) {
      const { exitCode, stderr } = await cli.run(['requests', 'list', ...options]);
      assert.match(stderr, message);
      assert.equal(exitCode, code, options.join(' '));
    }
  });
});
