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
};
