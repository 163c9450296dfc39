/** How the application authenticates: by its secret, by assertions that its private key signs (RFC 7523), or not at all. */
import { base64url } from './dpop.ts';
import { isRecord, KalendsError } from './kalends-error.ts';
import { type Call, type Credentials, type SendOptions, send, withToken } from './send.ts';

/** The application and one of its credentials; a public application has neither. */
export type ClientCredentials = {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** For `private_key_jwt`: a private JWK for ES256, PS256 or Ed25519. */
  readonly privateKey?: PrivateJwk | undefined;
};

/** `issuer` is the audience of assertions; by default the URL that requests are sent to. */
type AuthenticatingClient = ClientCredentials & { readonly issuer?: string | undefined };

/** RFC 7517. */
export type PrivateJwk = Readonly<
  Partial<Record<'kty' | 'kid' | 'alg' | 'use' | 'crv' | 'x' | 'y' | 'd' | RsaMember, string>>
> & { readonly key_ops?: readonly string[] };
type RsaMember = 'n' | 'e' | 'p' | 'q' | 'dp' | 'dq' | 'qi';
type Algorithm =
  | 'Ed25519'
  | { readonly name: 'ECDSA'; readonly namedCurve: 'P-256' }
  | { readonly name: 'RSA-PSS'; readonly hash: 'SHA-256' };

export type ClientAuthentication = {
  /** Returns what a request to `/token` or `/par` needs. An assertion works once. */
  credentials(): Promise<Credentials>;
  /** Returns what a call of the application itself needs. */
  access(): Promise<Pick<Call, 'headers' | 'proof'>>;
};

/** The application replaces its token after eight of its ten minutes, in milliseconds. */
const REPLACED_AFTER = 480_000;
const ALGORITHMS: Readonly<Record<string, [alg: string, Algorithm]>> = {
  EC: ['ES256', { name: 'ECDSA', namedCurve: 'P-256' }],
  RSA: ['PS256', { name: 'RSA-PSS', hash: 'SHA-256' }],
  OKP: ['Ed25519', 'Ed25519'],
};

/** Returns the authentication of an application at its issuer; `now` is epoch milliseconds. */
export function clientAuthentication(
  { clientId, clientSecret, privateKey, issuer }: AuthenticatingClient,
  sending: SendOptions,
  now: () => number,
): ClientAuthentication {
  const basic = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
  const credentials: ClientAuthentication['credentials'] = async () => {
    if (clientSecret !== undefined) return { headers: { authorization: basic }, fields: {} };
    if (privateKey === undefined) return { headers: {}, fields: { client_id: clientId } };
    const iat = Math.floor(now() / 1000);
    const claims = { iss: clientId, sub: clientId, aud: issuer ?? sending.baseUrl, iat, exp: iat + 60 };
    const assertion = await signed({ ...claims, jti: crypto.randomUUID() }, privateKey);
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    return { headers: {}, fields: { client_assertion: assertion, client_assertion_type: type } };
  };
  let token: { readonly text: Promise<string>; readonly from: number } | undefined;
  const request = async (): Promise<string> => {
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'application' });
    const { body } = await send({ method: 'POST', path: '/token', form, credentials, proof: {} }, sending);
    const { access_token: value } = isRecord(body) ? body : {};
    if (typeof value === 'string') return value;
    throw new KalendsError('The service’s answer has no token', { status: 0, code: 'unreadable' });
  };
  return {
    credentials,
    async access() {
      if (clientSecret !== undefined) return { headers: { authorization: basic } };
      if (token === undefined || now() - token.from > REPLACED_AFTER) {
        token = { text: request(), from: now() };
        token.text.catch(() => {
          token = undefined;
        });
      }
      return withToken(await token.text, sending);
    },
  };
}

async function signed(claims: object, { alg: _, key_ops: __, use: ___, kid, ...jwk }: PrivateJwk) {
  const [alg, algorithm] = ALGORITHMS[jwk.kty ?? ''] ?? [];
  if (algorithm === undefined) throw new TypeError(`privateKey cannot be a JWK with kty ${jwk.kty}`);
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign']);
  const input = [{ alg, kid }, claims].map((part) => base64url(encode(JSON.stringify(part)))).join('.');
  const parameters = { name: key.algorithm.name, hash: 'SHA-256', saltLength: 32 };
  return `${input}.${base64url(new Uint8Array(await crypto.subtle.sign(parameters, key, encode(input))))}`;
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
