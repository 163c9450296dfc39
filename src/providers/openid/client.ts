/** Who we are to an OpenID provider, and what is kept of its token answers. */
import { type Client, clockSkew, clockTolerance, type TokenEndpointResponse } from 'oauth4webapi';

import type { ProviderApp } from '../../calendars/calendar-provider.ts';
import { secondsAhead } from '../../lib/clock-skew.ts';

/** Seconds by which a provider's clock and ours may differ. */
const TOLERANCE = 300;

/** The library reads the system's clock, where ours can be another one: it is told by how much. */
export const clientOf = ({ clientId }: ProviderApp, now: number): Client => ({
  client_id: clientId,
  id_token_signed_response_alg: 'RS256',
  [clockSkew]: secondsAhead(now),
  [clockTolerance]: TOLERANCE,
});

/** As a token answer lists them. */
export const parseScopes = (text: string): string[] => text.split(' ').filter((scope) => scope !== '');

/** RFC 6749 §5.1 lets the lifetime out; access tokens live for an hour at least, with Google and with Microsoft. */
const ACCESS_SECONDS = 3600;

export const accessOf = (tokens: TokenEndpointResponse, now: number) => ({
  accessToken: tokens.access_token,
  expiresAt: now + (tokens.expires_in ?? ACCESS_SECONDS) * 1000,
});

export const refreshOf = (tokens: TokenEndpointResponse, now: number) => ({
  refreshToken: tokens.refresh_token,
  issuedAt: now,
});
