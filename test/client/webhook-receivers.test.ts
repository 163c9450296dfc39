/**
 * Tests how the published client receives webhooks in real servers: the responses to genuine, forged, old, too long or
 * broken deliveries, and their time (docs/webhooks.md).
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  type ReceivedWebhook,
  type WebhookReceiver,
  WebhookRefused,
  webhookFetchHandler,
} from '../../packages/client/src/kalends.ts';
import {
  FRAMEWORKS,
  openExpressWithJson,
  openHonoWithReader,
  type ReceivingServer,
} from './receiving-servers.ts';
import { type SignedDelivery, signingKey, signingSecret } from './webhook-signing.ts';

const BODY = JSON.stringify({
  userId: 'ada',
  events: [{ id: '1', title: 'Café ☕ — Zoë' }],
  metadata: { clientId: 'mine' },
});
const endpoint = signingSecret();
const instance = signingKey();

async function post(server: ReceivingServer, { headers, body }: SignedDelivery) {
  const answer = await fetch(`${server.url}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}

/** Returns a delivery of that many bytes of JSON. */
const ofLength = (length: number): SignedDelivery => {
  const title = 'x'.repeat(length - '{"title":""}'.length);
  return endpoint.deliver(JSON.stringify({ title }));
};

const genuine = endpoint.deliver(BODY);
const { 'webhook-id': _id, ...withoutId } = genuine.headers;
const REFUSALS: readonly [string, SignedDelivery, number, RegExp][] = [
  ['with a body that was tampered with', { ...genuine, body: `${BODY} ` }, 401, /No signature matches/],
  [
    'under another id',
    { ...genuine, headers: { ...genuine.headers, 'webhook-id': 'msg_2' } },
    401,
    /No signature matches/,
  ],
  ['of six minutes ago', endpoint.deliver(BODY, Date.now() - 360_000), 401, /webhook-timestamp is too far/],
  ['of the future', endpoint.deliver(BODY, Date.now() + 360_000), 401, /webhook-timestamp is too far/],
  ['signed with another secret', signingSecret().deliver(BODY), 401, /No signature matches/],
  ['signed with another key', signingKey().deliver(BODY), 401, /No signature matches/],
  ['without an id', { ...genuine, headers: withoutId }, 400, /headers .* is missing/],
  ['without any of its headers', { ...genuine, headers: {} }, 400, /headers .* is missing/],
  [
    'at no time',
    { ...genuine, headers: { ...genuine.headers, 'webhook-timestamp': 'now' } },
    400,
    /not a number/,
  ],
  ['that is no JSON', endpoint.deliver('{'), 400, /not a JSON object/],
  ['without a body', { ...genuine, body: '' }, 401, /No signature matches/],
];

for (const { name, readsOn, open } of FRAMEWORKS)
  describe(`webhooks under ${name}`, () => {
    const received: ReceivedWebhook[] = [];
    const errors: unknown[] = [];
    let receive: WebhookReceiver['receive'];
    let server: ReceivingServer;
    before(async () => {
      server = await open({
        verify: { secret: endpoint.secret, keys: [instance.key], clientId: 'mine' },
        receive: (webhook) => receive(webhook),
        onError: (error) => errors.push(error),
      });
    });
    after(() => server?.close());
    beforeEach(() => {
      received.length = 0;
      errors.length = 0;
      receive = (webhook) => received.push(webhook);
    });

    for (const [scheme, signer] of [
      ['v1', endpoint],
      ['v1a', instance],
    ] as const)
      it(`a webhook signed by ${scheme} is passed on with its id, and gets 204`, async () => {
        const answer = await post(server, signer.deliver(BODY));

        assert.deepEqual(answer, { status: 204, text: '' });
        assert.deepEqual(received, [{ id: 'msg_1', payload: JSON.parse(BODY) }]);
      });

    it('a webhook gets a response only after it was processed', async () => {
      const gate = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      receive = () => {
        begun.resolve();
        return gate.promise;
      };
      let isAnswered = false;

      const answer = post(server, endpoint.deliver(BODY)).finally(() => {
        isAnswered = true;
      });
      await begun.promise;
      await sleep(50);

      assert.equal(isAnswered, false);
      gate.resolve();
      assert.equal((await answer).status, 204);
    });

    it('a webhook that the application fails to process gets 500, and only the application the reason', async () => {
      // Errors of the kinds that verification has: here they come from the application.
      for (const error of [new Error('no disk'), new WebhookRefused('invalid_payload')]) {
        receive = async () => {
          throw error;
        };

        const { status, text } = await post(server, endpoint.deliver(BODY));

        assert.deepEqual([status, text], [500, 'The application failed to take the delivery.']);
        assert.equal(errors.pop(), error);
      }
    });

    for (const [which, delivery, status, sentence] of REFUSALS)
      it(`a webhook ${which} gets ${status} and is not passed on`, async () => {
        const answer = await post(server, delivery);

        assert.equal(answer.status, status);
        assert.match(answer.text, sentence);
        assert.deepEqual([received, errors], [[], []]);
      });

    it('a webhook of 1 MiB is accepted, and one byte more gets 413', async () => {
      assert.equal((await post(server, ofLength(1_048_576))).status, 204);

      const { status } = await post(server, ofLength(1_048_577));

      assert.equal(status, 413);
      assert.equal(received.length, 1);
    });

    if (!readsOn)
      it('a body without end and without a length gets 413 before it ends', async () => {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
        socket.on('error', () => {});
        const head = 'POST /webhooks HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
        const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
        const more = setInterval(() => socket.write(chunk), 1);

        const [answer] = await once(socket, 'data');
        clearInterval(more);
        socket.destroy();

        assert.match(String(answer), /^HTTP\/1.1 413 /);
      });

    it('a body that breaks off is not passed on, and the next webhook is accepted', async () => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      const { headers, body } = endpoint.deliver(BODY);
      const lines = Object.entries({
        host: 'a',
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        ...headers,
      });
      socket.write(
        `POST /webhooks HTTP/1.1\r\n${lines.map(([header, value]) => `${header}: ${value}\r\n`).join('')}\r\n{`,
      );
      await sleep(50);
      socket.destroy();
      await sleep(50);

      assert.deepEqual([received, errors], [[], []]);
      assert.equal((await post(server, endpoint.deliver(BODY))).status, 204);
    });
  });

