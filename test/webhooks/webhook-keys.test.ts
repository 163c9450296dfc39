/** The instance's keys for webhooks, as the published client fetches them and verifies with them (docs/wire.md 2.7). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { kalends, WebhookRefused } from '../../packages/client/src/kalends.ts';
import { createServer } from '../../src/http/server.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { openSqlite } from '../../src/store/drivers/sqlite-driver.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { webhookKeysRoute } from '../../src/webhooks/webhook-keys.route.ts';
import {
  openWebhookSigner,
  rotateWebhookKeys,
  type WebhookSigner,
} from '../../src/webhooks/webhook-signer.ts';

const DAY = 24 * 3_600_000;
const BODY = '{"provider":"google","events":[],"metadata":{"clientId":"a"}}';

describe('the keys of webhooks', () => {
  const sealer = createSealer(randomBytes(32));
  const clock = { now: Date.UTC(2026, 10, 23) };
  const errors: unknown[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (fields: unknown) => errors.push(fields) };
  let folder: string;
  let db: Database;
  let loads = 0;
  let isAway = false;
  let signer: WebhookSigner;
  let url: string;
  let close: () => Promise<void>;
  let deps: Parameters<typeof openWebhookSigner>[0];

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-webhooks-'));
    db = openSqlite(path.join(folder, 'kalends.db'));
    await migrate(
      db,
      () => clock.now,
      async () => {},
    );
    const { webhookKeys, clients } = openStores(db, { sealer });
    const listWebhookKeys = async (now: number) => {
      try {
        if (isAway) throw new Error('The database is away');
        return await webhookKeys.listWebhookKeys(now);
      } finally {
        loads += 1;
      }
    };
    deps = { webhookKeys: { ...webhookKeys, listWebhookKeys }, sealer, now: () => clock.now, log };
    signer = await openWebhookSigner(deps);
    const app = createServer({ log, trustProxy: undefined, secure: true });
    app.register(webhookKeysRoute({ webhookSigner: signer, clients }));
    url = await app.listen({ host: '127.0.0.1', port: 0 });
    close = async () => {
      await app.close();
      await db.close();
      await rm(folder, { recursive: true });
    };
  });
  after(() => close());

  /** Half a minute passes, and the keys are loaded again. */
  const reload = async (keys: WebhookSigner) => {
    const before = loads;
    clock.now += 31_000;
    keys.published();
    while (loads === before) await nextTurn();
    await nextTurn();
  };
  const clientOf = () =>
    kalends({
      url: `${url}/api/oauth`,
      clientId: 'a',
      clientSecret: 's',
      redirectUri: 'https://a.example/',
      now: () => clock.now,
    });
  const delivery = (signatures: readonly string[]) => {
    const timestamp = String(clock.now / 1000);
    return {
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': timestamp,
        'webhook-signature': signatures.join(' '),
      },
      body: BODY,
    };
  };
  const signed = (by: WebhookSigner) =>
    delivery(by.signaturesOf('acme', Buffer.from(`msg_1.${clock.now / 1000}.${BODY}`)));

  it('one key is published before the first webhook, for anybody, and kept for an hour', async () => {
    const response = await fetch(`${url}/.well-known/webhook-keys`, { redirect: 'error' });

    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(response.headers.get('cache-control'), 'public, max-age=3600');
    const { keys } = (await response.json()) as { keys: Record<string, string>[] };
    const [{ id = '', key = '', ...only } = {}, ...others] = keys;
    assert.equal(others.length, 0);
    assert.match(id, /^whk_[\w-]{12}$/);
    assert.match(key, /^whpk_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(only, { alg: 'ed25519', status: 'active', activated_at: '2026-11-23T00:00:00.000Z' });
  });

  it('the published client fetches them and believes what they signed', async () => {
    const { client, other } = { client: clientOf(), other: await openWebhookSigner({ ...deps, sealer }) };

    assert.deepEqual(await client.webhook(signed(signer)), JSON.parse(BODY));
    assert.deepEqual(await client.webhook(signed(other)), JSON.parse(BODY), 'every instance has the same');
    const forged = delivery(signer.signaturesOf('acme', Buffer.from('something else')));
    await assert.rejects(client.webhook(forged), WebhookRefused);
  });

  it('a rotation refuses nobody: who holds the old key believes as long as both sign, who fetches gets both', async () => {
    const early = clientOf();
    await early.webhook(signed(signer));
    const before = signer.published();
    const { keyId = '', retiresAt = 0 } =
      (await rotateWebhookKeys(7 * DAY, { ...deps, by: undefined })) ?? {};
    await reload(signer);

    const [active, previous, ...others] = signer.published();
    assert.deepEqual([active?.id, previous?.id, others.length], [keyId, before[0]?.id, 0]);
    assert.equal(previous?.retires_at, new Date(retiresAt).toISOString());
    const both = signed(signer);
    assert.equal(both.headers['webhook-signature'].split(' ').length, 2);
    await early.webhook(both);
    await clientOf().webhook(both);

    clock.now = retiresAt;
    assert.deepEqual(
      signer.published().map(({ id }) => id),
      [keyId],
      'to the second, without a reload',
    );
    await clientOf().webhook(signed(signer));
    clock.now += 1000;
    assert.equal(await deps.webhookKeys.deleteRetiredWebhookKeys(clock.now), 1);
  });

  it('private keys are sealed, and those that cannot be loaded again still sign', async () => {
    const [row] = await db.all<Record<string, unknown>>('SELECT * FROM webhook_key', {});
    assert.doesNotMatch(JSON.stringify(row), /PRIVATE KEY/);
    isAway = true;
    await reload(signer);

    await clientOf().webhook(signed(signer));
    assert.equal(errors.length, 1);
  });
});
