/** Verification of DPoP proofs (RFC 9449 §4.3). `jose` is loaded with the first proof. */
import { hash } from 'node:crypto';
import { DPOP_ALGORITHMS } from '../http/dpop-error.ts';
import { once } from '../lib/once.ts';

/** A proof is valid for this long after its `iat`, in milliseconds. */
const MOST_AGE_MS = 60_000;
/** How far ahead `iat` and `nbf` may be: clocks differ. In milliseconds. */
const MOST_AHEAD_MS = 30_000;
/** How long a used proof must be remembered, in milliseconds. */
export const PROOF_MS = MOST_AGE_MS + MOST_AHEAD_MS;

const MOST_CHARACTERS = 4096;
const MOST_JTI_CHARACTERS = 128;
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];
const LEAST_RSA_BITS = 2048;

/** The request that a proof must be for. */
export type ProvenRequest = {
  readonly method: string;
  /** Whether `htu`, a URL without query and fragment, is the URL of the request. */
  readonly isUrl: (htu: URL) => boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** At resources: the access token, and the thumbprint of the key that it is bound to. */
  readonly token: { readonly text: string; readonly jkt: string } | undefined;
};

export type Proof = {
  /** The SHA-256 thumbprint of the key (RFC 7638). */
  readonly jkt: string;
  readonly nonce: string | undefined;
  /** Identifies the proof: a hash of `jti` and thumbprint. */
  readonly id: string;
};

/** The reason why a proof is invalid, as a public sentence without received text. */
export type ProofProblem = {
  readonly problem: string;
  /** Several headers: the request itself is wrong. */
  readonly isRequest?: true;
  /** The proof is of another key than the token's. */
  readonly isOtherKey?: true;
};

const loadJose = once(() => import('jose'));

type Jose = Awaited<ReturnType<typeof loadJose>>;
type Claims = Readonly<Record<string, unknown>>;

/** Verifies the `DPoP` header of a request, which Node joins with commas if there are several. */
export async function readProof(header: string, request: ProvenRequest): Promise<Proof | ProofProblem> {
  if (header.includes(',')) return { problem: 'There is more than one DPoP header', isRequest: true };
  if (header.length > MOST_CHARACTERS) return { problem: 'The DPoP header is longer than 4 kB' };
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(header)) return { problem: 'The DPoP header is not a signed JWT' };
  const jose = await loadJose();
  const key = await readKey(header, jose);
  if ('problem' in key) return key;
  const { jkt } = key;
  // Compared before the signature, whose verification the sender of a stolen token could make expensive.
  if (request.token && request.token.jkt !== jkt)
    return { problem: 'The DPoP proof is of another key than the access token', isOtherKey: true };
  const claims = await readClaims(header, key, jose);
  if (claims === undefined) return { problem: 'The signature of the DPoP proof is invalid' };
  const problem = findProblem(claims, request);
  if (problem !== undefined) return { problem: `DPoP proof: ${problem}` };
  const { jti, nonce } = claims;
  return {
    jkt,
    nonce: typeof nonce === 'string' ? nonce : undefined,
    id: hash('sha256', `${jkt} ${jti}`),
  };
}

type ProofKey = { readonly jkt: string; readonly alg: string; readonly key: CryptoKey };

/** Checks the protected header and imports its public key. */
async function readKey(proof: string, jose: Jose): Promise<ProofKey | ProofProblem> {
  const header = parseObject(Buffer.from(proof.slice(0, proof.indexOf('.')), 'base64url').toString());
  if (header === undefined) return { problem: 'The DPoP header is not a signed JWT' };
  const { typ, alg, jwk } = header;
  if (typ !== 'dpop+jwt') return { problem: 'DPoP proof: typ is not dpop+jwt' };
  if (typeof alg !== 'string' || !DPOP_ALGORITHMS.includes(alg))
    return { problem: `DPoP proof: alg is not one of ${DPOP_ALGORITHMS.join(', ')}` };
  if (!isObject(jwk)) return { problem: 'DPoP proof: jwk is missing' };
  if (PRIVATE_MEMBERS.some((member) => member in jwk))
    return { problem: 'DPoP proof: jwk is not a public key' };
  try {
    const key = await jose.EmbeddedJWK({ ...header, alg });
    const { modulusLength = LEAST_RSA_BITS } = key.algorithm as Partial<RsaKeyAlgorithm>; // that of an RSA key
    // A long public exponent makes the verification as slow as a signature.
    if (modulusLength < LEAST_RSA_BITS || (typeof jwk.e === 'string' && jwk.e.length > 6))
      return { problem: 'DPoP proof: jwk is an RSA key with fewer than 2048 bits or an unusual exponent' };
    return { key, alg, jkt: await jose.calculateJwkThumbprint(jwk, 'sha256') };
  } catch {
    // The library has received nothing but the key, so any error is about the key.
    return { problem: 'DPoP proof: jwk is not a public key for alg' };
  }
}

async function readClaims(proof: string, { key, alg }: ProofKey, jose: Jose): Promise<Claims | undefined> {
  try {
    const { payload } = await jose.compactVerify(proof, key, { algorithms: [alg] });
    return parseObject(new TextDecoder().decode(payload));
  } catch {
    return undefined; // The signature is wrong, or `crit` names an unknown extension.
  }
}

/** Returns the first claim that is missing or wrong, and why. Unknown claims are ignored. */
function findProblem(claims: Claims, { method, isUrl, now, token }: ProvenRequest): string | undefined {
  const { jti, htm, htu, iat, nbf, exp, ath } = claims;
  if (typeof jti !== 'string' || jti === '' || jti.length > MOST_JTI_CHARACTERS)
    return `jti is not text of 1 to ${MOST_JTI_CHARACTERS} characters`;
  if (htm !== method) return 'htm is not the method of the request';
  const url = typeof htu === 'string' ? URL.parse(htu) : null;
  if (url === null || !isUrl(url)) return 'htu is not the URL of the request';
  if (typeof iat !== 'number') return 'iat is missing';
  if (iat * 1000 < now - MOST_AGE_MS) return 'iat is more than 60 seconds old';
  if (iat * 1000 > now + MOST_AHEAD_MS) return 'iat is more than 30 seconds ahead';
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf * 1000 <= now + MOST_AHEAD_MS))
    return 'nbf is more than 30 seconds ahead';
  if (exp !== undefined && !(typeof exp === 'number' && exp * 1000 > now)) return 'exp has passed';
  if (token !== undefined && ath !== hash('sha256', token.text, 'base64url'))
    return 'ath is not the hash of the access token';
  return undefined;
}

function parseObject(json: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
