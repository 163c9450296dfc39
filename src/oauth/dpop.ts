/**
 * DPoP (RFC 9449, docs/wire.md O6): codes and tokens that are bound to a key, for applications with a sender constraint.
 * Proofs are checked at `/token` and `/par`, and at every resource.
 */
import { createHmac } from 'node:crypto';
import type { AskedBy, Asker } from '../http/asker.ts';
import { DPOP, DPOP_ALGS } from '../http/dpop-error.ts';
import { ANY_CALL, ApiError, type ErrorRow } from '../http/refusal.ts';
import type { Client } from './client.ts';
import { PROOF_MS, type ProvenRequest, readProof } from './dpop-proof.ts';
import { invalidGrant, invalidRequest, OAuthError } from './oauth-error.ts';
import { proofMemory } from './proof-memory.ts';
import type { UsedJtiStore } from './used-jti-store.ts';

/** The part of a request that is checked. `url` is its path and query as received. */
export type ProofRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};
/** The part of a request to a resource that is checked. */
export type AccessRequest = AskedBy &
  ProofRequest & { readonly headers: { readonly authorization?: string | undefined } };

/** A verified proof at `/token` or `/par`. */
export type TokenProof = {
  /** The thumbprint of its key (RFC 7638). */
  readonly jkt: string;
  /** Set if the next proof needs another nonce. */
  readonly nextNonce: string | undefined;
  /** Marks the proof as used. Throws OAuthError `invalid_dpop_proof` if it was used before, at any instance. */
  use(): Promise<void>;
};

/** A living access token and the scheme with which it was sent. `jkt` is set if it is bound. */
type SentToken = {
  readonly scheme: string;
  readonly text: string;
  readonly claims: Pick<Asker, 'clientId' | 'userId'> & { readonly jkt?: string | undefined };
};

export type SenderConstraint = Pick<Client, 'clientId' | 'senderConstraint' | 'dpopNonce'>;

export interface SenderConstraintStore {
  /** Lists the applications that require bound tokens or nonces. */
  listSenderConstraints(): Promise<readonly SenderConstraint[]>;
}

export type DpopDeps = {
  readonly usedJtis: Pick<UsedJtiStore, 'use'>;
  readonly senderConstraints: SenderConstraintStore;
  /** The key of the nonces; 32 bytes. */
  readonly nonceKey: Buffer;
  /** Returns whether the instance is reached at the origin of this URL. */
  readonly isPublicOrigin: (url: URL) => boolean;
  readonly now: () => number;
};

export interface Dpop {
  /**
   * Returns the verified proof of a request to `/token` or `/par`, or `undefined` if there is none or the application has
   * no sender constraint. The proof is not used yet. Throws OAuthError `invalid_dpop_proof` or `use_dpop_nonce`.
   */
  readTokenProof(request: ProofRequest, client: Client): Promise<TokenProof | undefined>;

  /**
   * Checks the binding and the proof of an access token. Returns `undefined` for an unbound token that is allowed. Throws
   * ApiError 401, or 400 for several proofs. The proof of a request is checked once, so a long poll can call it again.
   */
  checkAccess(request: AccessRequest, token: SentToken): Promise<void> | undefined;

  /** Returns the error of a token that is not a living access token. */
  refuseToken(token: { readonly scheme: string; readonly isRefreshToken: boolean }): ApiError;
}

/** The checks that every protected route has. */
export type AccessChecks = { readonly dpop: Pick<Dpop, 'checkAccess' | 'refuseToken'> };

const NONCE_MS = 5 * 60_000;
/** A changed sender constraint takes effect at resources within this time. */
const CONSTRAINTS_MS = 5_000;

const REPEATED = 'DPoP proof: jti was used before';
const OTHER_SCHEME = 'The access token is bound to a key: send it as Authorization: DPoP, with a proof';
const UNBOUND = 'The application requires bound tokens: refresh with a DPoP proof';
const OTHER_KEY = 'The DPoP proof is of another key than the refresh token';
const REFRESH_TOKEN =
  'This is a refresh token: exchange it at /token, and send the access token from that response';

