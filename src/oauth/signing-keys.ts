/** Token signing keys: active, next, and all previous ones, which still verify: refresh tokens carry no `exp`. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { By } from '../audit/audit-entry.ts';
import { type JwtKey, jwtKey, protectedHeader } from '../lib/jwt.ts';
import type { Log } from '../lib/log.ts';
import { type Sealer, sealedField } from '../lib/sealing.ts';
import { FIXED_ALGORITHMS } from './issuers.ts';
import type { SigningAlgorithm, SigningKeyRecord, SigningKeyStore } from './signing-key-store.ts';

/** `typ` distinguishes access tokens of users, refresh tokens, and access tokens of applications. */
export const TOKEN_TYPES = ['at+jwt', 'rt+jwt', 'app+jwt'] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];

export type SigningKeysDeps = {
  readonly keys: SigningKeyStore;
  readonly sealer: Sealer;
  readonly now: () => number;
};

/** A failed reload belongs to no request, so it is only logged. */
export type LoadedKeysDeps = SigningKeysDeps & { readonly log: Pick<Log, 'error'> };

export type TokenKey = { readonly key: JwtKey; readonly type: TokenType };

export interface SigningKeys {
  /**
   * Returns the key to sign with, and its encoded header for a type. `algorithm` is that of `openSigningKeys` by default;
   * another one must be prepared.
   */
  signing(type: TokenType, algorithm?: SigningAlgorithm): { readonly key: JwtKey; readonly header: string };
  /** Loads the keys again if there is none of `algorithm`, and creates the first ones if no instance did. */
  prepare(algorithm: SigningAlgorithm): Promise<void>;
  /** Returns the key and type of a token's encoded header. For an unknown header it reloads the keys once. */
  find(header: string): TokenKey | undefined | Promise<TokenKey | undefined>;
  /** Returns the public keys of `algorithm`, as for `signing`, as a JWK Set (RFC 7517 §5); empty with HS256. */
  publicKeys(algorithm?: SigningAlgorithm): Promise<{ readonly keys: readonly object[] }>;
}

/** A rotation by another instance or the command line takes effect within this time. */
const RELOAD_MS = 30_000;
const UNKNOWN_HEADERS_KEPT = 10_000;

type ActiveKey = { readonly key: JwtKey; readonly headers: Readonly<Record<TokenType, string>> };

type KeySet = {
  readonly active: Readonly<Partial<Record<SigningAlgorithm, ActiveKey>>>;
  readonly headers: ReadonlyMap<string, TokenKey>;
  readonly keys: readonly JwtKey[];
  readonly loadedAt: number;
};

/** Creates the first keys of `ofDefault` if there are none, and loads all. */
export async function openSigningKeys(
  ofDefault: SigningAlgorithm,
  deps: LoadedKeysDeps,
): Promise<SigningKeys> {
  await addFirstKeys(ofDefault, deps);
  let keySet = await loadKeySet(deps);
  let reloading: Promise<void> | undefined;
  const unknown = new Set<string>();

  const reload = (): Promise<void> => {
    reloading ??= loadKeySet(deps)
      .then((loaded) => {
        keySet = loaded;
      })
      .finally(() => {
        reloading = undefined;
      });
    return reloading;
  };
  const reloadAndFind = async (header: string): Promise<TokenKey | undefined> => {
    await reload();
    const tokenKey = keySet.headers.get(header);
    if (tokenKey === undefined) {
      if (unknown.size >= UNKNOWN_HEADERS_KEPT) unknown.clear();
      unknown.add(header);
    }
    return tokenKey;
  };
  const reloadWhenOld = () => {
    if (deps.now() - keySet.loadedAt <= RELOAD_MS) return;
    // The caller does not see this failure: the next call tries again, and the loaded keys still sign.
    reload().catch((err) =>
      deps.log.error({ event: 'signing_keys_not_loaded', err }, 'The signing keys could not be reloaded'),
    );
  };

  return {
    signing(type, algorithm = ofDefault) {
      reloadWhenOld();
      const { key, headers } = activeKey(keySet, algorithm);
      return { key, header: headers[type] };
    },
    async prepare(algorithm) {
      // A reload that was running already may have missed the new keys, so it is repeated once.
      for (const isCreated of [false, true, false]) {
        if (keySet.active[algorithm] !== undefined) return;
        if (isCreated) await addFirstKeys(algorithm, deps);
        await reload();
      }
    },
    find(header) {
      const tokenKey = keySet.headers.get(header);
      return tokenKey !== undefined || unknown.has(header) || !namesKey(header)
        ? tokenKey
        : reloadAndFind(header);
    },
    async publicKeys(algorithm = ofDefault) {
      if (algorithm === 'HS256') return { keys: [] };
      if (keySet.active[algorithm] === undefined) await reload();
      else reloadWhenOld();
      return { keys: keySet.keys.flatMap((key) => (key.algorithm === algorithm ? [publicJwk(key)] : [])) };
    },
  };
}

