/**
 * Tests how the published client verifies webhooks: which deliveries it accepts, and which it refuses for which reason
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

/** The published delivery, with the clock of its time. */
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

const MINE = '{"metadata":{"clientId":"mine"}}';

const refusedFor = (reason: WebhookRefused['reason']) => (error: unknown) =>
  error instanceof WebhookRefused && error.reason === reason;

describe('a webhook delivery', () => {
  const published = { keys: [{ key: PUBLISHED.key }], clientId: 'mine', now: PUBLISHED.now };

  it('a webhook delivery is accepted as text and as bytes, with headers of any kind', async () => {
    const { key, deliver } = signingKey();
    const { headers, body } = deliver(MINE);
    const shouted = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]] as const);

    for (const delivery of [
      { headers, body },
      { headers: new Headers(headers), body: new TextEncoder().encode(body) },
      { headers: Object.fromEntries(shouted), body },
    ])
      assert.deepEqual(await verifyWebhook(delivery, { keys: [key], clientId: 'mine' }), JSON.parse(body));
  });

  it('the published delivery has a matching signature, but names no application', async () => {
    const { headers, body } = PUBLISHED;

    await assert.rejects(verifyWebhook({ headers, body }, published), refusedFor('other_application'));
  });

  it('a webhook delivery is accepted when one of several signatures matches one of several keys', async () => {
    const [old, current] = [signingKey(), signingKey()];
    const { headers, body } = current.deliver(MINE);
    const others = `v1,c2VjcmV0 ${old.deliver('{"b":2}').headers['webhook-signature']}`;
    const signatures = `${others} ${headers['webhook-signature']}`;

    const payload = await verifyWebhook(
      { headers: { ...headers, 'webhook-signature': signatures }, body },
      { keys: [old.key, { key: 'whpk_too short' }, { key: 'nonsense' }, current.key], clientId: 'mine' },
    );

    assert.deepEqual(payload, JSON.parse(MINE));
  });

  it('a webhook delivery is accepted for the example of Standard Webhooks, with secrets in any order', async () => {
    const { headers, body, secret, now } = STANDARD;

    for (const secrets of [secret, [secret], [signingSecret().secret, secret]])
      assert.deepEqual(await verifyWebhook({ headers, body }, { secret: secrets, now }), JSON.parse(body));
  });

  it('a webhook delivery is accepted when a signature of either scheme matches', async () => {
    const [key, endpoint] = [signingKey(), signingSecret()];
    const at = Date.now();
    const [byKey, bySecret] = [key.deliver(MINE, at), endpoint.deliver(MINE, at)];
    const both = `${byKey.headers['webhook-signature']} ${bySecret.headers['webhook-signature']}`;
    const delivery = { headers: { ...byKey.headers, 'webhook-signature': both }, body: MINE };

    for (const options of [
      { keys: [key.key] },
      { secret: endpoint.secret },
      { keys: [key.key], secret: signingSecret().secret },
      { keys: [signingKey().key], secret: endpoint.secret },
    ])
      assert.deepEqual(await verifyWebhook(delivery, { clientId: 'mine', ...options }), JSON.parse(MINE));
  });

  it('a signature of one scheme is not accepted as one of the other', async () => {
    const [key, endpoint] = [signingKey(), signingSecret()];
    const relabelled = ({ headers, body }: ReturnType<typeof key.deliver>, version: string) => {
      const [, signature] = headers['webhook-signature']?.split(',') ?? [];
      return { headers: { ...headers, 'webhook-signature': `${version},${signature}` }, body };
    };
    const options = { keys: [key.key], secret: endpoint.secret, clientId: 'mine' };

    for (const delivery of [relabelled(key.deliver('{}'), 'v1'), relabelled(endpoint.deliver('{}'), 'v1a')])
      await assert.rejects(verifyWebhook(delivery, options), refusedFor('no_matching_signature'));
  });

  it('a webhook delivery is not refused because of invalid secrets', async () => {
    for (const secret of ['', 'secret', 'whsec_', 'whsec_@@'])
      await assert.rejects(verifyWebhook(STANDARD, { secret, now: STANDARD.now }), TypeError);
  });

  const UNNAMED = ['{"metadata":{"clientId":null}}', '{"metadata":{"clientId":["mine"]}}'];
  const WITHOUT = ['{"metadata":{}}', '{"metadata":null}', '{"clientId":"mine"}', '{}'];
  const OTHER = '{"metadata":{"clientId":"theirs"}}';

  it('a webhook delivery that a key signed is refused unless it names the application', async () => {
    const [{ key, deliver }, endpoint] = [signingKey(), signingSecret()];

    for (const secret of [[], endpoint.secret])
      for (const body of [OTHER, ...UNNAMED, ...WITHOUT]) {
        const options = { secret, keys: [key], clientId: 'mine' };
        await assert.rejects(verifyWebhook(deliver(body), options), refusedFor('other_application'), body);
      }
  });

  it('a webhook delivery that the endpoint’s secret signed is refused only if it names another application', async () => {
    const { secret, deliver } = signingSecret();
    const options = { secret, keys: [signingKey().key], clientId: 'mine' };

    for (const body of [MINE, ...WITHOUT])
      assert.deepEqual(await verifyWebhook(deliver(body), options), JSON.parse(body));
    await assert.rejects(verifyWebhook(deliver(OTHER), options), refusedFor('other_application'));
  });

  it('a webhook delivery is verified with keys only for a named application', async () => {
    const { key, deliver } = signingKey();

    for (const clientId of [undefined, ''])
      await assert.rejects(verifyWebhook(deliver(MINE), { keys: [key], clientId }), TypeError);
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

  it('a webhook delivery is held to the requested tolerance', async () => {
    const { key, deliver } = signingKey();
    const late = { keys: [key], clientId: 'mine', tolerance: 302, now: () => Date.now() + 301_000 };

    assert.ok(await verifyWebhook(deliver(MINE), late));
  });
});

