/** Token introspection (RFC 7662): an application learns the state of its own tokens. */
import type { Client } from './client.ts';
import type { Issuer } from './issuers.ts';
import { AUTHORIZATION, OAuthError } from './oauth-error.ts';
import { refreshExpiry } from './refresh-token-grant.ts';
import type { RefreshTokenId } from './refresh-token-id.ts';
import type { TokenFamilyStore } from './token-family-store.ts';
import type { IssuedClaims, IssuedToken, TokenSigner } from './token-signer.ts';

export type IntrospectionDeps = {
  readonly families: Pick<TokenFamilyStore, 'findLivingGrant' | 'findDatedGrant'>;
  readonly signer: Pick<TokenSigner, 'readIssuedToken' | 'readApplicationToken'>;
  /** The issuer of the tokens. */
  readonly issuer: Issuer;
  readonly now: () => number;
};

/** The response in wire names (RFC 7662 §2.2). `exp` is undefined for a refresh token without a lifetime. */
export type Introspection =
  | { readonly active: false }
  | (Omit<IssuedClaims, 'scope'> & {
      readonly active: true;
      readonly scope?: string;
      readonly client_id: string;
      readonly iss: string;
      /** Undefined for a refresh token: no resource may accept it. */
      readonly token_type?: 'Bearer' | 'DPoP';
    });

const INACTIVE = { active: false } as const;

/**
 * Describes a token of `client`. All others are inactive: foreign, forged, expired, revoked or rotated. Throws OAuthError
 * `unauthorized_client` for a public application, which anyone can claim to be.
 */
export async function introspectToken(
  { token, client }: { readonly token: string; readonly client: Client },
  deps: IntrospectionDeps,
): Promise<Introspection> {
  if (client.clientAuthentication === 'none')
    throw new OAuthError(AUTHORIZATION.unauthorized_client, 'A public application cannot introspect tokens');
  const issued = await deps.signer.readIssuedToken(token);
  if (issued === undefined) return applicationState(token, client, deps);
  if (issued.clientId !== client.clientId) return INACTIVE;
  const state =
    issued.type === 'at+jwt' ? await accessState(issued, deps) : await refreshState(issued, client, deps);
  // A new family may, very rarely, have the key of a deleted one.
  if (state?.grant.clientId !== issued.clientId || state.grant.userId !== issued.userId) return INACTIVE;
  const { sub, aud, iat, jti, cnf } = issued.claims;
  const { exp, tokenType } = state;
  if (tokenType !== undefined && isRefused(cnf, client)) return INACTIVE;
  const times = { ...(exp !== undefined && { exp }), iat };
  const kind = { ...(tokenType && { token_type: cnf ? ('DPoP' as const) : tokenType }), ...(cnf && { cnf }) };
  const owner = { client_id: issued.clientId, sub, aud, iss: deps.issuer.url };
  return { active: true, scope: state.grant.scope, ...owner, ...times, jti, ...kind };
}

/** Describes an application token, which ends if the application changes its authentication. */
async function applicationState(
  token: string,
  client: Client,
  deps: IntrospectionDeps,
): Promise<Introspection> {
  const claims = await deps.signer.readApplicationToken(token);
  if (claims?.client_id !== client.clientId || client.clientAuthentication !== 'private_key_jwt')
    return INACTIVE;
  if (isRefused(claims.cnf, client)) return INACTIVE;
  return { active: true, ...claims, iss: deps.issuer.url, token_type: claims.cnf ? 'DPoP' : 'Bearer' };
}

/** Returns whether an access token is refused because the application requires bound ones. */
const isRefused = (cnf: object | undefined, { senderConstraint }: Client): boolean =>
  cnf === undefined && senderConstraint === 'required';

async function accessState({ claims: { exp = 0 }, familyId }: IssuedToken, deps: IntrospectionDeps) {
  if (exp <= Math.floor(deps.now() / 1000)) return undefined;
  const grant = await deps.families.findLivingGrant(familyId);
  return grant && { grant, exp, tokenType: 'Bearer' as const };
}

async function refreshState({ claims }: IssuedToken, client: Client, deps: IntrospectionDeps) {
  // Only refresh tokens reach this, and their `jti` is their id.
  const id = claims.jti as RefreshTokenId;
  const grant = await deps.families.findDatedGrant([id]);
  if (grant?.current !== id) return undefined;
  const expiry = refreshExpiry(grant, client);
  if (expiry !== undefined && expiry <= deps.now()) return undefined;
  return { grant, exp: expiry && Math.floor(expiry / 1000), tokenType: undefined };
}
