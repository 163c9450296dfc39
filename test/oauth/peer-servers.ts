/**
 * Two servers with the same applications, keys and paths: the strict issuer of Kalends, and oidc-provider in its FAPI 2.0
 * mode. Their time is that of `Date`, which the caller mocks.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { memoryStorage } from '../../bench/peers/oidc-adapters.ts';
import { close, listen } from '../harness/loopback.ts';
import { newKey, type SigningKey, setOf } from './assertions.ts';
import { approve, openOAuthServer, PUBLIC_URL, REDIRECT_URI } from './oauth-server.ts';

export type PeerRequest = {
  readonly method: string;
  /** The path and the query below the issuer, or that of a resource. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};
export type PeerAnswer = {
  readonly status: number;
  readonly challenge: string;
  readonly body: Readonly<Record<string, unknown>>;
};
export type Approved = {
  readonly clientId: string;
  readonly codeChallenge: string;
  readonly dpopJkt: string | null;
};

export type Peer = {
  readonly issuer: string;
  /** The URLs to which the paths of endpoints and of the resource are appended. */
  readonly origins: { readonly endpoints: string; readonly resource: string };
  /** A scope that allows the resource. */
  readonly scope: string;
  /** Approves a request of a new user and returns the code. */
  approve(request: Approved): Promise<string>;
  send(request: PeerRequest): Promise<PeerAnswer>;
  close(): Promise<void>;
};

export const RESOURCE_PATH = '/protected';

/** The keys of the applications. All are registered; assertions are signed with the first unless a request says otherwise. */
export type PeerKeys = Readonly<Record<'bank' | 'other', readonly SigningKey[]>>;

const parse = (text: string): PeerAnswer['body'] => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

export async function openKalends(keys: PeerKeys): Promise<Peer> {
  const server = await openOAuthServer('HS256', { strict: Object.keys(keys) });
  for (const [clientId, own] of Object.entries(keys)) {
    const change = { keys: { jwks: JSON.stringify(setOf(...own)) }, profile: 'fapi2' } as const;
    await server.stores.clients.updateClient(clientId, change, { now: Date.now(), by: undefined });
  }
  let requests = 0;
  return {
    issuer: `${PUBLIC_URL}/fapi2`,
    origins: { endpoints: `${PUBLIC_URL}/fapi2`, resource: PUBLIC_URL },
    scope: 'read',
    async approve(request) {
      server.clock.now = Date.now();
      const opaqueCode = randomUUID();
      await approve(server, { ...request, opaqueCode, userId: `user ${opaqueCode}` });
      return opaqueCode;
    },
    async send({ method, path, headers, body }) {
      server.clock.now = Date.now();
      requests += 1;
      const answer = await server.app.inject({
        method: method as 'POST', // one of the methods of HTTP
        url: path.startsWith(RESOURCE_PATH) ? path : `/fapi2${path}`,
        headers,
        // Wrong credentials are counted by address.
        remoteAddress: `10.0.${requests >> 8}.${requests & 255}`,
        ...(body !== undefined && { payload: body }),
      });
      const challenge = String(answer.headers['www-authenticate'] ?? '');
      return { status: answer.statusCode, challenge, body: parse(answer.body) };
    },
    close: () => server.close(),
  };
}

export async function openOidcProvider(keys: PeerKeys): Promise<Peer> {
  const server = createServer();
  const issuer = await listen(server);
  const provider = new Provider(issuer, configurationOf(keys));
  server.on('request', provider.callback());
  const scope = 'openid';
  return {
    issuer,
    origins: { endpoints: issuer, resource: issuer },
    scope,
    async approve({ clientId, codeChallenge, dpopJkt }) {
      const client = await provider.Client.find(clientId);
      const accountId = randomUUID();
      const grant = new provider.Grant({ accountId, clientId });
      grant.addOIDCScope(scope);
      const approved = { accountId, client, grantId: await grant.save(), scope, redirectUri: REDIRECT_URI };
      const bound = { codeChallenge, codeChallengeMethod: 'S256', dpopJkt: dpopJkt ?? undefined };
      return new provider.AuthorizationCode({ ...approved, ...bound }).save();
    },
    async send({ method, path, headers, body }) {
      const answer = await fetch(issuer + path, { method, headers, ...(body !== undefined && { body }) });
      const challenge = answer.headers.get('www-authenticate') ?? '';
      return { status: answer.status, challenge, body: parse(await answer.text()) };
    },
    close: () => close(server),
  };
}

const isOwnToken = (_: unknown, client: { clientId: string }, token: { clientId: string }) =>
  client.clientId === token.clientId;

function configurationOf(keys: PeerKeys): Record<string, unknown> {
  const { privateKey } = newKey();
  return {
    adapter: memoryStorage().adapter,
    clients: Object.entries(keys).map(([clientId, own]) => ({
      client_id: clientId,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'private_key_jwt',
      id_token_signed_response_alg: 'ES256',
      dpop_bound_access_tokens: true,
      jwks: setOf(...own),
    })),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    routes: {
      ...{ pushed_authorization_request: '/par', token: '/token', userinfo: RESOURCE_PATH },
      ...{ introspection: '/introspect', revocation: '/revoke' },
    },
    scopes: ['openid', 'read'],
    clientAuthMethods: ['private_key_jwt'],
    enabledJWA: {
      clientAuthSigningAlgValues: ['ES256', 'PS256', 'Ed25519', 'EdDSA'],
      dPoPSigningAlgValues: ['ES256', 'PS256', 'Ed25519', 'EdDSA'],
      idTokenSigningAlgValues: ['ES256'],
    },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    issueRefreshToken: async () => true,
    rotateRefreshToken: false,
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      Grant: 1_209_600,
      IdToken: 3600,
      RefreshToken: 1_209_600,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: true },
      fapi: { enabled: true, profile: '2.0' },
      introspection: { enabled: true, allowedPolicy: isOwnToken },
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true },
      revocation: { enabled: true },
      userinfo: { enabled: true },
    },
  };
}
