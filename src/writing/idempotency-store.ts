/** A request that its caller may repeat, identified by a user's Idempotency-Key at one application. */
export type RepeatableRequest = {
  readonly clientId: string;
  readonly userId: string;
  /** The coverage of the caller's grant: it gets no response about an account that it may not write to. */
  readonly coverageId: string;
  /** SHA-256 of the key. */
  readonly keyHash: string;
  /** SHA-256 of the request: no other may use the same key. */
  readonly requestHash: string;
};

/** Instants are epoch milliseconds. */
export type ClaimTerms = {
  /** Identifies the run; new for each. */
  readonly holder: string;
  /** Stored with the first claim and returned to all later ones. Objects at the provider are named after it. */
  readonly seed: string;
  readonly now: number;
  /** When another run may take over an unfinished request. */
  readonly until: number;
  /** Claims made at this instant or before are deleted. */
  readonly forgottenAt: number;
};

/** A response and the account that it is about. */
export type WriteAnswer = { readonly body: string; readonly accountKey: string };

export type Claim =
  /** The caller must execute the request. */
  | { readonly state: 'claimed'; readonly seed: string }
  | { readonly state: 'answered'; readonly answer: string }
  | { readonly state: 'under_way' }
  /** The key was used for another request, or by a grant of the user that covers other accounts. */
  | { readonly state: 'other_request' };

export interface IdempotencyStore {
  /** Claims a request: one concurrent call returns `claimed`, until its response is stored or its time expires. */
  claim(request: RepeatableRequest, terms: ClaimTerms): Promise<Claim>;

  /** Stores the response for repetitions. It is deleted with its account. */
  keepAnswer(request: RepeatableRequest, holder: string, answer: WriteAnswer): Promise<void>;

  /** Lets the next repetition execute the request with the same seed, because the result is unknown. */
  release(request: RepeatableRequest, holder: string): Promise<void>;

  /** Deletes the claim of a request that failed without a change. */
  forget(request: RepeatableRequest, holder: string): Promise<void>;

  /** Deletes claims made at `before` or earlier; returns their number. */
  deleteOldRequests(before: number): Promise<number>;
}
