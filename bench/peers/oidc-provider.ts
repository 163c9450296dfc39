/**
 * oidc-provider as an OAuth server: refresh tokens rotated, JWT access tokens signed as Kalends signs
 * them (HS256, the cheapest it has), or opaque ones, since it introspects no others.
 * Arguments: memory | sqlite FILE | postgres URL, then jwt | opaque.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

import { Provider } from 'oidc-provider';

import { CLIENT_ID, REDIRECT_URI } from '../load/oauth-calls.ts';
import { memoryStorage, type OidcStorage, postgresStorage, sqliteStorage } from './oidc-adapters.ts';
import { servePeer } from './peer-channel.ts';

const RESOURCE = 'https://api.example';
const [kind, place = '', format] = process.argv.slice(2);
const SECRET = process.env.BENCH_SECRET ?? '';

const storage = await storageOf(kind, place);
const key = randomBytes(32);
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const resourceServer = {
  scope: 'read',
  accessTokenTTL: 3600,
  accessTokenFormat: format === 'opaque' ? 'opaque' : 'jwt',
  jwt: { sign: { alg: 'HS256', key } },
};

const server = createServer();
server.listen(Number(process.env.BENCH_PORT ?? 0), '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port');
  const provider = providerOn(`http://127.0.0.1:${address.port}`);
  const serve = provider.callback();
  server.on('request', (request, response) => {
    if (request.url === '/health') response.end('{"status":"ok"}');
    else serve(request, response);
  });
  servePeer(address.port, (count) => storage.seeding(() => seedCodes(provider, count)));
});

async function storageOf(kind: string | undefined, place: string): Promise<OidcStorage> {
  if (kind === 'sqlite') return sqliteStorage(place);
  return kind === 'postgres' ? postgresStorage(place) : memoryStorage();
}

function providerOn(issuer: string): Provider {
  return new Provider(issuer, {
    adapter: storage.adapter,
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: SECRET,
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    scopes: ['read'],
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    pkce: { required: () => false },
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 600,
      Grant: 14 * 86_400,
      IdToken: 3600,
      RefreshToken: 14 * 86_400,
    },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: async () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => RESOURCE,
        getResourceServerInfo: async () => resourceServer,
        useGrantedResource: async () => true,
      },
    },
  });
}

async function seedCodes(provider: Provider, count: number): Promise<string[]> {
  const client = await provider.Client.find(CLIENT_ID);
  const codes: string[] = [];
  for (let i = 0; i < count; i++) {
    const accountId = `user-${i}`;
    const grant = new provider.Grant({ accountId, clientId: CLIENT_ID });
    grant.addResourceScope(RESOURCE, 'read');
    const grantId = await grant.save();
    const approved = { accountId, client, grantId, scope: 'read', resource: RESOURCE };
    codes.push(await new provider.AuthorizationCode({ ...approved, redirectUri: REDIRECT_URI }).save());
  }
  return codes;
}
