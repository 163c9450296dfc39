/** Who a person is at an OpenID issuer. Instants are epoch milliseconds. */

/** An issuer and its `sub`, which no other account there ever has (OpenID Connect Core 1.0 §2). */
export type Identity = { readonly issuer: string; readonly subject: string };

/** Where a role comes from: given by an owner, or from the claims of each sign-in. */
export type RoleSource = 'assigned' | 'claims';

/** The identity of a person, as it is kept. A person has one at most. */
export type PersonIdentity = Identity & {
  readonly roleSource: RoleSource;
  /** When they last signed in with it; undefined before that. */
  readonly usedAt: number | undefined;
};
