/** The contents and signing of tokens (docs/wire.md O2.4 to O2.6). */
import { hash, randomUUID } from 'node:crypto';
import { signJwt, verifyJwt } from '../lib/jwt.ts';
import type { Client } from './client.ts';
import type { Grant } from './grant.ts';
import { createIssuer, type Issuer, issuerOf } from './issuers.ts';
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

/** The response to `client_credentials` (RFC 6749 §4.4.3). */
export type ApplicationTokenResponse = {
  readonly access_token: string;
  readonly token_type: TokenResponse['token_type'];
  readonly expires_in: 600;
  readonly scope: typeof APPLICATION_SCOPE;
};

/** The part of a grant that its tokens contain. */
export type TokenGrant = Omit<Grant, 'coverageId'> &
  Bound & {
    /** The audience of its tokens, if it is not the application (RFC 8707). */
    readonly resource?: string | undefined;
  };
/** `jkt`: the thumbprint of the key that the tokens are bound to (RFC 9449 §6). */
type Bound = { readonly jkt?: string | undefined };
/** The grant that a token names; a refresh token does not contain the scope. */
export type TokenOwner = Omit<Grant, 'scope' | 'coverageId'>;
export type RefreshTokenClaims = TokenOwner &
  Pick<TokenGrant, 'resource' | 'jkt'> & { readonly id: RefreshTokenId };
/** The claims of a token. A refresh token has neither `scope` nor `exp`. Times are epoch seconds. */
export type IssuedClaims = Pick<Claims, 'sub' | 'aud' | 'iat'> &
  Partial<Pick<AccessClaims, 'scope' | 'exp'>> & {
    readonly jti: string;
    /** The key to which the token is bound (RFC 7800). */
    readonly cnf?: object;
  };
export type IssuedToken = TokenOwner & { readonly type: TokenType; readonly claims: IssuedClaims };

export interface TokenSigner {
  /** Returns the signer for the tokens of an issuer. All signers read the tokens of all issuers. */
  at(issuer: Issuer): TokenSigner;

  /** Makes the key of the issuer's tokens available. To be called before a code or a refresh token is used up. */
  prepare(): Promise<void> | undefined;

  /**
   * Signs an access token and the refresh token `refreshTokenId`. `issuedAt` is the refresh token's, in epoch
   * milliseconds (default now): with HS256, equal key, id and time give equal text.
   */
  signTokenResponse(grant: TokenGrant, refreshTokenId: RefreshTokenId, issuedAt?: number): TokenResponse;

  /** Returns the grant of an unexpired access token that Kalends signed; `undefined` for anything else. */
  readAccessToken(token: string): Promise<TokenGrant | undefined>;

  /** Returns the claims of a refresh token that Kalends signed; `undefined` for anything else. */
  readRefreshToken(token: string): Promise<RefreshTokenClaims | undefined>;

  /** Signs a token with which an application calls for itself. It belongs to no grant. */
  signApplicationToken(clientId: string, jkt: string | undefined): ApplicationTokenResponse;

  /** Returns the claims of an unexpired application token that Kalends signed; `undefined` for anything else. */
  readApplicationToken(token: string): Promise<ApplicationClaims | undefined>;

  /** Returns the grant of a token of a user that Kalends signed, even an expired one; for /revoke. */
  readAnyToken(token: string): Promise<TokenOwner | undefined>;

  /** Returns a token of a user that Kalends signed, even an expired one, with its claims; for /introspect. */
  readIssuedToken(token: string): Promise<IssuedToken | undefined>;
}

export const ACCESS_TOKEN_SECONDS = 3600;
/** The scope of application tokens, which no user can grant. */
export const APPLICATION_SCOPE = 'application';
const APPLICATION_TOKEN_SECONDS = 600;
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
/** The claims of an application token, which has no grant. */
export type ApplicationClaims = Omit<AccessClaims, 'family' | 'projectId' | 'scope'> & {
  readonly scope: typeof APPLICATION_SCOPE;
};
type RefreshClaims = Claims & { readonly type: 'refresh'; readonly jti: RefreshTokenId };

