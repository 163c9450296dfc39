/** How `kalends listen` authenticates: by HTTP Basic, or by application tokens that a private key requests (RFC 7523). */
import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto';
import { asObject } from '../http/fields.ts';
import { jsonIn } from '../lib/json.ts';
import { CommandError, usageError } from './command.ts';
import { causeText } from './remote-operations.ts';

/** Returns the value of the header `Authorization`. Throws Unavailable if a retry may help. */
export type Authorization = () => Promise<string>;

/** A failure that a retry may fix. */
export class Unavailable extends Error {}

export function basicAuthorization(clientId: string, clientSecret: string): Authorization {
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const header = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return async () => header;
}

const TIMEOUT_MS = 40_000;
/** A token is replaced this long before it expires. */
const EARLY_MS = 120_000;
const ALGORITHMS: Readonly<Record<string, string>> = { ec: 'ES256', rsa: 'PS256', ed25519: 'Ed25519' };

type Caller = { readonly base: string; readonly clientId: string; readonly now: () => number };

/** Requests a token for each ten minutes. Throws a usage error if the text is no private key. */
export function keyAuthorization(privateKey: string, { base, clientId, now }: Caller): Authorization {
  const { key, kid, alg } = parseKey(privateKey);
  let token = { header: '', replacedAt: 0 };
  return async () => {
    if (token.replacedAt > now()) return token.header;
    const { SignJWT } = await import('jose');
    const assertion = await new SignJWT({ iss: clientId, sub: clientId, aud: base, jti: randomUUID() })
      .setProtectedHeader({ alg, ...(kid !== undefined && { kid }) })
      .setExpirationTime(Math.floor(now() / 1000) + 60)
      .sign(key);
    const { access_token: accessToken, expires_in: seconds } = await requestToken(base, assertion);
    token = { header: `Bearer ${accessToken}`, replacedAt: now() + Number(seconds) * 1000 - EARLY_MS };
    return token.header;
  };
}

async function requestToken(base: string, assertion: string): Promise<Readonly<Record<string, unknown>>> {
  const body = new URLSearchParams({
    ...{ grant_type: 'client_credentials', scope: 'application', client_assertion: assertion },
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const sent = { method: 'POST', body, redirect: 'error', signal } as const;
  const { status, text } = await fetch(`${base}/token`, sent)
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch((reason: unknown) => {
      throw new Unavailable(`${base} cannot be reached (${causeText(reason)}).`);
    });
  if (status === 429 || status >= 500) throw new Unavailable(`${base} returns ${status}.`);
  const answer = asObject(jsonIn(text)) ?? {};
  if (status === 200 && typeof answer.access_token === 'string') return answer;
  if (answer.error === 'invalid_client')
    throw new CommandError('invalid_client', `${base} rejects this client id or this private key.`);
  throw new CommandError('no_kalends', `${base} returns ${status} for a token of the application.`);
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
