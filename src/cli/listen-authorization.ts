/** How `kalends listen` authenticates: by HTTP Basic, or by application tokens that a private key requests (RFC 7523). */
import { createPrivateKey, generateKeyPairSync, hash, type KeyObject, randomUUID } from 'node:crypto';
import { asObject } from '../http/fields.ts';
import { jsonIn } from '../lib/json.ts';
import { CommandError, usageError } from './command.ts';
import { causeText } from './remote-operations.ts';

/** Returns a function that sends requests as the application. Throws Unavailable if a retry may help. */
export type Authorization = () => Promise<Send>;

type Request = RequestInit & { readonly method: string; readonly headers?: Readonly<Record<string, string>> };
type Send = (url: string, request: Request) => Promise<Response>;

/** A failure that a retry may fix. */
export class Unavailable extends Error {}

export function basicAuthorization(clientId: string, clientSecret: string): Authorization {
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':');
  return async () => sendWith(`Basic ${Buffer.from(credentials).toString('base64')}`);
}

const sendWith =
  (authorization: string): Send =>
  (url, request) =>
    fetch(url, { ...request, headers: { ...request.headers, authorization } });

const TIMEOUT_MS = 40_000;
/** A token is replaced this long before it expires. */
const EARLY_MS = 120_000;
const ALGORITHMS: Readonly<Record<string, string>> = { ec: 'ES256', rsa: 'PS256', ed25519: 'Ed25519' };

/** `issuer` is that of the application: the URL above `/token`, and the audience of assertions. */
type Caller = { readonly issuer: string; readonly clientId: string; readonly now: () => number };

/** Requests a token for each ten minutes. Throws a usage error if the text is no private key. */
export function keyAuthorization(privateKey: string, { issuer, clientId, now }: Caller): Authorization {
  const { key, kid, alg } = parseKey(privateKey);
  const prove = provenRequests(now);
  let token: { readonly send: Send; readonly replacedAt: number } | undefined;
  const createRequest = async () => {
    const { SignJWT } = await import('jose');
    const assertion = await new SignJWT({ iss: clientId, sub: clientId, aud: issuer, jti: randomUUID() })
      .setProtectedHeader({ alg, ...(kid !== undefined && { kid }) })
      .setExpirationTime(Math.floor(now() / 1000) + 60)
      .sign(key);
    const body = new URLSearchParams({
      ...{ grant_type: 'client_credentials', scope: 'application', client_assertion: assertion },
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return { method: 'POST', body, redirect: 'error', signal } as const;
  };
  return async () => {
    if (token !== undefined && token.replacedAt > now()) return token.send;
    const {
      access_token: text,
      token_type: type,
      expires_in: seconds,
    } = await readToken(issuer, prove(`${issuer}/token`, createRequest));
    const accessToken = String(text);
    const send: Send =
      type === 'DPoP'
        ? (url, request) => prove(url, async () => request, accessToken)
        : sendWith(`Bearer ${accessToken}`);
    token = { send, replacedAt: now() + Number(seconds) * 1000 - EARLY_MS };
    return send;
  };
}

async function readToken(
  issuer: string,
  sent: Promise<Response>,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, text } = await sent
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch((reason: unknown) => {
      throw new Unavailable(`${issuer} cannot be reached (${causeText(reason)}).`);
    });
  if (status === 429 || status >= 500) throw new Unavailable(`${issuer} returns ${status}.`);
  const answer = asObject(jsonIn(text)) ?? {};
  if (status === 200 && typeof answer.access_token === 'string') return answer;
  if (answer.error === 'invalid_client')
    throw new CommandError(
      'invalid_client',
      `${issuer} rejects this client id or this private key. With the profile fapi2, --url must end with /fapi2.`,
    );
  throw new CommandError('no_kalends', `${issuer} returns ${status} for a token of the application.`);
}

/**
 * Returns a function that sends requests with DPoP proofs of a new key (RFC 9449). A request that is refused for its nonce
 * is recreated and repeated. The proofs of an application without a sender constraint are ignored.
 */
function provenRequests(now: () => number) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) };
  let nonce: string | undefined;
  const sendOnce = async (url: string, request: Request, accessToken: string | undefined) => {
    const { SignJWT } = await import('jose');
    const ath = accessToken && hash('sha256', accessToken, 'base64url');
    const htu = url.replace(/\?.*/, '');
    const dpop = await new SignJWT({ jti: randomUUID(), htm: request.method, htu, ath, nonce })
      .setProtectedHeader(header)
      .setIssuedAt(Math.floor(now() / 1000))
      .sign(privateKey);
    const authorization = accessToken && { authorization: `DPoP ${accessToken}` };
    return fetch(url, { ...request, headers: { ...request.headers, ...authorization, dpop } });
  };
  return async (url: string, createRequest: () => Promise<Request>, accessToken?: string) => {
    const response = await sendOnce(url, await createRequest(), accessToken);
    const next = response.headers.get('dpop-nonce') ?? nonce;
    if (next === nonce) return response;
    nonce = next;
    if (![400, 401].includes(response.status)) return response;
    await response.body?.cancel();
    return sendOnce(url, await createRequest(), accessToken);
  };
}

type PrivateKey = { readonly key: KeyObject; readonly kid: string | undefined; readonly alg: string };

/** Parses a JWK, or a PEM whose lines may be separated by `\n` in one line. */
function parseKey(text: string): PrivateKey {
  try {
    const jwk = asObject(jsonIn(text));
    const key = createPrivateKey(
      jwk === undefined ? text.replaceAll('\\n', '\n') : { key: jwk, format: 'jwk' },
    );
    const alg = ALGORITHMS[key.asymmetricKeyType ?? ''];
    const { kid } = jwk ?? {};
    if (alg !== undefined) return { key, kid: typeof kid === 'string' ? kid : undefined, alg };
  } catch {
    // The cause could contain the key.
  }
  throw usageError(
    'KALENDS_CLIENT_PRIVATE_KEY must be a private key for ES256, PS256 or Ed25519, as PEM or JWK.',
  );
}
