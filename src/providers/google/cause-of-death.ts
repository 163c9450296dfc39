/** Why a refresh token of Google's is dead, as far as its age tells: Google says `invalid_grant` for everything. */
import type { OAuthCredentials } from '../../calendars/calendar-provider.ts';
import type { HealthReason } from '../../calendars/health-reason.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TEST_LIFETIME = 7 * DAY;
/** An access token is renewed hourly while an account is used. */
const ACCESS_LIFETIME = HOUR;

/**
 * An app in Testing status loses its refresh tokens seven days after they were issued. One that was found dead within
 * an hour of that moment, or over it between two renewals at most a day apart, died of it; of any other nothing is known
 * but that the user must sign in again.
 */
export function causeOfDeath(
  { issuedAt, expiresAt }: Pick<OAuthCredentials, 'issuedAt' | 'expiresAt'>,
  now: number,
): { readonly reason: HealthReason; readonly message: string } {
  const age = now - issuedAt;
  const lastAlive = expiresAt - ACCESS_LIFETIME - issuedAt;
  const foundInTime = Math.abs(age - TEST_LIFETIME) <= HOUR;
  const diedOverIt =
    lastAlive <= TEST_LIFETIME + HOUR && age >= TEST_LIFETIME - HOUR && age - lastAlive <= DAY;
  if (foundInTime || diedOverIt)
    return {
      reason: 'google_testing_expired',
      message:
        'Google ended the access after seven days, as it does for apps in Testing status: publish the app at Google',
    };
  return { reason: 'access_revoked', message: 'Google no longer accepts this sign-in: sign in again' };
}
