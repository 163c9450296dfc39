/** The public keys with which applications authenticate (RFC 7517): how sets are checked, and how those at an address are read. */
import { asObject } from '../http/fields.ts';
import { ANY_CALL } from '../http/refusal.ts';
import { isDatabaseAway } from '../lib/database-away-error.ts';
import type { Egress } from '../lib/egress/egress.ts';
import { EgressError } from '../lib/egress/egress-error.ts';
import { jsonIn } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import type { ClientKeyStore, ReadKeys, StoredClientKeys } from './client-key-store.ts';
import { OAuthError } from './oauth-error.ts';

/** The algorithms of assertions. `EdDSA` is the former name of `Ed25519` (RFC 9864). */
export const CLIENT_ALGORITHMS = ['ES256', 'PS256', 'Ed25519', 'EdDSA'];

const MOST_KEYS = 10;
const MOST_ID_CHARACTERS = 300;
/** A verification with a larger key would cost too much. */
const MODULUS_BITS = { min: 2048, max: 8192 };
/** A longer public exponent makes a verification as slow as a signature. */
const MOST_EXPONENT_CHARACTERS = 6;
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

type Kind = { readonly members: readonly string[]; readonly algorithms: readonly string[] };
const KINDS: Readonly<Record<string, Kind>> = {
  'EC P-256': { members: ['kty', 'crv', 'x', 'y'], algorithms: ['ES256'] },
  'OKP Ed25519': { members: ['kty', 'crv', 'x'], algorithms: ['Ed25519', 'EdDSA'] },
  RSA: { members: ['kty', 'n', 'e'], algorithms: ['PS256'] },
};

type Jwk = Readonly<Record<string, unknown>>;
type KeySet = { readonly jwks: string } | { readonly problem: string };

const NO_SET = `must be a JWK Set with 1 to ${MOST_KEYS} keys`;
const PRIVATE = 'must have public keys only: a private key was given, so create another key pair';
const UNUSABLE =
  'must have keys for signatures with ES256, PS256 (RSA, 2,048 to 8,192 bits) or Ed25519, each with a different kid';

/**
 * Returns the set as JSON with the members that are used, or its problem as the end of a sentence. `isLenient` leaves out
 * keys for other purposes, as a set at an address can have them (RFC 7517 §5).
 */
export async function readKeySet(sent: unknown, isLenient = false): Promise<KeySet> {
  const { keys: list } = asObject(sent) ?? {};
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_KEYS) return { problem: NO_SET };
  const all = list.map((key: unknown) => asObject(key) ?? {});
  if (all.some((key) => PRIVATE_MEMBERS.some((name) => Object.hasOwn(key, name))))
    return { problem: PRIVATE };
  const keys: Jwk[] = [];
  for (const key of all) {
    const usable = await readKey(key);
    if (usable === undefined ? !isLenient : keys.some(({ kid }) => kid !== undefined && kid === usable.kid))
      return { problem: UNUSABLE };
    if (usable !== undefined) keys.push(usable);
  }
  return keys.length === 0 ? { problem: UNUSABLE } : { jwks: JSON.stringify({ keys }) };
}

/** The id and the algorithm of each key in a stored set. */
export function describeKeys(
  jwks: string,
): { readonly kid: string | undefined; readonly algorithm: string }[] {
  const { keys }: { keys: readonly Jwk[] } = JSON.parse(jwks);
  return keys.map((key) => ({
    kid: key.kid === undefined ? undefined : String(key.kid),
    algorithm: findKind(key)?.algorithms[0] ?? String(key.kty),
  }));
}

const findKind = ({ kty, crv }: Jwk): Kind | undefined => KINDS[kty === 'RSA' ? 'RSA' : `${kty} ${crv}`];

async function readKey(key: Jwk): Promise<Jwk | undefined> {
  const kind = findKind(key);
  const { alg = kind?.algorithms[0], use = 'sig', key_ops: uses = ['verify'], kid } = key;
  if (kind === undefined || use !== 'sig' || !kind.algorithms.includes(String(alg))) return undefined;
  if (!Array.isArray(uses) || !uses.includes('verify')) return undefined;
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > MOST_ID_CHARACTERS)) return undefined;
  const members = Object.fromEntries(kind.members.map((name) => [name, key[name]]));
  if (!Object.values(members).every((value) => typeof value === 'string')) return undefined;
  const { importJWK } = await import('jose');
  // Fails for a point that is not on the curve, and for invalid base64url.
  const imported = await importJWK(members, kind.algorithms[0]).catch(() => undefined);
  if (imported === undefined || imported instanceof Uint8Array) return undefined;
  const { modulusLength: bits } = imported.algorithm as { modulusLength?: number }; // RsaHashedKeyAlgorithm has it.
  if (bits !== undefined && (bits < MODULUS_BITS.min || bits > MODULUS_BITS.max)) return undefined;
  if (bits !== undefined && String(members.e).length > MOST_EXPONENT_CHARACTERS) return undefined;
  return { ...members, ...(kid !== undefined && { kid }) };
}