/** Creates an active and a next key of `algorithm` unless there are such. */
export async function addFirstKeys(algorithm: SigningAlgorithm, deps: SigningKeysDeps): Promise<void> {
  await deps.keys.addSigningKey(freshKey(algorithm, 'active', deps));
  await deps.keys.addSigningKey(freshKey(algorithm, 'next', deps));
}

/**
 * Rotates the keys (`kalends keys rotate`): active → previous, next → active, new → next. Also those of the issuers with
 * an algorithm of their own, if there are such. Returns the active `kid` of `algorithm`.
 */
export async function rotateSigningKeys(algorithm: SigningAlgorithm, deps: SigningKeysDeps & By) {
  const { active } = await loadKeySet(deps);
  const others = FIXED_ALGORITHMS.filter((fixed) => fixed !== algorithm && active[fixed] !== undefined);
  for (const each of [...others, algorithm]) {
    await addFirstKeys(each, deps);
    await deps.keys.rotateSigningKeys(freshKey(each, 'next', deps), deps.by);
  }
  return activeKey(await loadKeySet(deps), algorithm).key.kid;
}

function activeKey({ active }: KeySet, algorithm: SigningAlgorithm): ActiveKey {
  const key = active[algorithm];
  if (key === undefined) throw new Error(`There is no active ${algorithm} signing key`);
  return key;
}

function freshKey(
  algorithm: SigningAlgorithm,
  status: SigningKeyRecord['status'],
  { sealer, now }: SigningKeysDeps,
): SigningKeyRecord {
  const kid = randomBytes(9).toString('base64url');
  const material = algorithm === 'HS256' ? randomBytes(32).toString('base64url') : freshPrivateKey();
  return { kid, algorithm, sealed: sealer.seal(material, contextOf(kid)), status, createdAt: now() };
}

function freshPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function loadKeySet({ keys, sealer, now }: SigningKeysDeps): Promise<KeySet> {
  const records = await keys.listSigningKeys();
  const loaded = records.map((record) => ({
    record,
    key: jwtKey(record.kid, record.algorithm, sealer.open(record.sealed, contextOf(record.kid))),
  }));
  const active = loaded.filter(({ record }) => record.status === 'active');
  const headers = loaded.flatMap(({ key }) =>
    TOKEN_TYPES.map((type) => [protectedHeader(key, type), { key, type }] as const),
  );
  return {
    active: Object.fromEntries(active.map(({ key }) => [key.algorithm, withHeaders(key)])),
    headers: new Map(headers),
    keys: loaded.map(({ key }) => key),
    loadedAt: now(),
  };
}

const withHeaders = (key: JwtKey): ActiveKey => ({
  key,
  headers: {
    'at+jwt': protectedHeader(key, 'at+jwt'),
    'rt+jwt': protectedHeader(key, 'rt+jwt'),
    'app+jwt': protectedHeader(key, 'app+jwt'),
  },
});

const contextOf = sealedField('signing_key.sealed');

/** Returns whether Kalends can have issued the header; otherwise no database query is needed. */
function namesKey(header: string): boolean {
  if (header.length > 200) return false;
  return /^\{"alg":"(HS|ES)256","typ":"(?:at|rt|app)\+jwt","kid":"[\w-]{12}"\}$/.test(
    Buffer.from(header, 'base64url').toString(),
  );
}

function publicJwk(key: JwtKey & { algorithm: 'ES256' }): object {
  return { ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, alg: key.algorithm, use: 'sig' };
}
