/**
 * @node-oauth/oauth2-server under express with a model over Maps, written from its documentation.
 * Argument: `random`, the tokens it makes by itself, or `jwt`: both tokens are JWTs of the claims Kalends'
 * have, signed with HS256 and verified by jose in the model's functions for that.
 */
import { randomBytes, randomUUID } from 'node:crypto';

import OAuth2Server from '@node-oauth/oauth2-server';
import express from 'express';
import { jwtVerify, SignJWT } from 'jose';

import { CLIENT_ID, REDIRECT_URI } from '../load/oauth-calls.ts';
import { servePeer } from './peer-channel.ts';

const SECRET = process.env.BENCH_SECRET ?? '';
const client: OAuth2Server.Client = {
  id: CLIENT_ID,
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: [REDIRECT_URI],
};
const codes = new Map<string, OAuth2Server.AuthorizationCode>();
const accessTokens = new Map<string, OAuth2Server.Token>();
const refreshTokens = new Map<string, OAuth2Server.RefreshToken>();

const KEY = randomBytes(32);
const sign = (typ: string, user: OAuth2Server.User, claims: Record<string, string>) =>
  new SignJWT({ sub: String(user.id), projectId: CLIENT_ID, family: 'f'.repeat(12), ...claims })
    .setProtectedHeader({ alg: 'HS256', typ, kid: 'bench' })
    .setAudience(CLIENT_ID)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(KEY);
const verify = async (typ: string, token: string) => {
  await jwtVerify(token, KEY, { algorithms: ['HS256'], typ, audience: CLIENT_ID });
};

type Model = OAuth2Server.AuthorizationCodeModel & OAuth2Server.RefreshTokenModel;

const model: Model = {
  getClient: async (id, secret) => id === CLIENT_ID && secret === SECRET && client,
  saveAuthorizationCode: async () => false,
  getAuthorizationCode: async (code) => codes.get(code),
  revokeAuthorizationCode: async ({ authorizationCode }) => codes.delete(authorizationCode),
  async saveToken(token, forClient, user) {
    const saved = { ...token, client: forClient, user };
    accessTokens.set(saved.accessToken, saved);
    const { refreshToken } = saved;
    if (refreshToken !== undefined) refreshTokens.set(refreshToken, { ...saved, refreshToken });
    return saved;
  },
  getRefreshToken: async (token) => refreshTokens.get(token),
  revokeToken: async (token) => refreshTokens.delete(token.refreshToken ?? ''),
  getAccessToken: async (token) => accessTokens.get(token),
};

const jwtModel: Model = {
  ...model,
  generateAccessToken: (_client, user) => sign('at+jwt', user, { scope: 'read' }),
  generateRefreshToken: (_client, user) => sign('rt+jwt', user, { type: 'refresh', jti: randomUUID() }),
  async getRefreshToken(token) {
    await verify('rt+jwt', token);
    return refreshTokens.get(token);
  },
  async getAccessToken(token) {
    await verify('at+jwt', token);
    return accessTokens.get(token);
  },
};

const oauth = new OAuth2Server({
  model: process.argv[2] === 'jwt' ? jwtModel : model,
  accessTokenLifetime: 3600,
  refreshTokenLifetime: 14 * 86_400,
  alwaysIssueNewRefreshToken: true,
});
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(express.urlencoded({ extended: false }));
app.post('/token', async (request, response) => {
  const answer = new OAuth2Server.Response({ headers: {} });
  await oauth.token(new OAuth2Server.Request(request), answer);
  response
    .status(answer.status ?? 200)
    .set(answer.headers ?? {})
    .json(answer.body);
});
app.get('/protected', async (request, response) => {
  const answer = new OAuth2Server.Response({ headers: {} });
  const token = await oauth.authenticate(new OAuth2Server.Request(request), answer);
  response.json({ user: token.user.id });
});

const server = app.listen(0, '127.0.0.1', () => servePeer(server.address().port, seedCodes));

async function seedCodes(count: number): Promise<string[]> {
  return Array.from({ length: count }, (_, i) => {
    const authorizationCode = randomBytes(20).toString('hex');
    codes.set(authorizationCode, {
      authorizationCode,
      expiresAt: new Date(Date.now() + 600_000),
      redirectUri: REDIRECT_URI,
      client,
      user: { id: `user-${i}` },
    });
    return authorizationCode;
  });
}