/** Creates the signer of the default issuer, or that of `issuer`. */
export function createTokenSigner(keys: SigningKeys, now: () => number, issuer?: Issuer): TokenSigner {
  const { tokenAlgorithm } = issuer ?? {};
  const verifiedTokens = new Map<string, VerifiedToken>();
  const seconds = (at = now()) => Math.floor(at / 1000);

  const sign = (type: TokenType, claims: object) => {
    const { key, header } = keys.signing(type, tokenAlgorithm);
    return signJwt(header, claims, key);
  };

  /** Returns the claims and the type of a token that Kalends signed. With `only`, others are not verified. */
  const open = async (
    token: string,
    only?: TokenType,
  ): Promise<{ type: TokenType; claims: unknown } | undefined> => {
    if (token.length > LONGEST_TOKEN) return undefined;
    const tokenKey = await keys.find(token.slice(0, token.indexOf('.')));
    if (tokenKey === undefined || (only ?? tokenKey.type) !== tokenKey.type) return undefined;
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

  const signer: TokenSigner = {
    at: (other) =>
      other.name === (issuer?.name ?? 'default') ? signer : createTokenSigner(keys, now, other),
    prepare: () => (tokenAlgorithm === undefined ? undefined : keys.prepare(tokenAlgorithm)),
    signTokenResponse(grant, refreshTokenId, issuedAt) {
      const iat = seconds();
      const { familyId, clientId, userId, scope, jkt, resource: aud = clientId } = grant;
      const bound = jkt === undefined ? {} : { cnf: { jkt } };
      const common = { sub: userId, aud, projectId: clientId, family: familyText(familyId), iat };
      // Node generates the randomness of many of these at once: they cost less than a tenth of the signature.
      const payload = { ...common, client_id: clientId, jti: randomUUID() };
      const access: AccessClaims = { ...payload, scope, exp: iat + ACCESS_TOKEN_SECONDS, ...bound };
      const ofRefresh = { ...common, iat: issuedAt === undefined ? iat : seconds(issuedAt) };
      const refresh: RefreshClaims = { ...ofRefresh, type: 'refresh', jti: refreshTokenId, ...bound };
      return {
        access_token: sign('at+jwt', issuer?.hasIss ? { ...access, iss: issuer.url } : access),
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
      const owner = readOwner(claims);
      const resource = claims.aud === owner.clientId ? {} : { resource: claims.aud };
      return { ...owner, ...resource, id: claims.jti, jkt: claims.cnf?.jkt };
    },
    async readAnyToken(token) {
      const signedToken = await open(token);
      if (signedToken === undefined || signedToken.type === 'app+jwt') return undefined;
      // Both other types carry the common claims.
      return readOwner(signedToken.claims as Claims);
    },
    ...applicationTokens({ sign, open, seconds, issuer }),
    async readIssuedToken(token) {
      const signedToken = await open(token);
      if (signedToken === undefined || signedToken.type === 'app+jwt') return undefined;
      // Only signTokenResponse creates tokens of the other types.
      const claims = signedToken.claims as AccessClaims | RefreshClaims;
      return { ...readOwner(claims), type: signedToken.type, claims };
    },
  };
  return signer;
}

type SignerParts = {
  readonly sign: (type: TokenType, claims: object) => string;
  readonly open: (
    token: string,
    only?: TokenType,
  ) => Promise<{ type: TokenType; claims: unknown } | undefined>;
  /** Returns the time in epoch seconds. */
  readonly seconds: () => number;
  readonly issuer: Issuer | undefined;
};

/** Returns the methods for application tokens. */
const applicationTokens = ({
  sign,
  open,
  seconds,
  issuer,
}: SignerParts): Pick<TokenSigner, 'signApplicationToken' | 'readApplicationToken'> => ({
  signApplicationToken(clientId, jkt) {
    const iat = seconds();
    const times = { iat, exp: iat + APPLICATION_TOKEN_SECONDS };
    const owner = { sub: clientId, aud: clientId, client_id: clientId };
    const facts = { ...owner, ...times, scope: APPLICATION_SCOPE, jti: randomUUID() } as const;
    const claims: ApplicationClaims = { ...facts, ...(jkt !== undefined && { cnf: { jkt } }) };
    return {
      access_token: sign('app+jwt', issuer?.hasIss ? { ...claims, iss: issuer.url } : claims),
      token_type: jkt === undefined ? 'Bearer' : 'DPoP',
      ...{ expires_in: APPLICATION_TOKEN_SECONDS, scope: APPLICATION_SCOPE },
    };
  },
  async readApplicationToken(token) {
    const signedToken = await open(token, 'app+jwt');
    if (signedToken === undefined) return undefined;
    const claims = signedToken.claims as ApplicationClaims; // only signApplicationToken creates it
    return claims.exp > seconds() ? claims : undefined;
  },
});

/** Returns the signer of an application's issuer, with its key. */
export async function signerOf(
  client: Client,
  { signer, publicUrl }: { readonly signer: TokenSigner; readonly publicUrl: string },
): Promise<TokenSigner> {
  const ownSigner = signer.at(createIssuer(issuerOf(client), publicUrl));
  await ownSigner.prepare();
  return ownSigner;
}

/** The application is never read from `aud`, which can be a resource. */
function readOwner(claims: Claims | AccessClaims): TokenOwner {
  const clientId = 'client_id' in claims ? claims.client_id : claims.projectId;
  return { familyId: Number.parseInt(claims.family, 16), clientId, userId: claims.sub };
}
