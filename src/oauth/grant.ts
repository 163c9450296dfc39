import type { Scope } from './scope.ts';

/** The result of one authorization: the token family (RFC 9700 §4.14.2). An (application, user) can have several. */
export type Grant = {
  /** A 48-bit integer that every token of the family carries (refresh-token-id.ts). */
  readonly familyId: number;
  readonly clientId: string;
  readonly userId: string;
  readonly scope: Scope;
  /** The coverage of its approval: the user's account groups with scopes up to `scope` (docs/security.md T3). */
  readonly coverageId: string;
};

/** The user whose accounts are read, and the grant that limits the reading. */
export type Reader = Pick<Grant, 'clientId' | 'userId'> & {
  /** `undefined` means everything that the user's living grants cover, for the application itself. */
  readonly coverageId: string | undefined;
};

/** A reader that sees no account beyond its scope. */
export type ScopedReader = Reader & Pick<Grant, 'scope'>;
