/** The identity of a member at an OpenID issuer. Instants are epoch milliseconds. */

/** An issuer and its `sub`, which no other account there ever has (OpenID Connect Core 1.0 §2). */
export type Identity = { readonly issuer: string; readonly subject: string };

/** The source of a role: given by an owner, or by the claims of each sign-in. */
export type RoleSource = 'assigned' | 'claims';

/** The identity of a member, as it is stored. A member has at most one. */
export type PersonIdentity = Identity & {
  readonly roleSource: RoleSource;
  /** When they last signed in with it; undefined if they never did. */
  readonly usedAt: number | undefined;
};
