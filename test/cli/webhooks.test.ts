/** kalends webhook …, and the webhook URL of an application. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { Webhook } from 'standardwebhooks';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

const HOOK = 'https://app.example/hook';

describe('kalends webhook', () => {
  let cli: CommandLine;
  let receiver: Receiver;
  beforeEach(async () => {
    cli = await openCommandLine();
    receiver = await openReceiver();
  });
  afterEach(async () => {
    receiver.close();
    await cli.close();
  });

  const create = async (...options: string[]) => (await cli.json(...CREATE, ...options)).document;
  const endpoints = async () =>
    (await cli.json('webhook', 'list')).document.endpoints as Record<string, unknown>[];

  it('a webhook URL comes with a secret that is shown once', async () => {
    const created = await create('--webhook-url', HOOK);
    const id = String(created.client_id);
    const changed = await cli.json('client', 'update', id, '--webhook-url', `${HOOK}/2`);
    const other = await create();
    const later = await cli.json('client', 'update', String(other.client_id), '--webhook-url', `${HOOK}/3`);

    assert.match(String(created.webhook_secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(changed.document.webhook_secret, undefined);
    assert.match(String(later.document.webhook_secret), /^whsec_/);
    assert.notEqual(later.document.webhook_secret, created.webhook_secret);
    assert.ok(!JSON.stringify(await endpoints()).includes('whsec_'));
  });

  it('an endpoint above the limit of an application is refused', async () => {
    const limited = await openCommandLine({ KALENDS_LIMIT_ENDPOINTS_PER_APPLICATION: '1' });
    const { document } = await limited.json(...CREATE, '--webhook-url', HOOK);
    const words = ['webhook', 'add', String(document.client_id), '--url', `${HOOK}/more`];
    const { exitCode, stdout, stderr } = await limited.run([...words, '--json']);
    await limited.close();

    assert.equal(exitCode, 1);
    assert.match(stdout + stderr, /too_many_endpoints/);
  });

  it('lists what each hears, pauses, resumes and removes', async () => {
    const { client_id: id } = await create('--webhook-url', HOOK);
    const words = ['--url', `${HOOK}/more`, '--hears', 'calendars, connections', '--own'];
    const { document } = await cli.json('webhook', 'add', String(id), ...words);
    const added = String(document.endpoint_id);
    await cli.json('webhook', 'pause', added);

    const [first, second] = await endpoints();
    assert.deepEqual(first?.hears, ['events']);
    assert.equal(first?.is_webhook_url, true);
    assert.deepEqual([first?.private_network, second?.private_network], [true, true]);
    assert.deepEqual(second?.hears, ['calendars', 'connections', 'own']);
    assert.deepEqual([second?.state, second?.paused_reason], ['paused', 'operator']);
    await cli.json('webhook', 'resume', added);
    assert.equal((await endpoints())[1]?.state, 'active');
    const kept = await cli.json('webhook', 'remove', `we_${id}`, '--yes');
    assert.equal(kept.exitCode, 1);
    await cli.json('webhook', 'remove', added, '--yes');
    assert.equal((await endpoints()).length, 1);
    await cli.json('client', 'update', String(id), '--webhook-url', '');
    assert.deepEqual(await endpoints(), []);
  });

  it('changes what is named of an endpoint, and leaves the rest', async () => {
    const { client_id: id } = await create('--webhook-url', HOOK);
    const { document } = await cli.json('webhook', 'add', String(id), '--url', `${HOOK}/more`);
    const added = String(document.endpoint_id);
    await cli.json('webhook', 'update', added, '--hears', 'events,connections');
    await cli.json('webhook', 'update', added, '--own', 'on');
    await cli.json('webhook', 'update', added, '--url', `${HOOK}/moved`);
    await cli.json('webhook', 'update', `we_${id}`, '--hears', 'calendars');

    const [first, second] = await endpoints();
    assert.deepEqual([first?.url, first?.hears], [HOOK, ['calendars']]);
    assert.deepEqual([second?.url, second?.hears], [`${HOOK}/moved`, ['events', 'connections', 'own']]);
  });

  it('refuses a change that names nothing, hears nothing, or is of the webhook URL', async () => {
    const { client_id: id } = await create('--webhook-url', HOOK);
    const first = `we_${id}`;
    const { document } = await cli.json('webhook', 'add', String(id), '--url', `${HOOK}/more`);
    const added = String(document.endpoint_id);
    await create('--webhook-url', `${HOOK}/others`);
    const before = await endpoints();
    for (const options of [
      [added],
      [added, '--hears', ''],
      [added, '--hears', 'all'],
      [added, '--own', 'maybe'],
      [added, '--url', 'http://app.example/'],
      [added, '--url', 'no address'],
      [added, '--url', `${HOOK}/others`],
      [first, '--url', `${HOOK}/2`],
      ['we_nobody', '--own', 'on'],
    ]) {
      const { exitCode, stderr } = await cli.run(['webhook', 'update', ...options]);
      assert.notEqual(exitCode, 0, options.join(' '));
      assert.notEqual(stderr, '');
    }

    assert.deepEqual(await endpoints(), before);
  });

  it('a test is signed with the secret, and both sign while one takes the place of the other', async () => {
    const created = await create('--webhook-url', receiver.url);
    const id = `we_${created.client_id}`;
    const { document } = await cli.json('webhook', 'rotate-secret', id, '--overlap', '1h');
    const { exitCode, document: sent } = await cli.json('webhook', 'test', id);

    assert.equal(exitCode, 0);
    assert.equal(sent.ok, true);
    const [received] = receiver.received;
    assert.ok(received !== undefined);
    const headers = Object.fromEntries(
      Object.entries(received.headers).map(([name, value]) => [name, String(value)]),
    );
    for (const secret of [created.webhook_secret, document.secret])
      assert.deepEqual(new Webhook(String(secret)).verify(received.raw, headers), received.body);
    assert.equal(received.body.metadata.test, true);
  });

  it('a test that fails says why and exits 1', async () => {
    const { client_id: id } = await create('--webhook-url', receiver.url);
    receiver.answer = () => ({ status: 404 });
    const { exitCode, document } = await cli.json('webhook', 'test', `we_${id}`);

    assert.equal(exitCode, 1);
    assert.deepEqual([document.ok, document.status, document.fault], [false, 404, 'It answered 404']);
  });

  it('refuses an address that another application has, unless it is to be shared', async () => {
    await create('--webhook-url', HOOK);
    const refused = await cli.run([...CREATE, '--webhook-url', `${HOOK}?a=b`]);
    const shared = await cli.run([...CREATE, '--webhook-url', `${HOOK}?a=b`, '--share-address']);

    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /Another application uses this webhook URL/);
    assert.equal(shared.exitCode, 0);
  });

  for (const url of [
    'https://10.0.0.7/hook',
    'https://169.254.169.254/',
    'https://[fd00::1]/',
    'http://app.example/',
    'https://a:b@app.example/',
  ])
    it(`refuses ${url} when it is set`, async () => {
      const { exitCode, stderr } = await cli.run([...CREATE, '--webhook-url', url]);

      assert.notEqual(exitCode, 0);
      assert.match(stderr, /The webhook URL (cannot be reached|must)/);
    });

  it('refuses this machine where the network setting does not open it', async () => {
    const closed = await openCommandLine({ KALENDS_PRIVATE_NETWORK: 'deny' });
    const { exitCode, stderr } = await closed.run([...CREATE, '--webhook-url', 'http://localhost:3000/hook']);
    await closed.close();

    assert.equal(exitCode, 2);
    assert.match(stderr, /KALENDS_PRIVATE_NETWORK/);
  });

  it('lists pending deliveries with an attempt as retrying, which JSON calls pending', async () => {
    const { client_id } = await create('--webhook-url', HOOK);
    const id = String(client_id);
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    await storage.users.loadOrCreateUser(id, 'ada', 1);
    for (const attempts of [0, 1])
      await storage.db.write(
        `INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, provider, sequence, change_type,
           event_count, shows, body, state, attempts, next_at, created_at)
         VALUES (:messageId, :endpointId, :id, 'ada', 'google', 1, 'updated', 1, 'events', '', 'pending', :attempts, 1, 1)`,
        { messageId: `msg_${attempts}`, endpointId: `we_${id}`, id, attempts },
      );
    await storage.close();
    const list = ['webhook', 'deliveries', id];
    const statesOf = async (...more: string[]) => {
      const { deliveries } = (await cli.json(...list, ...more)).document;
      return (deliveries as { id: string; state: string }[]).map((one) => `${one.id} ${one.state}`);
    };

    assert.deepEqual(await statesOf('--state', 'retrying'), ['msg_1 pending']);
    assert.deepEqual(await statesOf('--state', 'pending'), ['msg_1 pending', 'msg_0 pending']);
    assert.match((await cli.run(list)).stdout, /msg_1 .* retrying .*\nmsg_0 .* pending /);
    assert.match((await cli.run([...list, '--state', 'lost'])).stderr, /pending, retrying, delivered/);
  });

  it('says what to do where there is nothing, and what is unknown', async () => {
    const { client_id: id } = await create();

    assert.match((await cli.run(['webhook', 'list'])).stdout, /--webhook-url/);
    assert.match((await cli.run(['webhook', 'deliveries', String(id)])).stdout, /stored for 30 days/);
    assert.match((await cli.run(['webhook', 'pause', 'we_x'])).stderr, /webhook list/);
    assert.match((await cli.run(['webhook', 'show', String(id), 'msg_x'])).stderr, /no such delivery/);
    assert.match((await cli.run(['webhook', 'replay', String(id)])).stderr, /from is missing/);
    assert.match(
      (await cli.run(['webhook', 'add', String(id), '--url', HOOK, '--hears', 'all'])).stderr,
      /--hears/,
    );
  });
});
