/**
 * The published client and webhooks: deliveries it believes and those it refuses, each for its reason
 * (docs/wire.md 2.7).
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';

import {
  type Delivery,
  KalendsError,
  kalends,
  verifyWebhook,
  type WebhookKey,
  WebhookRefused,
} from '../../packages/client/src/kalends.ts';
import { close, listen } from '../harness/loopback.ts';

/** As it is published, with the clock of its time. */
const PUBLISHED = {
  key: 'whpk_0r0+Z02Sv1SRb1QjsKUnil6t2oqtAyhn5HHfKgbTXFs=',
  now: () => 1_790_000_000_000,
  headers: {
    'webhook-id': 'msg_2a161f33-a287-419f-85f9-fc95dbecccdd',
    'webhook-timestamp': '1790000000',
    'webhook-signature':
      'v1a,ClNzh8jskfPsDqArmUq6vxG6/PAQmLXf7sMsXnReG1DAI3lMxKcQEyEqqWe/weLoTo8g72qIJ+H0nA1WhNWEDA==',
  },
  body: '{"eventType":"event.updated","userId":"user_42","provider":"google","calendarId":"primary","events":[{"id":"evt_1","title":"Café meeting ☕ — Zoë","lastModified":"2026-09-21T10:00:00.000Z"}]}',
};

/** A key pair that signs as the service does. */
function signingKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const key: WebhookKey = { id: 'k', key: `whpk_${raw.toString('base64')}` };
  const signatureOf = (text: string) => `v1a,${sign(null, Buffer.from(text), privateKey).toString('base64')}`;
  const deliver = (body: string, at = Date.now()): Delivery & { headers: Record<string, string> } => {
    const timestamp = String(Math.floor(at / 1000));
    return {
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf(`msg_1.${timestamp}.${body}`),
      },
      body,
    };
  };
  return { key, deliver };
}

const refusedFor = (reason: WebhookRefused['reason']) => (error: unknown) =>
  error instanceof WebhookRefused && error.reason === reason;

describe('a webhook delivery', () => {
  const published = { keys: [{ key: PUBLISHED.key }], now: PUBLISHED.now };

  it('a webhook delivery is believed when it is the published one, as text and as bytes, with headers of any kind', async () => {
    const { headers, body } = PUBLISHED;
    const shouted = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]] as const);

    for (const delivery of [
      { headers, body },
      { headers: new Headers(headers), body: new TextEncoder().encode(body) },
      { headers: Object.fromEntries(shouted), body },
    ])
      assert.deepEqual(await verifyWebhook(delivery, published), JSON.parse(body));
  });

  it('a webhook delivery is believed when one of several signatures is of one of several keys', async () => {
    const [old, current] = [signingKey(), signingKey()];
    const { headers, body } = current.deliver('{"a":1}');
    const others = `v1,c2VjcmV0 ${old.deliver('{"b":2}').headers['webhook-signature']}`;
    const signatures = `${others} ${headers['webhook-signature']}`;

    const payload = await verifyWebhook(
      { headers: { ...headers, 'webhook-signature': signatures }, body },
      { keys: [old.key, { key: 'whpk_too short' }, { key: 'nonsense' }, current.key] },
    );

    assert.deepEqual(payload, { a: 1 });
  });

  const { headers, body } = PUBLISHED;
  const other = signingKey();
  const refusals: [
    string,
    Delivery,
    { keys?: WebhookKey[]; now?: () => number },
    WebhookRefused['reason'],
  ][] = [
    ['without its headers', { headers: {}, body }, {}, 'missing_headers'],
    ['without an id', { headers: { ...headers, 'webhook-id': '' }, body }, {}, 'missing_headers'],
    ['at no time', { headers: { ...headers, 'webhook-timestamp': 'now' }, body }, {}, 'invalid_timestamp'],
    [
      'of long ago',
      { headers, body },
      { now: () => PUBLISHED.now() + 301_000 },
      'timestamp_out_of_tolerance',
    ],
    [
      'of the future',
      { headers, body },
      { now: () => PUBLISHED.now() - 301_000 },
      'timestamp_out_of_tolerance',
    ],
    ['when no key is known', { headers, body }, { keys: [] }, 'no_public_keys'],
    ['with another body', { headers, body: `${body} ` }, {}, 'no_matching_signature'],
    [
      'under another id',
      { headers: { ...headers, 'webhook-id': 'msg_2' }, body },
      {},
      'no_matching_signature',
    ],
    ['of another signer', { headers, body }, { keys: [other.key] }, 'no_matching_signature'],
    [
      'with a signature that is none',
      { headers: { ...headers, 'webhook-signature': 'v1a,@@ v1a, v2,x' }, body },
      {},
      'no_matching_signature',
    ],
    ['that is no JSON', other.deliver('{'), { keys: [other.key], now: Date.now }, 'invalid_payload'],
    ['that is no object', other.deliver('[1]'), { keys: [other.key], now: Date.now }, 'invalid_payload'],
  ];
  for (const [which, delivery, change, reason] of refusals)
    it(`a webhook delivery is refused ${which}: ${reason}`, async () => {
      await assert.rejects(verifyWebhook(delivery, { ...published, ...change }), refusedFor(reason));
    });

  it('a webhook delivery is held to the tolerance that is asked for', async () => {
    const late = { ...published, now: () => PUBLISHED.now() + 301_000 };

    assert.ok(await verifyWebhook({ headers, body }, { ...late, tolerance: 302 }));
  });
});

