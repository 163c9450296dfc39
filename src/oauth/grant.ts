import type { Scope } from './scope.ts';

/**
 * What one completed authorization gave: the token family (RFC 9700 §4.14.2) of one code exchange.
 * Several of one (application, user) can live at once.
 */
export type Grant = {
  /** A 48-bit integer of its own, which every token of the family carries (refresh-token-id.ts). */
  readonly familyId: number;
  readonly clientId: string;
  readonly userId: string;
  readonly scope: Scope;
  /**
   * Names what its approval covers: the user's account groups, each at a scope of its own that is no wider than `scope`
   * (docs/security.md T3).
   */
  readonly coverageId: string;
};

/** Whose accounts are read, and by which of a user's grants. */
export type Reader = Pick<Grant, 'clientId' | 'userId'> & {
  /** `undefined`: all that living grants of the user cover, for the application itself. */
  readonly coverageId: string | undefined;
};

/** A reader that also says how much it may do: no account is shown to it beyond this scope. */
export type ScopedReader = Reader & Pick<Grant, 'scope'>;
