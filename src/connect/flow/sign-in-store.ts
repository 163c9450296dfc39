import type { AppKind } from '../../access/provider-apps.ts';
import type { PendingSignIn } from '../../calendars/calendar-provider.ts';
import type { Scope } from '../../oauth/scope.ts';

/** A sign-in in progress at a provider. It belongs to one authorization request. */
export type SignInId = {
  readonly transactionId: string;
  readonly kind: AppKind;
  /** SHA-256 of the `state` that was sent. */
  readonly stateHash: string;
};

export type StoredSignIn = {
  readonly pending: PendingSignIn;
  readonly appClientId: string;
  readonly scope: Scope;
  /** The account whose owner is to be proved. */
  readonly confirms?: string;
  /** The account to reconnect. */
  readonly accountKey?: string;
};

/** The result of a sign-in: the word that the selection page shows, or `failed`. */
export type SignInOutcome = string;

export interface SignInStore {
  /** Begins a sign-in, in place of any other of the same request at the same provider. */
  beginSignIn(id: SignInId, signIn: StoredSignIn): Promise<void>;

  /**
   * Takes the stored sign-in: of concurrent calls exactly one gets it. The others, and later ones, get its outcome,
   * which is `undefined` while it is in progress. Returns `undefined` for a state that is unknown or was replaced.
   */
  takeSignIn(
    id: SignInId,
  ): Promise<{ readonly signIn: StoredSignIn } | { readonly outcome: SignInOutcome | undefined } | undefined>;

  /** Records the outcome; does nothing if another sign-in was begun since. */
  endSignIn(id: SignInId, outcome: SignInOutcome): Promise<void>;
}
