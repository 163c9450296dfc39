/** Token signing keys: active, next, and all previous ones, which still verify: refresh tokens carry no `exp`. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { By } from '../audit/audit-entry.ts';
import { type JwtKey, jwtKey, protectedHeader } from '../lib/jwt.ts';
import type { Log } from '../lib/log.ts';
import { type Sealer, sealedField } from '../lib/sealing.ts';
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
  /** Returns the key to sign with, and its encoded header for a type. */
  signing(type: TokenType): { readonly key: JwtKey; readonly header: string };
  /** Returns the key and type of a token's encoded header. For an unknown header it reloads the keys once. */
  find(header: string): TokenKey | undefined | Promise<TokenKey | undefined>;
  /** Returns the public keys as a JWK Set (RFC 7517 §5); empty with HS256. */
  publicKeys(): Promise<{ readonly keys: readonly object[] }>;
}

/** A rotation by another instance or the command line takes effect within this time. */
const RELOAD_MS = 30_000;
const UNKNOWN_HEADERS_KEPT = 10_000;

type KeySet = {
  readonly active: JwtKey;
  readonly headers: ReadonlyMap<string, TokenKey>;
  readonly activeHeaders: Readonly<Record<TokenType, string>>;
  readonly keys: readonly JwtKey[];
  readonly loadedAt: number;
};

/** Creates the first keys of `algorithm` if there are none, and loads all. */
export async function openSigningKeys(
  algorithm: SigningAlgorithm,
  deps: LoadedKeysDeps,
): Promise<SigningKeys> {
  await deps.keys.addSigningKey(freshKey(algorithm, 'active', deps));
  await deps.keys.addSigningKey(freshKey(algorithm, 'next', deps));
  let keySet = await loadKeySet(algorithm, deps);
  let reloading: Promise<void> | undefined;
  const unknown = new Set<string>();

  const reload = (): Promise<void> => {
    reloading ??= loadKeySet(algorithm, deps)
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
    signing(type) {
      reloadWhenOld();
      return { key: keySet.active, header: keySet.activeHeaders[type] };
    },
    find(header) {
      const tokenKey = keySet.headers.get(header);
      return tokenKey !== undefined || unknown.has(header) || !namesKey(header)
        ? tokenKey
        : reloadAndFind(header);
    },
    async publicKeys() {
      reloadWhenOld();
      return { keys: keySet.keys.flatMap((key) => (key.algorithm === 'ES256' ? [publicJwk(key)] : [])) };
    },
  };
}

/** Rotates the keys (`kalends keys rotate`): active → previous, next → active, new → next. Returns the active `kid`. */
export async function rotateSigningKeys(algorithm: SigningAlgorithm, deps: SigningKeysDeps & By) {
  await deps.keys.addSigningKey(freshKey(algorithm, 'active', deps));
  await deps.keys.addSigningKey(freshKey(algorithm, 'next', deps));
  await deps.keys.rotateSigningKeys(freshKey(algorithm, 'next', deps), deps.by);
  return (await loadKeySet(algorithm, deps)).active.kid;
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

async function loadKeySet(
  algorithm: SigningAlgorithm,
  { keys, sealer, now }: SigningKeysDeps,
): Promise<KeySet> {
  const records = await keys.listSigningKeys();
  const loaded = records.map((record) => ({
    record,
    key: jwtKey(record.kid, record.algorithm, sealer.open(record.sealed, contextOf(record.kid))),
  }));
  const active = loaded.find(({ record }) => record.algorithm === algorithm && record.status === 'active');
  if (active === undefined) throw new Error(`There is no active ${algorithm} signing key`);
  const headers = loaded.flatMap(({ key }) =>
    TOKEN_TYPES.map((type) => [protectedHeader(key, type), { key, type }] as const),
  );
  return {
    active: active.key,
    headers: new Map(headers),
    activeHeaders: {
      'at+jwt': protectedHeader(active.key, 'at+jwt'),
      'rt+jwt': protectedHeader(active.key, 'rt+jwt'),
      'app+jwt': protectedHeader(active.key, 'app+jwt'),
    },
    keys: loaded.map(({ key }) => key),
    loadedAt: now(),
  };
}

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
