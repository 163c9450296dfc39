/**
 * The authority users sign in at: its metadata (OpenID Connect Discovery 1.0) and the issuer of one tenant.
 * Metadata for many tenants names the issuer with `{tenantid}` in it; the ID token's `tid` fills that in.
 */
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  type JWKSCacheInput,
  jwksCache,
  processDiscoveryResponse,
} from 'oauth4webapi';

import { ProviderError } from '../../calendars/provider-error.ts';
import type { Egress } from '../../lib/egress/egress.ts';
import { egressFetch } from '../../lib/egress/egress-fetch.ts';

/** `issuer` without a trailing slash, as `https://login.microsoftonline.com/common/v2.0`. */
export type AuthorityDeps = { readonly egress: Egress; readonly issuer: string; readonly now: () => number };

export interface Authority {
  /** Kept for an hour. Fails with what the library throws, EgressError or ProviderError. */
  metadata(): Promise<AuthorizationServer>;
  /** For the library's requests. */
  readonly http: {
    readonly [customFetch]: ReturnType<typeof egressFetch>;
    readonly [allowInsecureRequests]: boolean;
    readonly [jwksCache]: JWKSCacheInput;
  };
}

const KEPT_MS = 3600 * 1000;
const TENANT = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';

export function authority({ egress, issuer, now }: AuthorityDeps): Authority {
  const { origin, protocol } = new URL(issuer);
  const http = {
    [customFetch]: egressFetch(egress),
    // Plain http is for the loopback and what the operator opened: egress refuses all else.
    [allowInsecureRequests]: protocol === 'http:',
    // One set for all tenants; the library asks anew when a token names a key that is not in it.
    [jwksCache]: {},
  };
  let kept: { readonly metadata: AuthorizationServer; readonly until: number } | undefined;

  return {
    http,
    async metadata() {
      if (kept !== undefined && now() < kept.until) return kept.metadata;
      const response = await discoveryRequest(new URL(issuer), http);
      if (response.status >= 400 && response.status < 500 && response.status !== 429)
        throw notMicrosoft('does not exist');
      const named = await issuerNamedIn(response);
      if (named !== undefined && !isIssuerAt(origin, named)) throw notMicrosoft('names a foreign issuer');
      const metadata = await processDiscoveryResponse(new URL(named ?? issuer), response);
      for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
        // The app's secret goes there: nowhere but to the host the operator named.
        if (URL.parse(metadata[endpoint] ?? '')?.origin !== origin)
          throw notMicrosoft(`has no ${endpoint} of its own`);
      }
      kept = { metadata, until: now() + KEPT_MS };
      return metadata;
    },
  };
}

/** `undefined` for an answer that the library will refuse. */
async function issuerNamedIn(response: Response): Promise<string | undefined> {
  if (response.status !== 200) return undefined;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const named = typeof body === 'object' && body !== null && 'issuer' in body ? body.issuer : undefined;
  return typeof named === 'string' ? named : undefined;
}

/** Of one tenant, or of whichever the ID token names. */
function isIssuerAt(origin: string, named: string): boolean {
  if (!named.startsWith(`${origin}/`)) return false;
  return new RegExp(`^/(?:${TENANT}|\\{tenantid\\})/v2\\.0$`, 'i').test(named.slice(origin.length));
}

/** The metadata for checking an ID token: its issuer is that of the tenant the token names. */
export function metadataFor(idToken: string | undefined, metadata: AuthorizationServer): AuthorizationServer {
  if (idToken === undefined || !metadata.issuer.includes('{tenantid}')) return metadata;
  const tenant = tenantNamedIn(idToken);
  if (tenant === undefined || !new RegExp(`^${TENANT}$`, 'i').test(tenant))
    throw new ProviderError('invalid_response', 'Microsoft names no tenant in its ID token', {
      reason: 'provider_answer_unreadable',
    });
  return { ...metadata, issuer: metadata.issuer.replace('{tenantid}', tenant) };
}

/** Read before the token is checked, to know what to check it against. */
function tenantNamedIn(idToken: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(
      Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8'),
    );
    const tenant = typeof claims === 'object' && claims !== null && 'tid' in claims ? claims.tid : undefined;
    return typeof tenant === 'string' ? tenant : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The metadata for checking a callback: an `iss` in it (RFC 9207) is one tenant's. */
export function metadataOfCallback(callback: URL, metadata: AuthorizationServer): AuthorizationServer {
  const issuer = callback.searchParams.get('iss');
  const [before = '', after] = metadata.issuer.split('{tenantid}');
  if (issuer === null || after === undefined) return metadata;
  const tenant = issuer.slice(before.length, issuer.length - after.length);
  const fits = issuer === before + tenant + after && new RegExp(`^${TENANT}$`, 'i').test(tenant);
  return fits ? { ...metadata, issuer } : metadata;
}

/**
 * Where an administrator approves the app for a whole organisation. `organizations` stands for that of whoever signs
 * in there: which one the user is of is not known when it was refused.
 */
export function adminConsentUrl(
  issuer: string,
  { clientId, redirectUri, scope }: { clientId: string; redirectUri: string; scope: string },
): URL {
  const { origin, pathname } = new URL(issuer);
  const [, path = 'common'] = pathname.split('/');
  const tenant = path === 'common' || path === 'consumers' ? 'organizations' : path;
  const url = new URL(`/${tenant}/v2.0/adminconsent`, origin);
  url.search = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri, scope }).toString();
  return url;
}

const notMicrosoft = (what: string): ProviderError =>
  new ProviderError('misconfigured', `The Microsoft issuer that is set up here ${what}`, {
    reason: 'provider_not_set_up',
  });
