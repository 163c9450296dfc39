/**
 * Limits of wrong codes at `/token`. A code's value is the user's id (docs/wire.md O2.3), so that anybody can have an
 * application present it. They are counted after the code was tried: a right one always passes.
 */
import { hash } from 'node:crypto';

import { type AttemptLimit, attemptLimit } from '../http/attempt-limit.ts';
import { tooManyAttempts } from './client-authentication.ts';
import { OAuthError } from './oauth-error.ts';

export type WrongCodeLimits = {
  /** Of one application. */
  readonly ofClient: AttemptLimit;
  /** Of one application and one value, which names a user. */
  readonly ofUser: AttemptLimit;
};

/** A code that an application presented. */
export type PresentedCode = { readonly clientId: string; readonly code: string };

/** The limits as the configuration has them. */
export function wrongCodeLimits(limits: {
  readonly wrongCodesPerMinute: number;
  readonly wrongCodesOfUserPerMinute: number;
}): WrongCodeLimits {
  return {
    ofClient: attemptLimit(limits.wrongCodesPerMinute, 60),
    ofUser: attemptLimit(limits.wrongCodesOfUserPerMinute, 60),
  };
}

/** Runs `redeem`. What it refuses counts as wrong, and is refused with 429 once there were too many. */
export async function limitWrongCodes<T>(
  redeem: () => Promise<T>,
  presented: PresentedCode,
  limits: WrongCodeLimits,
): Promise<T> {
  try {
    return await redeem();
  } catch (reason) {
    if (!(reason instanceof OAuthError)) throw reason;
    const wait = await secondsToWait(presented, limits);
    if (wait === undefined) throw reason;
    throw tooManyAttempts(wait);
  }
}

async function secondsToWait(
  { clientId, code }: PresentedCode,
  { ofClient, ofUser }: WrongCodeLimits,
): Promise<number | undefined> {
  // Over the application's limit no value is remembered: that bounds how many are.
  const wait = await ofClient(clientId);
  // A value can be as long as a body.
  return wait ?? ofUser(`${clientId} ${hash('sha256', code, 'base64url')}`);
}
