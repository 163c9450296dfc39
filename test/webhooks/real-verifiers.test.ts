/** Deliveries as receivers got them over HTTP, before the verifiers that receivers use (docs/wire.md 2.7). */
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

import { makeFirstSecret, rotateEndpointSecret } from '../../src/webhooks/endpoints.ts';
import { rotateWebhookKeys } from '../../src/webhooks/webhook-signer.ts';
import { calendar } from '../contract/mirror-rows.ts';
import { link } from '../harness/calendar-server.ts';
import { type DeliveryServer, deliverChange, openDeliveryServer } from './delivery-server.ts';
import type { Received } from './receiver.ts';

const HOUR = 3_600_000;
const ENDPOINT = 'we_acme';

const headersOf = ({ headers }: Received) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const VERIFIERS: readonly {
  readonly name: string;
  /** Throws for what it does not believe. */
  readonly verify: (secret: string, body: string, headers: Record<string, string>) => unknown;
}[] = [
  {
    name: 'svix',
    verify: (secret, body, headers) => new SvixWebhook(secret).verify(body, headers),
  },
  {
    name: 'standardwebhooks',
    verify: (secret, body, headers) => new StandardWebhook(secret).verify(body, headers),
  },
];

describe('deliveries before independent verifiers', () => {
  let telling: DeliveryServer;
  let first: string;
  beforeEach(async () => {
    telling = await openDeliveryServer();
    // Verifiers look at the real time, and take five minutes; each sync is a minute later.
    telling.server.clock.now = Date.now() - 4 * 60_000;
    telling.server.provider.addCalendar(calendar('/work/'));
    await link(telling.server);
    await telling.server.token('read');
    const secret = await makeFirstSecret(ENDPOINT, { ...telling.deps, by: undefined });
    assert.ok(secret !== undefined);
    first = secret;
    await telling.sync();
    await telling.deliver();
  });
  afterEach(() => telling.close());

  const told = (title = 'Café ☕ — Zoë'): Promise<Received> => deliverChange(telling, title);
  const rotate = async (overlapMs: number): Promise<string> => {
    const secret = await rotateEndpointSecret(
      { endpointId: ENDPOINT, overlapMs },
      { ...telling.deps, by: undefined },
    );
    assert.ok(secret !== undefined);
    return secret;
  };

  for (const verifier of VERIFIERS) {
    const isGenuine = (secret: string, received: Received, change: Partial<Received> = {}): boolean => {
      const sent = { ...received, ...change };
      try {
        verifier.verify(secret, sent.raw, headersOf(sent));
        return true;
      } catch (reason) {
        assert.ok(reason instanceof Error && reason.name === 'WebhookVerificationError', String(reason));
        return false;
      }
    };
    const withHeader = ({ headers }: Received, name: string, value: string) => ({
      headers: { ...headers, [name]: value },
    });

    it(`${verifier.name} believes what was signed by the endpoint's secret, and nothing that was changed`, async () => {
      const received = await told();
      const stamp = Number(received.headers['webhook-timestamp']);

      assert.equal(isGenuine(first, received), true);
      const changes: readonly Partial<Received>[] = [
        { raw: received.raw.replace('"updated"', '"deleted"').replace('"created"', '"deleted"') },
        { raw: `${received.raw} ` },
        { raw: received.raw.replace('é', 'e') },
        withHeader(received, 'webhook-id', 'msg_other'),
        withHeader(received, 'webhook-timestamp', String(stamp + 1)),
        withHeader(received, 'webhook-timestamp', String(stamp - 301)),
        withHeader(received, 'webhook-signature', 'v1,AAAA'),
      ];
      for (const change of changes) {
        assert.notDeepEqual({ ...received, ...change }, received, 'it was changed');
        assert.equal(isGenuine(first, received, change), false, JSON.stringify(change));
      }
      const [ofInstance = ''] = String(received.headers['webhook-signature']).split(' ');
      assert.match(ofInstance, /^v1a,/);
      const alone = withHeader(received, 'webhook-signature', ofInstance);
      assert.equal(isGenuine(first, received, alone), false, 'v1a is none of its signatures');
    });

    it(`${verifier.name} believes by the old secret and by the new one during the overlap, then by the new one`, async () => {
      const second = await rotate(HOUR);
      const during = await told('During');

      assert.deepEqual([isGenuine(first, during), isGenuine(second, during)], [true, true]);
      assert.equal(isGenuine(second, during, { raw: `${during.raw} ` }), false);

      const third = await rotate(0);
      const after = await told('After');

      assert.deepEqual(
        [first, second, third].map((secret) => isGenuine(secret, after)),
        [false, false, true],
      );
    });
  }

  it('node:crypto believes v1a by each published key, the old one too after a rotation', async () => {
    // RFC 8410: what precedes the 32 bytes of an Ed25519 key in SubjectPublicKeyInfo.
    const PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
    const believes = (published: string, { headers, raw }: Received): boolean => {
      const der = Buffer.concat([PREFIX, Buffer.from(published.slice('whpk_'.length), 'base64')]);
      const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
      const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${raw}`);
      return String(headers['webhook-signature'])
        .split(' ')
        .filter((entry) => entry.startsWith('v1a,'))
        .some((entry) => verify(null, content, key, Buffer.from(entry.slice('v1a,'.length), 'base64')));
    };
    const { server, sealer, deps } = telling;
    const [old = ''] = deps.webhookSigner.published().map(({ key }) => key);
    const before = await told('Before');
    assert.equal(believes(old, before), true);
    assert.equal(believes(old, { ...before, raw: `${before.raw} ` }), false);

    await rotateWebhookKeys(HOUR, { ...server.deps, sealer, by: undefined });
    // An instance loads its keys again after half a minute.
    await told('Loads them');
    const after = await told('After');

    const keys = deps.webhookSigner.published().map(({ key }) => key);
    assert.equal(keys.length, 2);
    assert.ok(keys.includes(old));
    assert.deepEqual(
      keys.map((key) => believes(key, after)),
      [true, true],
    );
  });
});
