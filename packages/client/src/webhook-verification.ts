/**
 * Verification of webhook deliveries (Standard Webhooks, `v1` and `v1a`). The raw body is needed, byte for byte: not
 * what a framework made of it.
 */
import { isRecord } from './kalends-error.ts';
import { WebhookRefused } from './webhook-refused.ts';
import { isSigned } from './webhook-signatures.ts';

/** A public key that deliveries are signed with; `key` is `whpk_` and base64. */
export type WebhookKey = { readonly id?: string; readonly key: string; readonly status?: string };

/** A request that came to the application's webhook URL. */
export type Delivery = {
  /** As the framework has them; names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Uint8Array;
};

/** What a delivery is held against: a secret, keys, or both. One that matches is enough. */
export type VerificationOptions = {
  /** The endpoint's own secret, `whsec_…`; two of them while one takes the place of the other. */
  readonly secret?: string | readonly string[] | undefined;
  /** The instance's public keys. */
  readonly keys?: readonly WebhookKey[] | undefined;
  /** The application. All those of an instance share its keys, so what names another one is refused. */
  readonly clientId?: string | undefined;
  /** Seconds that the delivery's time may be off; 300 by default. */
  readonly tolerance?: number | undefined;
  /** Epoch milliseconds. */
  readonly now?: (() => number) | undefined;
};

/**
 * The delivery's JSON, when the secret or one of the keys signed it lately. Fails with WebhookRefused, and with
 * TypeError when the secret is none.
 */
export async function verifyWebhook(
  { headers, body }: Delivery,
  { secret = [], keys = [], clientId, tolerance = 300, now = Date.now }: VerificationOptions,
): Promise<Record<string, unknown>> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!id || !timestamp || !signatures) throw new WebhookRefused('missing_headers');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookRefused('invalid_timestamp');
  if (Math.abs(now() / 1000 - Number(timestamp)) > tolerance)
    throw new WebhookRefused('timestamp_out_of_tolerance');
  const signers = { secrets: [secret].flat(), publicKeys: keys.map(({ key }) => key) };
  if (signers.secrets.length + signers.publicKeys.length === 0) throw new WebhookRefused('no_public_keys');

  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const content = joined([new TextEncoder().encode(`${id}.${timestamp}.`), bytes]);
  if (!(await isSigned(content, signatures, signers))) throw new WebhookRefused('no_matching_signature');
  const payload = payloadOf(bytes);
  if (isForAnother(payload, clientId)) throw new WebhookRefused('other_application');
  return payload;
}

/** The header's first value; `name` in lower case. */
export function headerOf(headers: Delivery['headers'], name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.[0];
}

/** Bytes one after the other. */
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

function isForAnother({ metadata }: Record<string, unknown>, clientId: string | undefined): boolean {
  const named = isRecord(metadata) ? metadata.clientId : undefined;
  return clientId !== undefined && named !== undefined && named !== clientId;
}

/** By what they do: servers bring Headers of their own, which are no instances of the global class. */
function isHeaders(headers: Delivery['headers']): headers is Headers {
  return typeof headers.get === 'function';
}
