/**
 * Verification of webhook deliveries (Standard Webhooks, `v1a`: Ed25519). The raw body is needed, byte for byte: not
 * what a framework made of it.
 */
import { isRecord } from './kalends-error.ts';

/** A public key that deliveries are signed with; `key` is `whpk_` and base64. */
export type WebhookKey = { readonly id?: string; readonly key: string; readonly status?: string };

/** A delivery that is not to be believed, and why. */
export class WebhookRefused extends Error {
  readonly reason:
    | 'missing_headers'
    | 'invalid_timestamp'
    | 'timestamp_out_of_tolerance'
    | 'no_public_keys'
    | 'no_matching_signature'
    | 'invalid_payload';

  constructor(reason: WebhookRefused['reason']) {
    super(`The webhook is refused: ${reason}`);
    this.name = 'WebhookRefused';
    this.reason = reason;
  }
}

/** A request that came to the application's webhook URL. */
export type Delivery = {
  /** As the framework has them; names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Uint8Array;
};

/** What a delivery is held against. */
export type VerificationOptions = {
  readonly keys: readonly WebhookKey[];
  /** Seconds that the delivery's time may be off; 300 by default. */
  readonly tolerance?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
};

/** The delivery's JSON, when one of the keys signed it lately. Fails with WebhookRefused. */
export async function verifyWebhook(
  { headers, body }: Delivery,
  { keys, tolerance = 300, now = Date.now }: VerificationOptions,
): Promise<Record<string, unknown>> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!id || !timestamp || !signatures) throw new WebhookRefused('missing_headers');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookRefused('invalid_timestamp');
  if (Math.abs(now() / 1000 - Number(timestamp)) > tolerance)
    throw new WebhookRefused('timestamp_out_of_tolerance');
  if (keys.length === 0) throw new WebhookRefused('no_public_keys');

  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  if (!(await anySigned(signed, signatures, keys))) throw new WebhookRefused('no_matching_signature');
  return payloadOf(bytes);
}

async function anySigned(signed: Uint8Array<ArrayBuffer>, signatures: string, keys: readonly WebhookKey[]) {
  // Entries of other versions are for other verifiers.
  const candidates = signatures
    .split(' ')
    .flatMap((entry) => (entry.startsWith('v1a,') ? [entry.slice(4)] : []));
  for (const { key } of keys) {
    const publicKey = await publicKeyOf(key);
    for (const candidate of candidates) {
      const signature = bytesOf(candidate);
      if (publicKey === undefined || signature === undefined) continue;
      if (await crypto.subtle.verify('Ed25519', publicKey, signature, signed)) return true;
    }
  }
  return false;
}

/** `undefined` for what is no public key. */
async function publicKeyOf(key: string): Promise<CryptoKey | undefined> {
  const raw = key.startsWith('whpk_') ? bytesOf(key.slice('whpk_'.length)) : undefined;
  if (raw?.length !== 32) return undefined;
  return crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined; // Not base64: no signature of ours.
  }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  return all;
}

function payloadOf(bytes: Uint8Array): Record<string, unknown> {
  let payload: unknown;
  try {
    payload = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new WebhookRefused('invalid_payload');
  }
  if (!isRecord(payload)) throw new WebhookRefused('invalid_payload');
  return payload;
}

function headerOf(headers: Delivery['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.[0];
}
