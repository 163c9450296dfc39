/** The client that an OpenID provider knows, and what is stored of its token responses. */
import type { Client, TokenEndpointResponse } from 'oauth4webapi';

import type { ProviderApp } from '../../calendars/calendar-provider.ts';
import { clockOptions } from '../../lib/clock-skew.ts';

export const clientOf = ({ clientId }: ProviderApp, now: number): Client => ({
  client_id: clientId,
  id_token_signed_response_alg: 'RS256',
  ...clockOptions(now),
});

/** As a token answer lists them. */
export const parseScopes = (text: string): string[] => text.split(' ').filter((scope) => scope !== '');

/** RFC 6749 §5.1 makes `expires_in` optional. Access tokens of Google and Microsoft live for an hour at least. */
const ACCESS_SECONDS = 3600;

export const accessOf = (tokens: TokenEndpointResponse, now: number) => ({
  accessToken: tokens.access_token,
  expiresAt: now + (tokens.expires_in ?? ACCESS_SECONDS) * 1000,
});

export const refreshOf = (tokens: TokenEndpointResponse, now: number) => ({
  refreshToken: tokens.refresh_token,
  issuedAt: now,
});
