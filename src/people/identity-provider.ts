/** The port for the OpenID issuer at which members sign in. */
import type { Claims } from './claims.ts';

/** The values that a browser's return is checked against. Only that browser has them. */
export type PendingSignIn = {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
};

export type SignInRequest = {
  readonly redirectUri: string;
  /** Whether the issuer must authenticate the member again. */
  readonly isFresh: boolean;
};

/** The identity that the issuer confirmed. */
export type ProvenIdentity = {
  readonly subject: string;
  /** When they authenticated at the issuer, in epoch milliseconds; undefined if it does not say. */
  readonly authenticatedAt: number | undefined;
  readonly claims: Claims;
};

/** Fails with PeopleRefusal `issuer_unavailable`, `sign_in_cancelled`, or `sign_in_failed` for other reasons. */
export interface IdentityProvider {
  /** Part of the key of stored identities: it must never change for the same issuer. */
  readonly issuer: string;
  /** Returns the address to send the browser to. */
  begin(request: SignInRequest): Promise<{ readonly url: string; readonly pending: PendingSignIn }>;
  /** Verifies the return. `returned` is the address that the browser came back to, with its query. */
  complete(returned: URL, pending: PendingSignIn, request: SignInRequest): Promise<ProvenIdentity>;
}
