/** The metadata of the authorization server (RFC 8414 §2). */
import { DPOP_ALGORITHMS } from './dpop-proof.ts';
import { SCOPES } from './scope.ts';

export type MetadataSubject = { readonly publicUrl: string; readonly tokenAlgorithm: 'HS256' | 'ES256' };

export function serverMetadata({ publicUrl, tokenAlgorithm }: MetadataSubject) {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/authorize`,
    token_endpoint: `${publicUrl}/token`,
    revocation_endpoint: `${publicUrl}/revoke`,
    pushed_authorization_request_endpoint: `${publicUrl}/par`,
    // Each application can require it separately (docs/operations.md).
    require_pushed_authorization_requests: false,
    // With HS256 there is no public key.
    ...(tokenAlgorithm === 'ES256' ? { jwks_uri: `${publicUrl}/.well-known/jwks.json` } : {}),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    scopes_supported: SCOPES,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    // For applications with a sender constraint (RFC 9449 §5.1).
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
  };
}
