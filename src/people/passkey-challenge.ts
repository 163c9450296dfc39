/**
 * What a passkey signs: random, for one purpose and one person, for five minutes. The browser that asked for it keeps it in a
 * cookie with a code of ours, so that nothing is written for whoever only asks; answered once, it is noted as spent.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import { hashOfSecret } from '../lib/sealing.ts';
import type { PasskeyStore } from './passkey-store.ts';

export const CHALLENGE_SECONDS = 5 * 60;

export type Challenge = {
  /** base64url. */
  readonly challenge: string;
  /** Whose passkey it is to be; the empty text where that is to be found out. */
  readonly personId: string;
};

export type ChallengeDeps = {
  readonly people: Pick<PasskeyStore, 'spendChallenge'>;
  readonly knownBrowserKey: Buffer;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** What the browser's cookie is to have. `purpose`: where the answer is sent, in any words. */
export function sealChallenge(
  { challenge, personId }: Challenge,
  purpose: string,
  { knownBrowserKey, now }: ChallengeDeps,
): string {
  const text = `${now() + CHALLENGE_SECONDS * 1000}.${challenge}.${personId}`;
  return `${text}.${macOf(text, purpose, knownBrowserKey)}`;
}

/** A new one: 32 random bytes. */
export const newChallenge = (personId: string): Challenge => ({
  challenge: randomBytes(32).toString('base64url'),
  personId,
});

/** Spends the challenge of a cookie; undefined where it was spent, is late, for another purpose or not of ours. */
export async function spendChallenge(
  cookie: string | undefined,
  purpose: string,
  { people, knownBrowserKey, now }: ChallengeDeps,
): Promise<Challenge | undefined> {
  const [expires = '', challenge = '', personId = '', mac = ''] = cookie?.split('.') ?? [];
  const expected = Buffer.from(macOf(`${expires}.${challenge}.${personId}`, purpose, knownBrowserKey));
  const given = Buffer.from(mac);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const expiresAt = Number(expires);
  if (expiresAt <= now()) return undefined;
  return (await people.spendChallenge(hashOfSecret(challenge), expiresAt))
    ? { challenge, personId }
    : undefined;
}

const macOf = (text: string, purpose: string, key: Buffer): string =>
  createHmac('sha256', key).update(`passkey challenge ${purpose} ${text}`).digest('base64url');
