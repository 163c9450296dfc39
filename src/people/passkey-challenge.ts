/**
 * The challenge of a passkey: random, for one purpose and one member, valid for five minutes. The browser holds it in a
 * sealed cookie. Only used challenges are stored.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import { hashOfSecret } from '../lib/sealing.ts';
import type { PasskeyStore } from './passkey-store.ts';

export const CHALLENGE_SECONDS = 5 * 60;

export type Challenge = {
  /** base64url. */
  readonly challenge: string;
  /** The member of the passkey. Empty if the passkey identifies them. */
  readonly personId: string;
};

export type ChallengeDeps = {
  readonly people: Pick<PasskeyStore, 'spendChallenge'>;
  readonly knownBrowserKey: Buffer;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Returns the content of the browser's cookie. `purpose` identifies where the response is sent. */
export function sealChallenge(
  { challenge, personId }: Challenge,
  purpose: string,
  { knownBrowserKey, now }: ChallengeDeps,
): string {
  const text = `${now() + CHALLENGE_SECONDS * 1000}.${challenge}.${personId}`;
  return `${text}.${signChallenge(text, purpose, knownBrowserKey)}`;
}

export const newChallenge = (personId: string): Challenge => ({
  challenge: randomBytes(32).toString('base64url'),
  personId,
});

/** Uses the challenge of a cookie. Returns undefined if it was used, has expired, or was sealed for something else. */
export async function spendChallenge(
  cookie: string | undefined,
  purpose: string,
  { people, knownBrowserKey, now }: ChallengeDeps,
): Promise<Challenge | undefined> {
  const [expires = '', challenge = '', personId = '', mac = ''] = cookie?.split('.') ?? [];
  const expected = Buffer.from(
    signChallenge(`${expires}.${challenge}.${personId}`, purpose, knownBrowserKey),
  );
  const given = Buffer.from(mac);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const expiresAt = Number(expires);
  if (expiresAt <= now()) return undefined;
  return (await people.spendChallenge(hashOfSecret(challenge), expiresAt))
    ? { challenge, personId }
    : undefined;
}

const signChallenge = (text: string, purpose: string, key: Buffer): string =>
  createHmac('sha256', key).update(`passkey challenge ${purpose} ${text}`).digest('base64url');
