/** Limits wrong codes at `/token`, since codes are user ids (docs/wire.md O2.3). A correct code always passes. */
import { hash } from 'node:crypto';
import { type AttemptLimit, attemptLimit } from '../http/attempt-limit.ts';
import { ownLimits } from '../http/shared-attempts.ts';
import { tooManyAttempts } from './client-authentication.ts';
import { OAuthError } from './oauth-error.ts';

export type WrongCodeLimits = {
  readonly ofClient: AttemptLimit;
  /** The limit of one application and one code, which is a user's id. */
  readonly ofUser: AttemptLimit;
};

export type PresentedCode = { readonly clientId: string; readonly code: string };

type Limits = { readonly wrongCodesPerMinute: number; readonly wrongCodesOfUserPerMinute: number };

/** The limit of users is shared by all instances. */
export const wrongCodeLimits = (limits: Limits, createLimit = ownLimits): WrongCodeLimits => ({
  ofClient: attemptLimit(limits.wrongCodesPerMinute, 60),
  ofUser: createLimit('wrong_code', { attempts: limits.wrongCodesOfUserPerMinute, seconds: 60 }),
});

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
  // If the application's limit is exceeded, no code is stored, which bounds their number.
  const wait = await ofClient(clientId);
  // A value can be as long as a body.
  return wait ?? ofUser(`${clientId} ${hash('sha256', code, 'base64url')}`);
}