describe('the service’s webhook keys', () => {
  let origin: string;
  let requests = 0;
  let answer: { status: number; headers: Record<string, string>; keys: WebhookKey[] };
  const server = createServer(({ url }, response) => {
    requests += 1;
    const isKeySet = url === '/.well-known/webhook-keys';
    response
      .writeHead(isKeySet ? answer.status : 404, answer.headers)
      .end(JSON.stringify({ keys: answer.keys }));
  });
  before(async () => {
    origin = await listen(server);
  });
  after(() => close(server));

  const application = { clientId: 'a', clientSecret: 's', redirectUri: 'https://a.example/', retries: 0 };
  function clientWith(clock: { at: number }, webhookKeys: WebhookKey[] = []) {
    requests = 0;
    return kalends({ ...application, url: `${origin}/under/a/path/`, webhookKeys, now: () => clock.at });
  }

  it('the service’s webhook keys are fetched from the origin once, and again when they are older than they say', async () => {
    const { key, deliver } = signingKey();
    answer = { status: 200, headers: { 'cache-control': 'public, max-age=60' }, keys: [key] };
    const clock = { at: Date.now() };
    const client = clientWith(clock);

    for (const wait of [0, 59_000, 2_000]) {
      clock.at += wait;
      assert.deepEqual(await client.webhook(deliver('{"n":1}', clock.at)), { n: 1 });
    }

    assert.equal(requests, 2);
  });

  it('the service’s webhook keys are fetched anew for an unknown signature, at most once a minute', async () => {
    const [old, next] = [signingKey(), signingKey()];
    answer = { status: 200, headers: {}, keys: [old.key] };
    const clock = { at: Date.now() };
    const client = clientWith(clock);
    await client.webhook(old.deliver('{}', clock.at));
    answer.keys = [old.key, next.key];

    const early = client.webhook(next.deliver('{}', clock.at));
    await assert.rejects(early, refusedFor('no_matching_signature'));
    assert.equal(requests, 1);
    clock.at += 61_000;
    assert.deepEqual(await client.webhook(next.deliver('{"n":2}', clock.at)), { n: 2 });
    assert.equal(requests, 2);
  });

  it('the service’s webhook keys are the pinned ones while the service cannot be asked, and without any the failure is told', async () => {
    const { key, deliver } = signingKey();
    answer = { status: 503, headers: {}, keys: [] };
    const clock = { at: Date.now() };

    assert.deepEqual(await clientWith(clock, [key]).webhook(deliver('{"n":3}')), { n: 3 });
    await assert.rejects(clientWith(clock).webhook(deliver('{}')), KalendsError);
  });
});
