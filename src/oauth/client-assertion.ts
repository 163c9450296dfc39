/** Client authentication by a signed assertion, `private_key_jwt` (RFC 7523 §2.2 and §3, RFC 7521 §4.2). */
import { hash } from 'node:crypto';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { errorCode } from '../lib/error-code.ts';
import type { Client } from './client.ts';
import { CLIENT_ALGORITHMS, type ClientKeyReaderDeps, clientKeyReader } from './client-keys.ts';
import { createIssuer, issuerOf } from './issuers.ts';
import type { UsedJtiStore } from './used-jti-store.ts';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const MOST_CHARACTERS = 4096;
const MOST_AHEAD_SECONDS = { exp: 600, nbf: 30, iat: 30 };
/** The clocks of instances differ: a used id is kept for this long after its assertion expired. */
const JTI_KEPT_MS = 60_000;
const MOST_KEY_SETS = 1_000;

export type ClientAssertionsDeps = ClientKeyReaderDeps & {
  readonly usedJtis: Pick<UsedJtiStore, 'use'>;
  /** `KALENDS_URL`. The issuer of the application is below it. */
  readonly publicUrl: string;
};

/** The application that an assertion names. The audience of the assertion is its issuer. */
type AssertingClient = Pick<Client, 'clientId' | 'profile'>;

export interface ClientAssertions {
  /** Returns the application that an assertion claims to be from, before any check. */
  claimedClientId(assertion: string): Promise<string | undefined>;

  /**
   * Returns undefined if the application signed the assertion and it is used for the first time, otherwise the reason for
   * the log. Throws OAuthError 503 if the keys cannot be read.
   */
  findProblem(client: AssertingClient, assertion: string): Promise<string | undefined>;
}

export function clientAssertions(deps: ClientAssertionsDeps): ClientAssertions {
  const readKeys = clientKeyReader(deps);
  /** Key sets that were used last, parsed. */
  const parsed = new Map<string, JWTVerifyGetKey>();
  const keySet = async (jwks: string): Promise<JWTVerifyGetKey> => {
    const { createLocalJWKSet } = await import('jose');
    const keys = parsed.get(jwks) ?? createLocalJWKSet(JSON.parse(jwks));
    parsed.delete(jwks);
    if (parsed.size >= MOST_KEY_SETS) parsed.delete(parsed.keys().next().value ?? '');
    parsed.set(jwks, keys);
    return keys;
  };
  return {
    async claimedClientId(assertion) {
      const { sub } = (await decode(assertion))?.claims ?? {};
      return typeof sub === 'string' ? sub : undefined;
    },

    async findProblem({ clientId, profile }, assertion) {
      const { claims, kid } = (await decode(assertion)) ?? {};
      if (claims === undefined) return 'malformed';
      // Before the signature, so that other assertions never cause a request for keys. The verified text is the same.
      const audience = createIssuer(issuerOf({ profile }), deps.publicUrl).url;
      const claim = wrongClaim(claims, { clientId, audience, now: deps.now });
      if (claim !== undefined) return claim;
      const jwks = await readKeys(clientId, kid);
      if (jwks === undefined) return 'no keys';
      if (!(await isSigned(assertion, await keySet(jwks), deps.now()))) return 'signature';
      const jtiHash = hash('sha256', `client assertion ${clientId} ${claims.jti}`);
      const isFirst = await deps.usedJtis.use(jtiHash, Math.ceil((claims.exp ?? 0) * 1000) + JTI_KEPT_MS);
      return isFirst ? undefined : 'jti was used';
    },
  };
}

type Decoded = { readonly claims: JWTPayload; readonly kid: string | undefined };

async function decode(assertion: string): Promise<Decoded | undefined> {
  if (assertion.length > MOST_CHARACTERS) return undefined;
  const { decodeJwt, decodeProtectedHeader } = await import('jose');
  try {
    const { kid } = decodeProtectedHeader(assertion);
    return { claims: decodeJwt(assertion), kid };
  } catch {
    return undefined; // It is no JWT.
  }
}

type Expected = Pick<ClientAssertionsDeps, 'now'> & { readonly clientId: string; readonly audience: string };

/** Returns the name of the first claim that is wrong. */
function wrongClaim(claims: JWTPayload, { clientId, audience, now }: Expected): string | undefined {
  const seconds = Math.floor(now() / 1000);
  const isTime = (name: 'exp' | 'nbf' | 'iat'): boolean =>
    typeof claims[name] === 'number' && claims[name] <= seconds + MOST_AHEAD_SECONDS[name];
  const holds = {
    iss: claims.iss === clientId,
    sub: claims.sub === clientId,
    // One text: with a list, another server could be sent the same assertion.
    aud: claims.aud === audience,
    exp: isTime('exp') && (claims.exp ?? 0) > seconds,
    nbf: claims.nbf === undefined || isTime('nbf'),
    iat: claims.iat === undefined || isTime('iat'),
    jti: typeof claims.jti === 'string' && claims.jti !== '',
  };
  return Object.entries(holds).find(([, isRight]) => !isRight)?.[0];
}

/** Returns whether a key of the set verifies the signature. Without `kid` each suitable key is tried. */
async function isSigned(assertion: string, keys: JWTVerifyGetKey, now: number): Promise<boolean> {
  const { jwtVerify, errors } = await import('jose');
  const times = { currentDate: new Date(now), clockTolerance: MOST_AHEAD_SECONDS.nbf };
  const options = { algorithms: CLIENT_ALGORITHMS, ...times };
  try {
    await jwtVerify(assertion, keys, options);
    return true;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return refuse(error);
    for await (const key of error)
      if (await jwtVerify(assertion, key, options).then(() => true, refuse)) return true;
    return false;
  }
}

/** Returns false for an error about the assertion. Throws any other. */
function refuse(error: unknown): false {
  if (errorCode(error)?.startsWith('ERR_J')) return false;
  throw error;
}
