/** A request that its caller may repeat, named by an Idempotency-Key of one user at one application. */
export type RepeatableRequest = {
  readonly clientId: string;
  readonly userId: string;
  /** What the caller's grant covers: an answer about an account that it may not write to is not shown to it. */
  readonly coverageId: string;
  /** SHA-256 of the key. */
  readonly keyHash: string;
  /** SHA-256 of what is asked for: another request must not come under the same key. */
  readonly requestHash: string;
};

/** Instants are epoch milliseconds. */
export type ClaimTerms = {
  /** Names the run; new for each. */
  readonly holder: string;
  /** Kept with the first claim, and answered to all later ones: what is created at the provider is named after it. */
  readonly seed: string;
  readonly now: number;
  /** When another may take over what this run did not finish. */
  readonly until: number;
  /** Claims made at this instant or before are forgotten. */
  readonly forgottenAt: number;
};

/** What a request was answered, and the account that is about. */
export type WriteAnswer = { readonly body: string; readonly accountKey: string };

export type Claim =
  /** The caller is to carry the request out. */
  | { readonly state: 'claimed'; readonly seed: string }
  | { readonly state: 'answered'; readonly answer: string }
  | { readonly state: 'under_way' }
  /** The key was used for another request, or for this one by a grant of the user that covers other accounts. */
  | { readonly state: 'other_request' };

export interface IdempotencyStore {
  /** Of any number of concurrent calls exactly one is told `claimed`, until its answer is kept or its time is up. */
  claim(request: RepeatableRequest, terms: ClaimTerms): Promise<Claim>;

  /** Keeps the answer for those who ask again; it goes with the account it is about. */
  keepAnswer(request: RepeatableRequest, holder: string, answer: WriteAnswer): Promise<void>;

  /** Lets the next one carry the request out, with the same seed: what became of this run is not known. */
  release(request: RepeatableRequest, holder: string): Promise<void>;

  /** As if it had never come: it was refused, and nothing was done. */
  forget(request: RepeatableRequest, holder: string): Promise<void>;

  /** Deletes what was claimed at `before` or earlier; answers how many. */
  deleteOldRequests(before: number): Promise<number>;
}
