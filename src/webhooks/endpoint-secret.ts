/** Endpoint secrets for `v1` signatures (Standard Webhooks, HMAC-SHA256). */
import { createHmac, randomBytes } from 'node:crypto';
import type { EndpointSecret } from './message.ts';

const PREFIX = 'whsec_';

/** Returns 256 random bits in the form of Standard Webhooks. */
export const newEndpointSecret = (): string => `${PREFIX}${randomBytes(32).toString('base64')}`;

/** Returns whether the text has this form, with 24 to 64 bytes as Standard Webhooks requires. */
export function isEndpointSecret(text: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/.exec(text) ?? [];
  if (base64 === undefined) return false;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 && bytes.length >= 24 && bytes.length <= 64;
}

/** Returns a `v1,` signature for each secret that is valid at `now`, epoch milliseconds. */
export const signWithSecrets = (
  content: Uint8Array,
  secrets: readonly EndpointSecret[],
  now: number,
): string[] =>
  secrets
    .filter(({ until }) => until === undefined || until > now)
    .map(({ secret }) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    });

/** Returns `fresh` as the current secret; its predecessor stays valid for another `overlapMs`. */
export function rotatedSecrets(
  secrets: readonly EndpointSecret[],
  fresh: string,
  { now, overlapMs }: { readonly now: number; readonly overlapMs: number },
): EndpointSecret[] {
  const current = secrets.filter(({ until }) => until === undefined);
  return [{ secret: fresh }, ...current.map(({ secret }) => ({ secret, until: now + overlapMs }))];
}
