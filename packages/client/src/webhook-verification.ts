/**
 * Verification of webhook deliveries (Standard Webhooks, `v1` and `v1a`). It needs the raw body, byte for byte, not the
 * result of a framework's parser.
 */
import type { WebhookPayload } from './application-calls.ts';
import { isRecord } from './kalends-error.ts';
import { WebhookRefused } from './webhook-refused.ts';
import { isSigned } from './webhook-signatures.ts';

/** A public key that deliveries are signed with; `key` is `whpk_` and base64. */
export type WebhookKey = { readonly id?: string; readonly key: string; readonly status?: string };

/** A request that came to the application's webhook URL. */
export type Delivery = {
  /** The headers as the framework has them; names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Uint8Array;
};

/** The secret, the keys, or both, that a delivery is verified with. One match is enough. */
export type VerificationOptions = {
  /** The endpoint's own secret, `whsec_…`; two of them during a rotation. */
  readonly secret?: string | readonly string[] | undefined;
  /** Public keys of the service. Other applications may share them, so they require `clientId`. */
  readonly keys?: readonly WebhookKey[] | undefined;
  /**
   * The application. A delivery for another application is refused, and so is a delivery without an application that
   * was signed with a key: only the endpoint's own secret proves who it is for.
   */
  readonly clientId?: string | undefined;
  /** The tolerance for the delivery's time, in seconds; 300 by default. */
  readonly tolerance?: number | undefined;
  /** Epoch milliseconds. */
  readonly now?: (() => number) | undefined;
};

/**
 * Returns the JSON of a delivery that the secret or one of the keys signed within the tolerance. Fails with
 * WebhookRefused, and with TypeError if a secret is malformed or there are keys without `clientId`.
 */
export async function verifyWebhook(
  { headers, body }: Delivery,
  options: VerificationOptions,
): Promise<WebhookPayload> {
  const { secret = [], keys = [], clientId, tolerance = 300, now = Date.now } = options;
  checkClientId(options);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!id || !timestamp || !signatures) throw new WebhookRefused('missing_headers');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookRefused('invalid_timestamp');
  if (Math.abs(now() / 1000 - Number(timestamp)) > tolerance)
    throw new WebhookRefused('timestamp_out_of_tolerance');
  const secrets = [secret].flat();
  if (secrets.length + keys.length === 0) throw new WebhookRefused('no_public_keys');

  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const content = joined([new TextEncoder().encode(`${id}.${timestamp}.`), bytes]);
  const hasSecretSignature = await isSigned(content, signatures, { secrets, publicKeys: [] });
  const publicKeys = keys.map(({ key }) => key);
  if (!hasSecretSignature && !(await isSigned(content, signatures, { secrets: [], publicKeys })))
    throw new WebhookRefused('no_matching_signature');
  const payload = payloadOf(bytes);
  const recipient = isRecord(payload.metadata) ? payload.metadata.clientId : undefined;
  const isForSecret = hasSecretSignature && recipient === undefined;
  if (clientId !== undefined && recipient !== clientId && !isForSecret)
    throw new WebhookRefused('other_application');
  // Kalends signed it, and documents these shapes.
  return payload as WebhookPayload;
}

/** Fails with TypeError if there are keys to verify with and no application whose deliveries they may verify. */
export function checkClientId({ keys = [], clientId }: VerificationOptions): void {
  if (keys.length > 0 && !clientId)
    throw new TypeError('Verifying with keys requires clientId: other applications may share the keys.');
}

/** Returns the header's first value; `name` is in lower case. */
export function headerOf(headers: Delivery['headers'], name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.[0];
}

/** Returns the concatenated bytes. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
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

/**
 * Recognizes headers by their methods: servers bring separate Headers classes, whose objects are no instances of the
 * global one.
 */
function isHeaders(headers: Delivery['headers']): headers is Headers {
  return typeof headers.get === 'function';
}
