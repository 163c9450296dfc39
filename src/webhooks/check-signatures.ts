/** Checks which key or secret made each signature of a delivery. */
import { createPublicKey, verify } from 'node:crypto';
import { signWithSecrets } from './endpoint-secret.ts';
import type { EndpointSecret } from './message.ts';
import type { PublishedWebhookKey } from './webhook-signer.ts';

export type SignedMessage = {
  readonly messageId: string;
  /** Seconds, as in `webhook-timestamp`. */
  readonly timestamp: string;
  /** The sent body, byte for byte. */
  readonly body: string;
};

/** The candidate keys and secrets. `now` is in epoch milliseconds. */
export type SignatureKeys = {
  readonly published: readonly PublishedWebhookKey[];
  readonly secrets: readonly EndpointSecret[];
  readonly now: number;
};

/** `by` is the id of the key, `secret` for an endpoint secret, or undefined if nothing matches. */
export type CheckedSignature = {
  readonly scheme: 'v1' | 'v1a' | undefined;
  readonly signature: string;
  readonly by: string | undefined;
};

/** A header has about four; further ones are ignored. */
const MOST_SIGNATURES = 20;

export function checkSignatures(
  line: string,
  message: SignedMessage,
  keys: SignatureKeys,
): CheckedSignature[] {
  const content = toSignedContent(message);
  const bySecrets = signWithSecrets(content, keys.secrets, keys.now);
  const signatures = line.split(/\s+/).filter((one) => one !== '');
  return signatures.slice(0, MOST_SIGNATURES).map((signature) => {
    if (signature.startsWith('v1,'))
      return { scheme: 'v1', signature, by: bySecrets.includes(signature) ? 'secret' : undefined };
    if (!signature.startsWith('v1a,')) return { scheme: undefined, signature, by: undefined };
    const bytes = Buffer.from(signature.slice('v1a,'.length), 'base64');
    const key = keys.published.find((one) => verify(null, content, toPublicKey(one), bytes));
    return { scheme: 'v1a', signature, by: key?.id };
  });
}

/** Returns the signed content (Standard Webhooks). */
export const toSignedContent = ({ messageId, timestamp, body }: SignedMessage): Buffer =>
  Buffer.from(`${messageId}.${timestamp}.${body}`);

const toPublicKey = ({ key }: PublishedWebhookKey) => {
  const x = Buffer.from(key.slice('whpk_'.length), 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
};
