/**
 * Limits wrong codes at `/token`. A code's value is the user's id (docs/wire.md O2.3), so anybody can make an
 * application present it. Codes are counted after they are tried: a right one always passes.
 */
import { hash } from 'node:crypto';

import { type AttemptLimit, attemptLimit } from '../http/attempt-limit.ts';
import { tooManyAttempts } from './client-authentication.ts';
import { OAuthError } from './oauth-error.ts';

export type WrongCodeLimits = {
  /** The limit of one application. */
  readonly ofClient: AttemptLimit;
  /** The limit of one application and one value, which names a user. */
  readonly ofUser: AttemptLimit;
};

/** A code that an application presented. */
export type PresentedCode = { readonly clientId: string; readonly code: string };

/** Returns the limits of the configuration. */
export function wrongCodeLimits(limits: {
  readonly wrongCodesPerMinute: number;
  readonly wrongCodesOfUserPerMinute: number;
}): WrongCodeLimits {
  return {
    ofClient: attemptLimit(limits.wrongCodesPerMinute, 60),
    ofUser: attemptLimit(limits.wrongCodesOfUserPerMinute, 60),
  };
}

/** Runs `redeem`. An OAuthError counts as a wrong code, and becomes 429 after too many. */
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
  // Over the application's limit no value is stored, which bounds their number.
  const wait = await ofClient(clientId);
  // A value can be as long as a body.
  return wait ?? ofUser(`${clientId} ${hash('sha256', code, 'base64url')}`);
}
