/** OpenID Connect discovery (§4.2) at `/{tenant}/v2.0/.well-known/openid-configuration`. */
import { issuerAt, type TenantPath } from './tenant.ts';

export function metadataAt(origin: string, tenant: TenantPath): Record<string, unknown> {
  const endpoints = `${origin}/${tenant}/oauth2/v2.0`;
  return {
    token_endpoint: `${endpoints}/token`,
    token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
    jwks_uri: `${origin}/${tenant}/discovery/v2.0/keys`,
    response_modes_supported: ['query', 'fragment', 'form_post'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    // At `common` literally with `{tenantid}`: no client can compare it with the `iss` of an ID token as it stands.
    issuer: issuerAt(origin, tenant),
    request_uri_parameter_supported: false,
    userinfo_endpoint: `${origin}/oidc/userinfo`,
    authorization_endpoint: `${endpoints}/authorize`,
    http_logout_supported: true,
    frontchannel_logout_supported: true,
    claims_supported: [
      'sub',
      'iss',
      'aud',
      'exp',
      'iat',
      'nonce',
      'preferred_username',
      'name',
      'tid',
      'ver',
      'email',
    ],
    tenant_region_scope: null,
    cloud_instance_name: 'microsoftonline.com',
    msgraph_host: new URL(origin).host,
  };
}
