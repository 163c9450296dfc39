/** The metadata of an issuer (RFC 8414 §2). */

import { DPOP_ALGORITHMS } from '../http/dpop-error.ts';
import { CLIENT_ALGORITHMS } from './client-keys.ts';
import type { Issuer } from './issuers.ts';
import { SCOPES } from './scope.ts';
import type { SigningAlgorithm } from './signing-key-store.ts';

/** At the default issuer, the methods without a key come first: some clients use the first. */
const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'];
const KEY_METHOD = 'private_key_jwt';

/** `tokenAlgorithm` is that of issuers without one of their own. */
export function serverMetadata(issuer: Issuer, tokenAlgorithm: SigningAlgorithm) {
  const { url, isStrict } = issuer;
  const methods = isStrict ? [KEY_METHOD] : [...SECRET_METHODS, KEY_METHOD];
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    revocation_endpoint: `${url}/revoke`,
    introspection_endpoint: `${url}/introspect`,
    pushed_authorization_request_endpoint: `${url}/par`,
    // At the default issuer, each application can require it separately (docs/operations.md).
    require_pushed_authorization_requests: isStrict,
    // With HS256 there is no public key.
    ...((issuer.tokenAlgorithm ?? tokenAlgorithm) === 'ES256'
      ? { jwks_uri: issuer.publicUrl + issuer.keysPath }
      : {}),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes_supported: SCOPES,
    token_endpoint_auth_methods_supported: isStrict ? methods : [...methods, 'none'],
    token_endpoint_auth_signing_alg_values_supported: CLIENT_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: isStrict ? methods : ['none', ...methods],
    revocation_endpoint_auth_signing_alg_values_supported: CLIENT_ALGORITHMS,
    introspection_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_signing_alg_values_supported: CLIENT_ALGORITHMS,
    code_challenge_methods_supported: ['S256'],
    // For applications with a sender constraint (RFC 9449 §5.1).
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    ...(isStrict && { authorization_response_iss_parameter_supported: true }),
  };
}
