/**
 * The published client and webhooks: deliveries it believes and those it refuses, each for its reason
 * (docs/wire.md 2.7).
 */
import assert from 'node:assert/strict';
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
import { signingKey, signingSecret } from './webhook-signing.ts';

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

/** The example of Standard Webhooks’ own libraries. */
const STANDARD = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  now: () => 1_614_265_330_000,
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: '{"test": 2432232314}',
};

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

  it('a webhook delivery is believed when it is the example of Standard Webhooks, whichever secret comes first', async () => {
    const { headers, body, secret, now } = STANDARD;

    for (const secrets of [secret, [secret], [signingSecret().secret, secret]])
      assert.deepEqual(await verifyWebhook({ headers, body }, { secret: secrets, now }), JSON.parse(body));
  });

  it('a webhook delivery is believed when either of both schemes matches', async () => {
    const [key, endpoint] = [signingKey(), signingSecret()];
    const at = Date.now();
    const [byKey, bySecret] = [key.deliver('{}', at), endpoint.deliver('{}', at)];
    const both = `${byKey.headers['webhook-signature']} ${bySecret.headers['webhook-signature']}`;
    const delivery = { headers: { ...byKey.headers, 'webhook-signature': both }, body: '{}' };

    for (const options of [
      { keys: [key.key] },
      { secret: endpoint.secret },
      { keys: [key.key], secret: signingSecret().secret },
      { keys: [signingKey().key], secret: endpoint.secret },
    ])
      assert.deepEqual(await verifyWebhook(delivery, options), {});
  });

  it('a signature of one scheme is not taken for one of the other', async () => {
    const [key, endpoint] = [signingKey(), signingSecret()];
    const relabelled = ({ headers, body }: ReturnType<typeof key.deliver>, version: string) => {
      const [, signature] = headers['webhook-signature']?.split(',') ?? [];
      return { headers: { ...headers, 'webhook-signature': `${version},${signature}` }, body };
    };
    const options = { keys: [key.key], secret: endpoint.secret };

    for (const delivery of [relabelled(key.deliver('{}'), 'v1'), relabelled(endpoint.deliver('{}'), 'v1a')])
      await assert.rejects(verifyWebhook(delivery, options), refusedFor('no_matching_signature'));
  });

  it('a webhook delivery is not held against what is no secret', async () => {
    for (const secret of ['', 'secret', 'whsec_', 'whsec_@@'])
      await assert.rejects(verifyWebhook(STANDARD, { secret, now: STANDARD.now }), TypeError);
  });

  it('a webhook delivery for another application is refused, and one that names none is believed', async () => {
    const { key, deliver } = signingKey();
    const options = { keys: [key], clientId: 'mine' };

    const other = deliver('{"metadata":{"clientId":"theirs"}}');
    await assert.rejects(verifyWebhook(other, options), refusedFor('other_application'));
    for (const body of ['{"metadata":{"clientId":"mine"}}', '{"metadata":{}}', '{"metadata":null}', '{}'])
      assert.deepEqual(await verifyWebhook(deliver(body), options), JSON.parse(body));
  });

  const { headers, body } = PUBLISHED;
  const other = signingKey();
  const refusals: [
    string,
    Delivery,
    { keys?: WebhookKey[]; secret?: string; now?: () => number },
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
    ['of another secret', { headers, body }, { keys: [], secret: STANDARD.secret }, 'no_matching_signature'],
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

  it('the service’s webhook keys are asked for only where the endpoint’s secret did not sign', async () => {
    const [{ key, deliver }, endpoint] = [signingKey(), signingSecret()];
    answer = { status: 200, headers: {}, keys: [key] };
    const webhookSecret = [signingSecret().secret, endpoint.secret];
    requests = 0;
    const client = kalends({ ...application, url: origin, webhookSecret });

    assert.deepEqual(await client.webhook(endpoint.deliver('{"n":4}')), { n: 4 });
    const early = endpoint.deliver('{}', Date.now() - 301_000);
    await assert.rejects(client.webhook(early), refusedFor('timestamp_out_of_tolerance'));
    assert.equal(requests, 0);
    assert.deepEqual(await client.webhook(deliver('{"n":5}')), { n: 5 });
    assert.equal(requests, 1);
  });

  it('the service’s webhook keys sign for all its applications: what is for another one is refused', async () => {
    const { key, deliver } = signingKey();
    answer = { status: 200, headers: {}, keys: [key] };
    const client = clientWith({ at: Date.now() });

    const body = '{"metadata":{"clientId":"a"}}';
    assert.deepEqual(await client.webhook(deliver(body)), JSON.parse(body));
    const other = deliver('{"metadata":{"clientId":"b"}}');
    await assert.rejects(client.webhook(other), refusedFor('other_application'));
  });

  it('a client is not made with what is no webhook secret', () => {
    const wrong = { ...application, url: origin, webhookSecret: 'secret' };

    assert.throws(() => kalends(wrong), TypeError);
  });
});
