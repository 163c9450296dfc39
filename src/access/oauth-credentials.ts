import type { OAuthCredentials, ProviderCredentials } from '../calendars/calendar-provider.ts';

/** Parses the stored credentials of an OAuth account. Throws for any other shape. */
export function parseOAuthCredentials(credentials: ProviderCredentials): OAuthCredentials {
  const { accessToken, refreshToken, expiresAt, scopes, appClientId, issuedAt } = credentials;
  const isWhole =
    typeof accessToken === 'string' &&
    (refreshToken === undefined || typeof refreshToken === 'string') &&
    typeof expiresAt === 'number' &&
    Array.isArray(scopes) &&
    typeof appClientId === 'string' &&
    typeof issuedAt === 'number';
  if (!isWhole) throw new Error('The stored credentials are not those of an OAuth account');
  return {
    accessToken,
    refreshToken,
    expiresAt,
    scopes: scopes.filter((scope) => typeof scope === 'string'),
    appClientId,
    issuedAt,
  };
}
