import type { Scope } from './scope.ts';

/**
 * The result of one completed authorization: the token family (RFC 9700 §4.14.2) of one code exchange. Several grants
 * of one (application, user) can live at once.
 */
export type Grant = {
  /** A 48-bit integer that every token of the family carries (refresh-token-id.ts). */
  readonly familyId: number;
  readonly clientId: string;
  readonly userId: string;
  readonly scope: Scope;
  /**
   * Identifies the coverage of its approval: the user's account groups, each with a scope that is not wider than
   * `scope` (docs/security.md T3).
   */
  readonly coverageId: string;
};

/** The user whose accounts are read, and the grant that limits the reading. */
export type Reader = Pick<Grant, 'clientId' | 'userId'> & {
  /** `undefined`: everything that living grants of the user cover, for the application itself. */
  readonly coverageId: string | undefined;
};

/** A reader with a scope: it sees no account beyond this scope. */
export type ScopedReader = Reader & Pick<Grant, 'scope'>;
