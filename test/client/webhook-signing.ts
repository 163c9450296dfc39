/** Deliveries signed as Kalends signs them: `v1a` by node:crypto, `v1` by the package `standardwebhooks`. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

import { Webhook } from 'standardwebhooks';

import type { WebhookKey } from '../../packages/client/src/kalends.ts';

export type SignedDelivery = { readonly headers: Record<string, string>; readonly body: string };

export type DeliverySigner = {
  /** `at`: epoch milliseconds; now by default. The id is `msg_1`. */
  deliver(body: string, at?: number): SignedDelivery;
};

const ID = 'msg_1';

/** An instance's key pair. */
export function signingKey(): DeliverySigner & { readonly key: WebhookKey } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    key: { id: 'k', key: `whpk_${raw.toString('base64')}` },
    deliver: delivering(
      (timestamp, body) =>
        `v1a,${sign(null, Buffer.from(`${ID}.${timestamp}.${body}`), privateKey).toString('base64')}`,
    ),
  };
}

/** An endpoint's secret. */
export function signingSecret(
  secret = `whsec_${randomBytes(32).toString('base64')}`,
): DeliverySigner & { readonly secret: string } {
  const webhook = new Webhook(secret);
  return {
    secret,
    deliver: delivering((timestamp, body) => webhook.sign(ID, new Date(timestamp * 1000), body)),
  };
}

function delivering(signatureOf: (timestamp: number, body: string) => string): DeliverySigner['deliver'] {
  return (body, at = Date.now()) => {
    const timestamp = Math.floor(at / 1000);
    const headers = {
      'webhook-id': ID,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(timestamp, body),
    };
    return { headers, body };
  };
}
