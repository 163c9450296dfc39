/** Reading back what was kept of an OAuth account. */
import type { OAuthCredentials, ProviderCredentials } from '../calendars/calendar-provider.ts';

/** Throws for anything else: what is sealed under an account of a redirect sign-in has this shape. */
export function oauthCredentialsOf(kept: ProviderCredentials): OAuthCredentials {
  const { accessToken, refreshToken, expiresAt, scopes, appClientId, issuedAt } = kept;
  const isWhole =
    typeof accessToken === 'string' &&
    (refreshToken === undefined || typeof refreshToken === 'string') &&
    typeof expiresAt === 'number' &&
    Array.isArray(scopes) &&
    typeof appClientId === 'string' &&
    typeof issuedAt === 'number';
  if (!isWhole) throw new Error('The kept credentials are not those of an OAuth account');
  return {
    accessToken,
    refreshToken,
    expiresAt,
    scopes: scopes.filter((scope) => typeof scope === 'string'),
    appClientId,
    issuedAt,
  };
}
