/** The contents and signing of tokens (docs/wire.md O2.4 to O2.6). */
import { hash, randomUUID } from 'node:crypto';
import { signJwt, verifyJwt } from '../lib/jwt.ts';
import type { Grant } from './grant.ts';
import { familyText, type RefreshTokenId } from './refresh-token-id.ts';
import type { Scope } from './scope.ts';
import type { SigningKeys, TokenType } from './signing-keys.ts';

/** The token response in wire names (docs/wire.md O2.6). */
export type TokenResponse = {
  readonly access_token: string;
  readonly token_type: 'Bearer' | 'DPoP';
  readonly expires_in: 3600;
  readonly refresh_token: string;
};

/** The part of a grant that its tokens contain. */
export type TokenGrant = Omit<Grant, 'coverageId'> & Bound;
/** `jkt`: the thumbprint of the key that the tokens are bound to (RFC 9449 §6). */
type Bound = { readonly jkt?: string | undefined };
/** The grant that a token names; a refresh token does not contain the scope. */
export type TokenOwner = Omit<Grant, 'scope' | 'coverageId'>;
export type RefreshTokenClaims = TokenOwner & Bound & { readonly id: RefreshTokenId };

export interface TokenSigner {
  /**
   * Signs an access token and the refresh token `refreshTokenId`. `issuedAt` is the refresh token's, in epoch
   * milliseconds (default now): with HS256, equal key, id and time give equal text.
   */
  signTokenResponse(grant: TokenGrant, refreshTokenId: RefreshTokenId, issuedAt?: number): TokenResponse;

  /** Returns the grant of an unexpired access token that Kalends signed; `undefined` for anything else. */
  readAccessToken(token: string): Promise<TokenGrant | undefined>;

  /** Returns the claims of a refresh token that Kalends signed; `undefined` for anything else. */
  readRefreshToken(token: string): Promise<RefreshTokenClaims | undefined>;

  /** Returns the grant of any token that Kalends signed, even an expired one; for /revoke. */
  readAnyToken(token: string): Promise<TokenOwner | undefined>;
}

export const ACCESS_TOKEN_SECONDS = 3600;
const VERIFIED_TOKENS_KEPT = 20_000;
/** The longest token has a user id of 512 bytes, each escaped in JSON. */
const LONGEST_TOKEN = 8192;

type Claims = {
  readonly sub: string;
  readonly aud: string;
  readonly projectId: string;
  /** The key of the token family in 12 hex digits. */
  readonly family: string;
  readonly iat: number;
  /** Present in bound tokens. */
  readonly cnf?: { readonly jkt: string };
};
/** The claims of RFC 9068 §2.2. Two tokens of the same second differ by their `jti`. */
type AccessClaims = Claims & {
  readonly client_id: string;
  readonly jti: string;
  readonly scope: Scope;
  readonly exp: number;
};
/** The content of an access token with a verified signature; `exp` is in epoch seconds. */
type VerifiedToken = { readonly grant: TokenGrant; readonly exp: number };
type RefreshClaims = Claims & { readonly type: 'refresh'; readonly jti: RefreshTokenId };

export function createTokenSigner(keys: SigningKeys, now: () => number): TokenSigner {
  const verifiedTokens = new Map<string, VerifiedToken>();
  const seconds = (at = now()) => Math.floor(at / 1000);

  const sign = (type: TokenType, claims: object) => {
    const { key, header } = keys.signing(type);
    return signJwt(header, claims, key);
  };

  /** Returns the claims and the type of a token that Kalends signed. */
  const open = async (token: string): Promise<{ type: TokenType; claims: unknown } | undefined> => {
    if (token.length > LONGEST_TOKEN) return undefined;
    const tokenKey = await keys.find(token.slice(0, token.indexOf('.')));
    if (tokenKey === undefined) return undefined;
    const claims = verifyJwt(token, tokenKey.key);
    return claims === undefined ? undefined : { type: tokenKey.type, claims };
  };

  const verify = async (token: string, key: string): Promise<VerifiedToken | undefined> => {
    const signedToken = await open(token);
    if (signedToken?.type !== 'at+jwt') return undefined;
    // Only signTokenResponse creates tokens of this type under these keys.
    const claims = signedToken.claims as AccessClaims;
    const { scope, exp } = claims;
    const verifiedToken = { grant: { ...readOwner(claims), scope, jkt: claims.cnf?.jkt }, exp };
    if (verifiedTokens.size >= VERIFIED_TOKENS_KEPT)
      verifiedTokens.delete(verifiedTokens.keys().next().value ?? '');
    verifiedTokens.set(key, verifiedToken);
    return verifiedToken;
  };

  return {
    signTokenResponse(grant, refreshTokenId, issuedAt) {
      const iat = seconds();
      const { familyId, clientId, userId, scope, jkt } = grant;
      const bound = jkt === undefined ? {} : { cnf: { jkt } };
      const common = { sub: userId, aud: clientId, projectId: clientId, family: familyText(familyId), iat };
      // Node generates the randomness of many of these at once: they cost less than a tenth of the signature.
      const payload = { ...common, client_id: clientId, jti: randomUUID() };
      const access: AccessClaims = { ...payload, scope, exp: iat + ACCESS_TOKEN_SECONDS, ...bound };
      const ofRefresh = { ...common, iat: issuedAt === undefined ? iat : seconds(issuedAt) };
      const refresh: RefreshClaims = { ...ofRefresh, type: 'refresh', jti: refreshTokenId, ...bound };
      return {
        access_token: sign('at+jwt', access),
        token_type: jkt === undefined ? 'Bearer' : 'DPoP',
        expires_in: ACCESS_TOKEN_SECONDS,
        refresh_token: sign('rt+jwt', refresh),
      };
    },
    async readAccessToken(token) {
      const key = hash('sha256', token, 'base64url');
      const cached = verifiedTokens.get(key) ?? (await verify(token, key));
      return cached !== undefined && cached.exp > seconds() ? cached.grant : undefined;
    },
    async readRefreshToken(token) {
      const signedToken = await open(token);
      if (signedToken?.type !== 'rt+jwt') return undefined;
      // Only signTokenResponse creates tokens of this type under these keys.
      const claims = signedToken.claims as RefreshClaims;
      return { ...readOwner(claims), id: claims.jti, jkt: claims.cnf?.jkt };
    },
    async readAnyToken(token) {
      const signedToken = await open(token);
      // Both types carry the common claims.
      return signedToken && readOwner(signedToken.claims as Claims);
    },
  };
}

function readOwner({ family, aud, sub }: Claims): TokenOwner {
  return { familyId: Number.parseInt(family, 16), clientId: aud, userId: sub };
}
