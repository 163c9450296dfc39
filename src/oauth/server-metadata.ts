/** The metadata of the authorization server (RFC 8414 §2). */
import { CLIENT_ALGORITHMS } from './client-keys.ts';
import { SCOPES } from './scope.ts';

export type MetadataSubject = { readonly publicUrl: string; readonly tokenAlgorithm: 'HS256' | 'ES256' };

const AUTHENTICATION_METHODS = ['client_secret_basic', 'client_secret_post'];
/** Client authentication without a secret, which the first ones stay ahead of: some clients use the first. */
const KEY = 'private_key_jwt';

export function serverMetadata({ publicUrl, tokenAlgorithm }: MetadataSubject) {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/authorize`,
    token_endpoint: `${publicUrl}/token`,
    revocation_endpoint: `${publicUrl}/revoke`,
    introspection_endpoint: `${publicUrl}/introspect`,
    pushed_authorization_request_endpoint: `${publicUrl}/par`,
    // Each application can require it separately (docs/operations.md).
    require_pushed_authorization_requests: false,
    // With HS256 there is no public key.
    ...(tokenAlgorithm === 'ES256' ? { jwks_uri: `${publicUrl}/.well-known/jwks.json` } : {}),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes_supported: SCOPES,
    token_endpoint_auth_methods_supported: [...AUTHENTICATION_METHODS, KEY, 'none'],
    token_endpoint_auth_signing_alg_values_supported: CLIENT_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: ['none', ...AUTHENTICATION_METHODS, KEY],
    revocation_endpoint_auth_signing_alg_values_supported: CLIENT_ALGORITHMS,
    introspection_endpoint_auth_methods_supported: [...AUTHENTICATION_METHODS, KEY],
    introspection_endpoint_auth_signing_alg_values_supported: CLIENT_ALGORITHMS,
    code_challenge_methods_supported: ['S256'],
  };
}
