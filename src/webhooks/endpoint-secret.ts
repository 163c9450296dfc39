/** The secrets that endpoints verify `v1` signatures with (Standard Webhooks, HMAC-SHA256). */
import { createHmac, randomBytes } from 'node:crypto';

import type { EndpointSecret } from './message.ts';

const PREFIX = 'whsec_';

/** 256 random bits, in the form that the verifiers of Standard Webhooks take. */
export const newEndpointSecret = (): string => `${PREFIX}${randomBytes(32).toString('base64')}`;

/** Whether it is in that form, with 24 to 64 bytes as Standard Webhooks has them. */
export function isEndpointSecret(text: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/.exec(text) ?? [];
  if (base64 === undefined) return false;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 && bytes.length >= 24 && bytes.length <= 64;
}

/** A `v1,` signature by each secret that is alive at `now`, epoch milliseconds. */
export function secretSignaturesOf(
  content: Uint8Array,
  secrets: readonly EndpointSecret[],
  now: number,
): string[] {
  return secrets
    .filter(({ until }) => until === undefined || until > now)
    .map(({ secret }) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
    });
}

/** `fresh` from now on, and the newest of those before it for `overlapMs` more. */
export function rotatedSecrets(
  secrets: readonly EndpointSecret[],
  fresh: string,
  { now, overlapMs }: { readonly now: number; readonly overlapMs: number },
): EndpointSecret[] {
  const current = secrets.filter(({ until }) => until === undefined);
  return [{ secret: fresh }, ...current.map(({ secret }) => ({ secret, until: now + overlapMs }))];
}
