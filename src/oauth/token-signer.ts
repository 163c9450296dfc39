/** What tokens say and who signs them (requirement §2.4 to §2.6). */
import type { Grant } from './grant.ts';
import type { RefreshTokenId } from './refresh-token-id.ts';

/** The token endpoint's answer, with the wire's own names (requirement §2.6). */
export type TokenResponse = {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: 3600;
  readonly refresh_token: string;
};

export type RefreshTokenClaims = Omit<Grant, 'scope'> & { readonly id: RefreshTokenId };

export interface TokenSigner {
  /** A new access token for the grant, beside the refresh token with the id `refreshTokenId`. */
  signTokenResponse(grant: Grant, refreshTokenId: RefreshTokenId): Promise<TokenResponse>;

  /** The grant that an unexpired access token of ours names; `undefined` for anything else. */
  readAccessToken(token: string): Promise<Grant | undefined>;

  /** The claims of a refresh token of ours; `undefined` for anything else. */
  readRefreshToken(token: string): Promise<RefreshTokenClaims | undefined>;

  /** The grant that any token of ours names, expired ones too; for /revoke. */
  readAnyToken(token: string): Promise<Omit<Grant, 'scope'> | undefined>;
}