export function openDpop(deps: DpopDeps): Dpop {
  const { usedJtis, now } = deps;
  const nonces = proofNonces(deps);
  const constraints = senderConstraints(deps);
  const isFirstUse = proofMemory();
  const checked = new WeakSet<ProofRequest>();
  const prove = (header: string, request: ProofRequest, token: ProvenRequest['token']) =>
    readProof(header, { method: request.method, isUrl: isUrlOf(request, deps), now: now(), token });

  const checkProof = async (
    request: ProofRequest,
    token: { clientId: string; text: string; jkt: string },
  ) => {
    const header = readHeader(request);
    if (header === undefined) throw refuseAccess(DPOP.invalid_dpop_proof);
    const proof = await prove(header, request, token);
    if ('problem' in proof) {
      const row = proof.isOtherKey ? ANY_CALL.invalid_token : DPOP.invalid_dpop_proof;
      throw refuseAccess(row, proof.problem, { status: proof.isRequest ? 400 : 401 });
    }
    const { clientId } = token;
    if (constraints.of(clientId)?.dpopNonce === 'on' && nonces.ageOf(proof.nonce) === undefined)
      throw refuseAccess(DPOP.use_dpop_nonce, undefined, { nonce: nonces.current() });
    if (!isFirstUse({ clientId, id: proof.id, expiresAt: now() + PROOF_MS }, now()))
      throw refuseAccess(DPOP.invalid_dpop_proof, REPEATED);
    checked.add(request);
  };

  const checkBinding = (request: AccessRequest, { scheme, text, claims }: SentToken) => {
    const { clientId, userId, jkt } = claims;
    const isRequired = constraints.of(clientId)?.senderConstraint === 'required';
    if (jkt === undefined && !isRequired && !isDpop(scheme)) return undefined;
    request.asker = { clientId, userId, isRefused: true };
    if (jkt !== undefined) {
      if (!isDpop(scheme)) throw refuseAccess(ANY_CALL.invalid_token, OTHER_SCHEME);
      return checked.has(request) ? undefined : checkProof(request, { clientId, text, jkt });
    }
    if (isRequired) throw refuseAccess(ANY_CALL.invalid_token, UNBOUND);
    // RFC 9449 §7.1: the scheme is for bound tokens.
    throw new ApiError(ANY_CALL.missing_token, { headers: { 'www-authenticate': 'Bearer' } });
  };

  return {
    async readTokenProof(request, client) {
      const header = readHeader(request);
      if (client.senderConstraint === 'off' || header === undefined) return undefined;
      const proof = await prove(header, request, undefined);
      if ('problem' in proof) throw new OAuthError(DPOP.invalid_dpop_proof, proof.problem);
      const age = client.dpopNonce === 'on' ? nonces.ageOf(proof.nonce) : 0;
      if (age === undefined) {
        const headers = { 'dpop-nonce': nonces.current() };
        throw new OAuthError(DPOP.use_dpop_nonce, undefined, { headers });
      }
      return {
        jkt: proof.jkt,
        nextNonce: age === 0 ? undefined : nonces.current(),
        async use() {
          if (!(await usedJtis.use(proof.id, now() + PROOF_MS)))
            throw new OAuthError(DPOP.invalid_dpop_proof, REPEATED);
        },
      };
    },

    checkAccess(request, token) {
      const loading = constraints.load();
      return loading ? loading.then(() => checkBinding(request, token)) : checkBinding(request, token);
    },

    refuseToken({ scheme, isRefreshToken }) {
      const row = ANY_CALL.invalid_token;
      const message = isRefreshToken ? REFRESH_TOKEN : row.message;
      if (isDpop(scheme)) return refuseAccess(row, message);
      const challenge = `Bearer error="invalid_token", error_description="${message}"`;
      return new ApiError(row, { message, headers: { 'www-authenticate': challenge } });
    },
  };
}

/** The proof of a request, and the key that its refresh token is bound to. */
type Binding = {
  readonly client: Client;
  readonly proof?: TokenProof | undefined;
  readonly boundTo?: string | undefined;
};

/**
 * Returns the thumbprint that new tokens are bound to, or `undefined` if they are not bound. Throws OAuthError if a proof is
 * required but missing, and if a public application proves another key than that of its refresh token (RFC 9449 §5).
 */
export function bindTokens({ client, proof, boundTo }: Binding): string | undefined {
  const { senderConstraint, clientAuthentication } = client;
  if (senderConstraint === 'off') return undefined;
  if (proof === undefined && (senderConstraint === 'required' || boundTo !== undefined))
    throw new OAuthError(DPOP.invalid_dpop_proof);
  if (clientAuthentication === 'none' && boundTo !== undefined && proof?.jkt !== boundTo)
    throw invalidGrant(OTHER_KEY);
  return proof?.jkt;
}

