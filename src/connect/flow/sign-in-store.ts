import type { AppKind } from '../../access/provider-apps.ts';
import type { PendingSignIn } from '../../calendars/calendar-provider.ts';
import type { Scope } from '../../oauth/scope.ts';

/** A browser that is on its way to a provider and back. It belongs to one authorization request. */
export type SignInId = {
  readonly transactionId: string;
  readonly kind: AppKind;
  /** SHA-256 of the `state` that was sent. */
  readonly stateHash: string;
};

/** What is stored of it, sealed, until it is back. */
export type StoredSignIn = {
  readonly pending: PendingSignIn;
  /** The client id of the app that the user was asked to allow. */
  readonly appClientId: string;
  /** What the provider was asked for. */
  readonly scope: Scope;
  /** The account whose owner was to be proved, where it was that. */
  readonly confirms?: string;
  /** The account that was to be connected again, where it was one. */
  readonly accountKey?: string;
};

/** How it ended: the word that the selection page shows, or `failed`. */
export type SignInOutcome = string;

export interface SignInStore {
  /** Begins one, in place of any other of the same request at the same provider. */
  beginSignIn(id: SignInId, signIn: StoredSignIn): Promise<void>;

  /**
   * Takes what was stored, once: of any number of concurrent calls exactly one gets it. The others, and
   * later ones, get how it ended, without an `outcome` while that is open. `undefined` for a state that
   * was never sent, or was replaced since.
   */
  takeSignIn(
    id: SignInId,
  ): Promise<{ readonly signIn: StoredSignIn } | { readonly outcome: SignInOutcome | undefined } | undefined>;

  /** Notes how it ended; a no-op when another was begun since. */
  endSignIn(id: SignInId, outcome: SignInOutcome): Promise<void>;
}
