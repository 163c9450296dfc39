/**
 * The state of a single sign-on, sealed in the browser's cookie, so that no other browser can finish it. Nothing is
 * stored until the browser returns; then its state is stored as used.
 */
import { createHmac } from 'node:crypto';

import { hashOfSecret, openWith, sealWith } from '../lib/sealing.ts';
import type { PendingSignIn } from './identity-provider.ts';
import type { PasskeyStore } from './passkey-store.ts';

export const PENDING_SECONDS = 10 * 60;

/** The purpose of a sign-in. It has the session's id, because a return from another site sends no session cookie. */
export type SignInPurpose =
  | { readonly for: 'sign_in' }
  | { readonly for: 'join'; readonly token: string; readonly name: string; readonly login: string }
  | { readonly for: 'confirm' | 'connect'; readonly personId: string; readonly sessionId: string };

export type PendingReturn = PendingSignIn & {
  readonly purpose: SignInPurpose;
  /** The key that counts the return. It comes from cookies that a return from another site does not send. */
  readonly countedFor: string;
  /** The path to open afterwards. */
  readonly next: string;
};

export type PendingDeps = {
  readonly people: Pick<PasskeyStore, 'spendChallenge'>;
  readonly knownBrowserKey: Buffer;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

const CONTEXT = 'single sign-on';

/** Returns the content of the browser's cookie. */
export function sealPending(pending: PendingReturn, { knownBrowserKey, now }: PendingDeps): string {
  const expiresAt = now() + PENDING_SECONDS * 1000;
  return sealWith(derivePendingKey(knownBrowserKey), JSON.stringify({ ...pending, expiresAt }), CONTEXT);
}

/** A pending sign-in whose browser has returned. */
export type ReturnedPending = PendingReturn & { readonly expiresAt: number };

/**
 * Opens the cookie of a return with this state. Returns undefined if it has expired, is another browser's or was not
 * sealed here. It marks nothing as used: a link with a foreign state ends no flow.
 */
export function readPending(
  { cookie, state }: { readonly cookie: string | undefined; readonly state: string },
  { knownBrowserKey, now }: PendingDeps,
): ReturnedPending | undefined {
  const pending = openPending(cookie, knownBrowserKey);
  return pending === undefined || pending.expiresAt <= now() || pending.state !== state ? undefined : pending;
}

/** Marks the state as used. Returns false if it was used before. */
export const spendPending = (
  { state, expiresAt }: ReturnedPending,
  { people }: PendingDeps,
): Promise<boolean> => people.spendChallenge(hashOfSecret(state), expiresAt);

function openPending(cookie: string | undefined, key: Buffer): ReturnedPending | undefined {
  if (cookie === undefined) return undefined;
  try {
    // Only sealPending seals texts with this key and context.
    return JSON.parse(openWith(derivePendingKey(key), cookie, CONTEXT)) as ReturnedPending;
  } catch {
    return undefined;
  }
}

/** Derives a key that differs from the one of known browsers. */
const derivePendingKey = (key: Buffer): Buffer => createHmac('sha256', key).update(CONTEXT).digest();
