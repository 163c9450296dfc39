/** The metadata of an issuer (RFC 8414 §2). */
import type { Issuer } from './issuers.ts';
import { SCOPES } from './scope.ts';
import type { SigningAlgorithm } from './signing-key-store.ts';

/** `tokenAlgorithm` is that of issuers without one of their own. */
export function serverMetadata(issuer: Issuer, tokenAlgorithm: SigningAlgorithm) {
  const { url, isStrict } = issuer;
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    revocation_endpoint: `${url}/revoke`,
    pushed_authorization_request_endpoint: `${url}/par`,
    // At the default issuer, each application can require it separately (docs/operations.md).
    require_pushed_authorization_requests: isStrict,
    // With HS256 there is no public key.
    ...((issuer.tokenAlgorithm ?? tokenAlgorithm) === 'ES256'
      ? { jwks_uri: issuer.publicUrl + issuer.keysPath }
      : {}),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      ...(isStrict ? ['client_credentials'] : []),
    ],
    scopes_supported: SCOPES,
    token_endpoint_auth_methods_supported: isStrict
      ? STRICT_METHODS
      : ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: isStrict ? STRICT_METHODS : ['none'],
    code_challenge_methods_supported: ['S256'],
    ...(isStrict && {
      introspection_endpoint: `${url}/introspect`,
      introspection_endpoint_auth_methods_supported: STRICT_METHODS,
      token_endpoint_auth_signing_alg_values_supported: CLIENT_ALGORITHMS,
      revocation_endpoint_auth_signing_alg_values_supported: CLIENT_ALGORITHMS,
      introspection_endpoint_auth_signing_alg_values_supported: CLIENT_ALGORITHMS,
      dpop_signing_alg_values_supported: CLIENT_ALGORITHMS,
      authorization_response_iss_parameter_supported: true,
    }),
  };
}

const STRICT_METHODS = ['private_key_jwt'];
/** The algorithms of client assertions and DPoP proofs. `Ed25519` (RFC 9864) and `EdDSA` name the same one. */
const CLIENT_ALGORITHMS = ['ES256', 'PS256', 'Ed25519', 'EdDSA'];