/**
 * Marks the proof as used. Anybody can name a public application, so its proof is stored only if `isFound` finds the code
 * or the token.
 */
export async function useProof({ client, proof }: Binding, isFound: () => Promise<boolean>): Promise<void> {
  if (client.clientAuthentication !== 'none' || (proof && (await isFound()))) await proof?.use();
}

/**
 * Returns the thumbprint that the code of a pushed request is bound to (RFC 9449 §10), and uses its proof. Throws
 * OAuthError.
 */
export async function bindRequest(
  { client, proof }: Binding,
  requested: string | undefined,
): Promise<string | undefined> {
  if (client.senderConstraint === 'off') return undefined;
  if (requested !== undefined && !isThumbprint(requested)) throw invalidRequest(NO_THUMBPRINT);
  if (requested !== undefined && proof !== undefined && proof.jkt !== requested)
    throw new OAuthError(DPOP.invalid_dpop_proof, 'The DPoP proof is of another key than dpop_jkt');
  // Nothing proves that a public application sent it. A repeated proof binds the code to the same key.
  await useProof({ client, proof }, async () => false);
  return requested ?? proof?.jkt;
}

/** Returns whether a text can be a SHA-256 thumbprint in base64url. */
export const isThumbprint = (text: string): boolean => /^[\w-]{43}$/.test(text);
export const NO_THUMBPRINT = 'dpop_jkt must be 43 characters of base64url';

const isDpop = (scheme: string): boolean => scheme.toLowerCase() === 'dpop';

/** Node joins several headers with commas. */
const readHeader = ({ headers: { dpop } }: ProofRequest): string | undefined =>
  Array.isArray(dpop) ? dpop.join(', ') : dpop;

/** RFC 9449 §4.3: query and fragment do not count. The URLs are normalized. */
const isUrlOf =
  ({ url }: ProofRequest, { isPublicOrigin }: Pick<DpopDeps, 'isPublicOrigin'>) =>
  (htu: URL): boolean =>
    htu.pathname === URL.parse(`http://origin${url}`)?.pathname &&
    htu.username + htu.password === '' &&
    isPublicOrigin(htu);

type Refused = { readonly status?: number; readonly nonce?: string };

function refuseAccess(row: ErrorRow, message = row.message, { status = 401, nonce }: Refused = {}): ApiError {
  const challenge = `DPoP error="${row.code}", error_description="${message}", ${DPOP_ALGS}`;
  const headers = { 'www-authenticate': challenge, ...(nonce !== undefined && { 'dpop-nonce': nonce }) };
  return new ApiError(row, { message, status, headers });
}

/** Nonces without state (RFC 9449 §8): each is the HMAC of a period of five minutes. */
function proofNonces({ nonceKey, now }: Pick<DpopDeps, 'nonceKey' | 'now'>) {
  const nonceOf = (age: number) => {
    const period = Math.floor(now() / NONCE_MS) - age;
    return createHmac('sha256', nonceKey).update(`dpop nonce ${period}`).digest('base64url');
  };
  return {
    current: () => nonceOf(0),
    /** Returns 0 for the current nonce, 1 for the previous one, `undefined` for any other. */
    ageOf: (nonce: string | undefined) => [0, 1].find((age) => nonceOf(age) === nonce),
  };
}

/** The applications that require more than a Bearer token, read again after CONSTRAINTS_MS. */
function senderConstraints(deps: Pick<DpopDeps, 'senderConstraints' | 'now'>) {
  let byClient: ReadonlyMap<string, SenderConstraint> = new Map();
  let loadedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;
  const load = async () => {
    const startedAt = deps.now();
    const rows = await deps.senderConstraints.listSenderConstraints();
    byClient = new Map(rows.map((row) => [row.clientId, row]));
    loadedAt = startedAt;
  };
  return {
    of: (clientId: string) => byClient.get(clientId),
    load(): Promise<void> | undefined {
      if (Math.abs(deps.now() - loadedAt) < CONSTRAINTS_MS) return undefined;
      loading ??= load().finally(() => {
        loading = undefined;
      });
      return loading;
    },
  };
}