export type ClientKeyReaderDeps = {
  readonly clientKeys: Pick<ClientKeyStore, 'findKeys' | 'saveReadKeys'>;
  readonly egress: Pick<Egress, 'request'>;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
};

const MINUTE_MS = 60_000;
/** A set at an address is used for this long after it was read, also if it cannot be read again. */
const MOST_AGE_MS = 24 * 60 * MINUTE_MS;
const FRESH_MS = { min: 5 * MINUTE_MS, max: MOST_AGE_MS };
const READ_TIMEOUT_MS = 5_000;
const MOST_BYTES = 100_000;

type Remote = Extract<StoredClientKeys, { readonly jwksUri: string }> & { readonly clientId: string };
type Reading = {
  readonly jwksUri: string;
  readonly at: number;
  readonly keys: Promise<ReadKeys | undefined>;
};

/** Returns the key set of an application as JSON, undefined if it has none. `kid` is that of an assertion. */
export type ClientKeyReader = (clientId: string, kid: string | undefined) => Promise<string | undefined>;

/** Reads a set at most once a minute per application. Throws OAuthError 503 if it cannot be read and none is cached. */
export function clientKeyReader(deps: ClientKeyReaderDeps): ClientKeyReader {
  const { clientKeys, now } = deps;
  /** The last reading of each application with an address. */
  const readings = new Map<string, Reading>();
  const readAgain = (remote: Remote): Reading['keys'] => {
    const last = readings.get(remote.clientId);
    if (last?.jwksUri === remote.jwksUri && now() - last.at < MINUTE_MS) return last.keys;
    const keys = readRemote(remote, deps);
    readings.set(remote.clientId, { jwksUri: remote.jwksUri, at: now(), keys });
    // A failure of the database is reported to these callers only.
    keys.catch(() => readings.delete(remote.clientId));
    return keys;
  };
  return async (clientId, kid) => {
    const stored = await clientKeys.findKeys(clientId);
    if (stored?.jwksUri === undefined) return stored?.jwks;
    const cached = stored.cached && now() - stored.cached.readAt < MOST_AGE_MS ? stored.cached : undefined;
    if (cached !== undefined && cached.freshUntil > now()) {
      if (kid === undefined || hasKey(cached.jwks, kid) || now() - cached.readAt < MINUTE_MS)
        return cached.jwks;
    }
    const { jwks } = (await readAgain({ ...stored, clientId })) ?? cached ?? {};
    if (jwks !== undefined) return jwks;
    const message = 'The keys of the application cannot be read from its jwks_uri';
    throw new OAuthError(ANY_CALL.temporarily_unavailable, message, { retryAfter: MINUTE_MS / 1000 });
  };
}

function hasKey(jwks: string, kid: string): boolean {
  const { keys }: { keys: readonly Jwk[] } = JSON.parse(jwks);
  return keys.some((key) => key.kid === kid);
}

/** Reads the set, saves it and returns it. A failure is logged. */
async function readRemote(remote: Remote, deps: ClientKeyReaderDeps): Promise<ReadKeys | undefined> {
  const { clientId, jwksUri, isPublicOnly } = remote;
  const { clientKeys, egress, log, now } = deps;
  const fail = (reason: string): undefined =>
    void log.warn(
      { event: 'client_keys_not_read', clientId, reason },
      'The keys of an application could not be read',
    );
  try {
    const { status, body, header } = await egress.request({
      ...{ method: 'GET', url: jwksUri, publicOnly: isPublicOnly, clientId },
      headers: { accept: 'application/jwk-set+json, application/json' },
      mayFollow: () => false,
      ...{ timeoutMs: READ_TIMEOUT_MS, maxBytes: MOST_BYTES },
    });
    if (status !== 200) return fail(`status ${status}`);
    const set = await readKeySet(jsonIn(body.toString()), true);
    if ('problem' in set) return fail(`it ${set.problem}`);
    const readAt = now();
    const keys = { jwks: set.jwks, readAt, freshUntil: readAt + freshMs(header('cache-control')) };
    // If the database takes no writes now, this instance still reads the set only once a minute.
    await clientKeys.saveReadKeys({ clientId, jwksUri }, keys).catch((reason: unknown) => {
      if (!isDatabaseAway(reason)) throw reason;
    });
    return keys;
  } catch (error) {
    if (error instanceof EgressError) return fail(error.message);
    throw error;
  }
}

function freshMs(cacheControl = ''): number {
  const seconds = Number(/\bmax-age=(\d{1,9})/i.exec(cacheControl)?.[1] ?? 0);
  return Math.min(Math.max(seconds * 1000, FRESH_MS.min), FRESH_MS.max);
}
