/**
 * What a browser that left for an issuer comes back with: sealed in a cookie of its own, so that nothing is written for whoever
 * only leaves, and no other browser can finish what this one began. Answered once, its state is noted as spent.
 */
import { createHmac } from 'node:crypto';

import { hashOfSecret, openWith, sealWith } from '../lib/sealing.ts';
import type { PendingSignIn } from './identity-provider.ts';
import type { PasskeyStore } from './passkey-store.ts';

export const PENDING_SECONDS = 10 * 60;

/** What signing in at the issuer is for. A session is named by its id, since its cookie does not come from another site. */
export type SignInPurpose =
  | { readonly for: 'sign_in' }
  | { readonly for: 'join'; readonly token: string; readonly name: string; readonly login: string }
  | { readonly for: 'confirm' | 'connect'; readonly personId: string; readonly sessionId: string };

export type PendingReturn = PendingSignIn & {
  readonly purpose: SignInPurpose;
  /** What its return is counted for. It is told by cookies that do not come with a return from another site. */
  readonly countedFor: string;
  /** Where it goes on after. */
  readonly next: string;
};

export type PendingDeps = {
  readonly people: Pick<PasskeyStore, 'spendChallenge'>;
  readonly knownBrowserKey: Buffer;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

const CONTEXT = 'single sign-on';

/** What the browser's cookie is to have. */
export function sealPending(pending: PendingReturn, { knownBrowserKey, now }: PendingDeps): string {
  const expiresAt = now() + PENDING_SECONDS * 1000;
  return sealWith(keyOf(knownBrowserKey), JSON.stringify({ ...pending, expiresAt }), CONTEXT);
}

/** One that came back. */
export type ReturnedPending = PendingReturn & { readonly expiresAt: number };

/**
 * What a cookie has, for the return that has its state; undefined where it is late, of another browser or not of ours. It spends
 * nothing: whoever sends a browser here with a state of their own ends nothing.
 */
export function readPending(
  { cookie, state }: { readonly cookie: string | undefined; readonly state: string },
  { knownBrowserKey, now }: PendingDeps,
): ReturnedPending | undefined {
  const pending = openPending(cookie, knownBrowserKey);
  return pending === undefined || pending.expiresAt <= now() || pending.state !== state ? undefined : pending;
}

/** False where it was spent before. */
export const spendPending = (
  { state, expiresAt }: ReturnedPending,
  { people }: PendingDeps,
): Promise<boolean> => people.spendChallenge(hashOfSecret(state), expiresAt);

function openPending(cookie: string | undefined, key: Buffer): ReturnedPending | undefined {
  if (cookie === undefined) return undefined;
  try {
    // Whatever opens was sealed by sealPending.
    return JSON.parse(openWith(keyOf(key), cookie, CONTEXT)) as ReturnedPending;
  } catch {
    return undefined;
  }
}

/** Another one than that of the marks of known browsers. */
const keyOf = (key: Buffer): Buffer => createHmac('sha256', key).update(CONTEXT).digest();
