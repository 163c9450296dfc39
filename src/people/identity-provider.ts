/** The port for an OpenID issuer that people of the dashboard sign in at. */
import type { Claims } from './claims.ts';

/** What a browser's return is checked against. Only that browser has it. */
export type PendingSignIn = {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
};

export type SignInRequest = {
  readonly redirectUri: string;
  /** Whether the issuer is to ask who it is, however lately it did. */
  readonly isFresh: boolean;
};

/** Who came back. */
export type ProvenIdentity = {
  readonly subject: string;
  /** When they proved to the issuer who they are, epoch milliseconds; undefined where it does not say. */
  readonly authenticatedAt: number | undefined;
  readonly claims: Claims;
};

/** Both methods fail with PeopleRefusal: `issuer_unavailable`, `sign_in_cancelled`, or `sign_in_failed` whatever was not right. */
export interface IdentityProvider {
  /** What identities are kept under: the same for as long as the issuer is. */
  readonly issuer: string;
  /** Where to send the browser. */
  begin(request: SignInRequest): Promise<{ readonly url: string; readonly pending: PendingSignIn }>;
  /** `returned` is the address that the browser came back to, with its query. */
  complete(returned: URL, pending: PendingSignIn, request: SignInRequest): Promise<ProvenIdentity>;
}
