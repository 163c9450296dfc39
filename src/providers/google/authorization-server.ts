/** Google's authorization server: its metadata (OpenID Connect Discovery 1.0), kept for a while. */
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

export type AuthorizationServerDeps = {
  readonly egress: Egress;
  /** Without a trailing slash. */
  readonly issuer: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export interface GoogleServer {
  /** Fails with what the library throws, or EgressError. */
  metadata(): Promise<AuthorizationServer>;
  /** For the library's requests. */
  readonly http: {
    readonly [customFetch]: ReturnType<typeof egressFetch>;
    readonly [allowInsecureRequests]: boolean;
    readonly [jwksCache]: JWKSCacheInput;
  };
}

/** Google sends `max-age=3600` with it. */
const KEPT_MS = 3_600_000;

export function authorizationServer({ egress, issuer, now }: AuthorizationServerDeps): GoogleServer {
  const url = new URL(issuer);
  const http = {
    [customFetch]: egressFetch(egress),
    // Plain http is for the loopback and what the operator opened: egress refuses all else.
    [allowInsecureRequests]: url.protocol === 'http:',
    // The library keeps the keys in it, and asks anew when a token names one it does not know.
    [jwksCache]: {},
  };
  let kept: { readonly metadata: AuthorizationServer; readonly until: number } | undefined;
  return {
    http,
    async metadata() {
      if (kept !== undefined && now() < kept.until) return kept.metadata;
      const metadata = await readMetadata(url, await discoveryRequest(url, http));
      kept = { metadata, until: now() + KEPT_MS };
      return metadata;
    },
  };
}

/** The endpoints that are used later without another look. */
const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

async function readMetadata(issuer: URL, response: Response): Promise<AuthorizationServer> {
  const metadata = await processDiscoveryResponse(issuer, response).catch((failure: unknown) => {
    // What the library lets through: an issuer that is no URL at all.
    const isNoUrl = failure instanceof TypeError && 'code' in failure && failure.code === 'ERR_INVALID_URL';
    throw isNoUrl ? notGoogle('names no issuer', failure) : failure;
  });
  const missing = NEEDED.find((endpoint) => !URL.canParse(String(metadata[endpoint])));
  if (missing !== undefined) throw notGoogle(`has no ${missing}`);
  return metadata;
}

const notGoogle = (what: string, cause?: unknown): ProviderError =>
  new ProviderError('misconfigured', `The Google issuer that is set up here ${what}`, {
    cause,
    reason: 'provider_not_set_up',
  });