const ROOT_LIST = '/.well-known/webhook-keys';
const OWN_LIST = `${ROOT_LIST}/a`;

describe('the service’s webhook keys', () => {
  let origin: string;
  let requests = 0;
  let paths: unknown[] = [];
  let list = OWN_LIST;
  let answer: { status: number; headers: Record<string, string>; keys: WebhookKey[] };
  const server = createServer(({ url }, response) => {
    requests += 1;
    paths.push(url);
    response
      .writeHead(url === list ? answer.status : 404, answer.headers)
      .end(JSON.stringify({ keys: answer.keys }));
  });
  before(async () => {
    origin = await listen(server);
  });
  after(() => close(server));

  const application = { clientId: 'a', clientSecret: 's', redirectUri: 'https://a.example/', retries: 0 };
  const ofA = (rest: object = {}) => JSON.stringify({ ...rest, metadata: { clientId: 'a' } });
  function clientWith(clock: { at: number }, webhookKeys: WebhookKey[] = []) {
    requests = 0;
    paths = [];
    list = OWN_LIST;
    return kalends({ ...application, url: `${origin}/under/a/path/`, webhookKeys, now: () => clock.at });
  }

  it('the service’s webhook keys are fetched from the origin once, and again after their lifetime', async () => {
    const { key, deliver } = signingKey();
    answer = { status: 200, headers: { 'cache-control': 'public, max-age=60' }, keys: [key] };
    const clock = { at: Date.now() };
    const client = clientWith(clock);

    for (const wait of [0, 59_000, 2_000]) {
      clock.at += wait;
      assert.ok(await client.webhook(deliver(ofA(), clock.at)));
    }

    assert.deepEqual(paths, [OWN_LIST, OWN_LIST]);
  });

  it('the webhook keys of a service without a list for the application are those of its one list', async () => {
    const { key, deliver } = signingKey();
    answer = { status: 200, headers: { 'cache-control': 'max-age=60' }, keys: [key] };
    const client = clientWith({ at: Date.now() });
    list = ROOT_LIST;

    assert.ok(await client.webhook(deliver(ofA())));
    assert.ok(await client.webhook(deliver(ofA())));

    assert.deepEqual(paths, [OWN_LIST, ROOT_LIST]);
  });

  it('the webhook keys of all applications are not used while the application’s own list is unavailable', async () => {
    const { deliver } = signingKey();
    answer = { status: 503, headers: {}, keys: [] };
    const client = clientWith({ at: Date.now() });

    await assert.rejects(client.webhook(deliver(ofA())), KalendsError);

    assert.deepEqual(paths, [OWN_LIST]);
  });

  it('the service’s webhook keys are fetched again for an unknown signature, at most once a minute', async () => {
    const [old, next] = [signingKey(), signingKey()];
    answer = { status: 200, headers: {}, keys: [old.key] };
    const clock = { at: Date.now() };
    const client = clientWith(clock);
    await client.webhook(old.deliver(ofA(), clock.at));
    answer.keys = [old.key, next.key];

    const early = client.webhook(next.deliver(ofA(), clock.at));
    await assert.rejects(early, refusedFor('no_matching_signature'));
    assert.equal(requests, 1);
    clock.at += 61_000;
    assert.ok(await client.webhook(next.deliver(ofA(), clock.at)));
    assert.equal(requests, 2);
  });

  it('pinned webhook keys are used while the service is unavailable, and without any the client fails', async () => {
    const { key, deliver } = signingKey();
    answer = { status: 503, headers: {}, keys: [] };
    const clock = { at: Date.now() };

    assert.ok(await clientWith(clock, [key]).webhook(deliver(ofA())));
    await assert.rejects(clientWith(clock).webhook(deliver('{}')), KalendsError);
  });

  it('the service’s webhook keys are fetched only if the endpoint’s secret did not sign', async () => {
    const [{ key, deliver }, endpoint] = [signingKey(), signingSecret()];
    answer = { status: 200, headers: {}, keys: [key] };
    const webhookSecret = [signingSecret().secret, endpoint.secret];
    requests = 0;
    list = OWN_LIST;
    const client = kalends({ ...application, url: origin, webhookSecret });

    assert.deepEqual(await client.webhook(endpoint.deliver('{"n":4}')), { n: 4 });
    const early = endpoint.deliver('{}', Date.now() - 301_000);
    await assert.rejects(client.webhook(early), refusedFor('timestamp_out_of_tolerance'));
    assert.equal(requests, 0);
    assert.ok(await client.webhook(deliver(ofA())));
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

  it('a client is not created with an invalid webhook secret', () => {
    const wrong = { ...application, url: origin, webhookSecret: 'secret' };

    assert.throws(() => kalends(wrong), TypeError);
  });
});
