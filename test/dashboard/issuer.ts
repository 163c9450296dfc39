/** An OpenID issuer (oidc-provider) on this machine, and browsers that sign in at it. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import { close, listen } from '../harness/loopback.ts';
import { ORIGIN } from './dashboard-app.ts';

export const CLIENT = { clientId: 'kalends', clientSecret: 'the secret of the dashboard' };
const REDIRECT_URI = `${ORIGIN}/dashboard/sign-in/callback`;

/** The claims of an account at the issuer. */
type Account = Readonly<Record<string, unknown>>;

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

/** Starts an issuer, which the caller closes. Tests change its `accounts`, by subject. */
export async function startIssuer() {
  const accounts = new Map<string, Account>();
  /** The subject that signs in on the next sign-in page; an empty subject cancels. */
  const seat = { subject: '' };
  /** Changes that a test makes to the next ID tokens and requests. */
  const wire: Wire = { claims: undefined, key: undefined, answer: undefined };
  const [key, otherKey] = [newKey(), newKey()];
  const server = createServer();
  const issuer = await listen(server);
  const provider = providerOn(issuer, { key, accounts });
  const serve = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/interaction/') !== true) return serve(request, response);
    const result = seat.subject === '' ? { error: 'access_denied' } : { login: { accountId: seat.subject } };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  });
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });

  const sign = async (claims: JWTPayload): Promise<string> => {
    const signer = wire.key === 'another' ? otherKey : key;
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(await importJWK(signer, 'ES256'));
  };
  const changed: Egress = {
    close: () => egress.close(),
    async request(request) {
      const planted = wire.answer?.(String(request.url));
      if (planted !== undefined) return egress.request({ ...request, url: planted });
      const answer = await egress.request(request);
      if (!String(request.url).endsWith('/token') || (!wire.claims && !wire.key)) return answer;
      const tokens = JSON.parse(answer.body.toString()) as Record<string, string>;
      const [, payload = ''] = (tokens.id_token ?? '').split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload;
      const id_token = await sign({ ...claims, ...wire.claims });
      return {
        ...answer,
        body: Buffer.from(JSON.stringify({ ...tokens, id_token })),
        header: (name) => answer.header(name),
      };
    },
  };

  return {
    issuer,
    accounts,
    wire,
    egress: changed,
    /**
     * Signs `subject` in at the address of the dashboard with the cookies in `jar`; returns the path that leads back.
     */
    async signIn(url: string, subject: string, jar = new Map<string, string>()): Promise<string> {
      seat.subject = subject;
      let at = url;
      for (let hop = 0; hop < 10 && !at.startsWith(ORIGIN); hop += 1) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const answer = await fetch(at, { redirect: 'manual', headers: { cookie } });
        for (const line of answer.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          if (value === '') jar.delete(name);
          else jar.set(name, value);
        }
        const to = answer.headers.get('location');
        if (to === null) throw new Error(`The issuer answered ${answer.status}: ${await answer.text()}`);
        at = new URL(to, at).href;
      }
      return at.slice(ORIGIN.length);
    },
    async close() {
      await egress.close();
      await close(server);
    },
  };
}

type Wire = {
  /** Claims that replace those of the issuer. */
  claims: Account | undefined;
  key: 'another' | undefined;
  /** Returns another URL to request instead of the given one. */
  answer: ((url: string) => string | undefined) | undefined;
};

type Key = JWK;

function newKey(): Key {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'one' };
}

type Facts = { readonly key: Key; readonly accounts: ReadonlyMap<string, Account> };

function providerOn(issuer: string, { key, accounts }: Facts): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['of a test'] },
    claims: {
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username'],
      groups: ['groups'],
    },
    scopes: ['openid', 'email', 'profile', 'groups'],
    pkce: { required: () => true },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ ...accounts.get(accountId), sub: accountId }),
    }),
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    // Every account has a grant for everything.
    async loadExistingGrant({ oidc }: GrantContext) {
      const { clientId } = oidc.client;
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
    features: { devInteractions: { enabled: false } },
  });
}

type GrantContext = {
  readonly oidc: {
    readonly provider: Provider;
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
};