describe('a webhook whose body was read before', () => {
  for (const [reader, open, advice] of [
    ['express.json()', openExpressWithJson, /Put express\.raw\(/],
    ['Hono’s middleware', openHonoWithReader, /before anything reads it/],
  ] as const)
    it(`a webhook whose body was read by ${reader} gets 500 and an explanation`, async () => {
      const errors: unknown[] = [];
      const verify = { secret: endpoint.secret };
      const server = await open({
        verify,
        receive: () => assert.fail(),
        onError: (error) => errors.push(error),
      });

      const { status, text } = await post(server, endpoint.deliver(BODY));
      await server.close();

      assert.equal(status, 500);
      assert.match(text, advice);
      assert.match(String(errors), advice);
    });
});

describe('webhooks under Fastify, beside other routes', () => {
  it('other routes keep their parsed bodies', async () => {
    const fastify = FRAMEWORKS.find(({ name }) => name === 'Fastify');
    assert.ok(fastify);
    const server = await fastify.open({ verify: { secret: endpoint.secret }, receive: () => {} });

    const answer = await fetch(`${server.url}/others`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    const others = await answer.json();
    await server.close();

    assert.deepEqual(others, { isParsed: true, body: { a: 1 } });
  });
});

describe('webhooks as plain requests', () => {
  const requestOf = ({ headers, body }: SignedDelivery) =>
    new Request('https://app.example/webhooks', { method: 'POST', headers, body });

  it('a webhook is received from a Request, as a route of Next.js gets it', async () => {
    const received: ReceivedWebhook[] = [];
    const POST = webhookFetchHandler({
      verify: { secret: [signingSecret().secret, endpoint.secret] },
      receive: (webhook) => received.push(webhook),
    });

    assert.equal((await POST(requestOf(endpoint.deliver(BODY)))).status, 204);
    assert.deepEqual(received, [{ id: 'msg_1', payload: JSON.parse(BODY) }]);
  });

  it('a webhook longer than the receiver’s own limit is refused, whatever length it claims', async () => {
    const POST = webhookFetchHandler({
      verify: { secret: endpoint.secret },
      receive: () => assert.fail(),
      maxBytes: 10,
    });
    const claimed = requestOf(endpoint.deliver(BODY));
    claimed.headers.set('content-length', '5');

    assert.equal((await POST(claimed)).status, 413);
  });

  it('a receiver that cannot verify anything is refused when the application starts', () => {
    const receive = () => {};
    const secret: string | undefined = process.env.KALENDS_NO_SUCH_SETTING;

    assert.throws(
      () => webhookFetchHandler({ verify: { secret }, receive }),
      /needs a secret or public keys/,
    );
    for (const wrong of ['', 'secret', 'whsec_', 'whsec_@@'])
      assert.throws(
        () => webhookFetchHandler({ verify: { secret: wrong }, receive }),
        new TypeError('The secret of a webhook endpoint is "whsec_" and base64, as Kalends printed it.'),
      );
  });

  it('a receiver with keys that does not name its application is refused when the application starts', () => {
    const verify = { secret: endpoint.secret, keys: [instance.key] };

    assert.throws(() => webhookFetchHandler({ verify, receive: () => {} }), TypeError);
    assert.ok(webhookFetchHandler({ verify: { ...verify, clientId: 'mine' }, receive: () => {} }));
  });
});
