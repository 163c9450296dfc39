/** An OpenID provider's authorization server: its metadata (OpenID Connect Discovery 1.0), cached for an hour. */
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
import { accountEgress, type EgressUser } from '../../lib/egress/account-egress.ts';
import type { Egress } from '../../lib/egress/egress.ts';
import { egressFetch } from '../../lib/egress/egress-fetch.ts';

export type OpenIdDeps = {
  readonly egress: Egress;
  /** Without a trailing slash. */
  readonly issuer: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export type ServerFacts = {
  /** The provider's name in messages. */
  readonly name: string;
  /** Returns the issuer that the metadata may name, if it can differ from the configured one. */
  readonly issuerIn?: (response: Response, configured: URL) => Promise<URL>;
  /** Whether all endpoints must be at the issuer's origin, so that the app's secret is sent nowhere else. */
  readonly requiresSameOrigin?: boolean;
};

export interface OpenIdServer {
  /** Throws the library's errors, EgressError or ProviderError. */
  metadata(user?: EgressUser): Promise<AuthorizationServer>;
  /** Returns options for the library's requests, which count for `user`. */
  http(user?: EgressUser): {
    readonly [customFetch]: ReturnType<typeof egressFetch>;
    readonly [allowInsecureRequests]: boolean;
    readonly [jwksCache]: JWKSCacheInput;
  };
}

const METADATA_MS = 3_600_000;
/** Endpoints that are used without further checks. */
const REQUIRED_ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

export function openIdServer(facts: ServerFacts, { egress, issuer, now }: OpenIdDeps): OpenIdServer {
  const url = new URL(issuer);
  // The library caches the keys here, and fetches them again if a token names an unknown one.
  const keys = {};
  const http = (user?: EgressUser) => ({
    [customFetch]: egressFetch(accountEgress(egress, user)),
    // Egress allows plain http only for addresses that the operator opened.
    [allowInsecureRequests]: url.protocol === 'http:',
    [jwksCache]: keys,
  });
  let cached: { readonly metadata: AuthorizationServer; readonly until: number } | undefined;
  return {
    http,
    async metadata(user) {
      if (cached !== undefined && now() < cached.until) return cached.metadata;
      const response = await discoveryRequest(url, http(user));
      const expected = (await facts.issuerIn?.(response, url)) ?? url;
      const metadata = await processDiscoveryResponse(expected, response).catch((failure: unknown) => {
        // The library does not catch this TypeError.
        const isNoUrl =
          failure instanceof TypeError && 'code' in failure && failure.code === 'ERR_INVALID_URL';
        throw isNoUrl ? badIssuer(facts, 'names no issuer', failure) : failure;
      });
      checkEndpoints(metadata, url, facts);
      cached = { metadata, until: now() + METADATA_MS };
      return metadata;
    },
  };
}

function checkEndpoints(metadata: AuthorizationServer, { origin }: URL, facts: ServerFacts): void {
  for (const endpoint of REQUIRED_ENDPOINTS) {
    const url = URL.parse(String(metadata[endpoint]));
    if (url === null) throw badIssuer(facts, `has no ${endpoint}`);
    if (facts.requiresSameOrigin && url.origin !== origin)
      throw badIssuer(facts, `has no ${endpoint} of its own`);
  }
}

/** Returns the error for a misconfigured issuer. `what` completes the sentence. */
export const badIssuer = (
  { name }: Pick<ServerFacts, 'name'>,
  what: string,
  cause?: unknown,
): ProviderError =>
  new ProviderError('misconfigured', `The ${name} issuer that is set up here ${what}`, {
    cause,
    reason: 'provider_not_set_up',
  });
