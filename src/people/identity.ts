/** The identity of a member at an OpenID issuer. Instants are epoch milliseconds. */

/** An issuer and its `sub`, which no other account there ever has (OpenID Connect Core 1.0 §2). */
export type Identity = { readonly issuer: string; readonly subject: string };

export type RoleSource = 'assigned' | 'claims';

/** The identity of a member, as it is stored. A member has at most one. */
export type PersonIdentity = Identity & {
  readonly roleSource: RoleSource;
  /** The last sign-in with it. Undefined if there was none. */
  readonly usedAt: number | undefined;
};
