/** Requests that their caller may repeat, each identified by an Idempotency-Key of its owner. */

/** A request of `Owner`: of a user at one application, or of an admin key. */
export type Repeated<Owner> = Owner & {
  /** SHA-256 of the key. */
  readonly keyHash: string;
  /** SHA-256 of the request: no other may use the same key. */
  readonly requestHash: string;
};

export type GrantOwner = {
  readonly clientId: string;
  readonly userId: string;
  /** The coverage of the caller's grant: it gets no response about an account that it may not write to. */
  readonly coverageId: string;
};
export type RepeatableRequest = Repeated<GrantOwner>;

export type AdminKeyOwner = { readonly keyId: string };
export type AdminRequest = Repeated<AdminKeyOwner>;

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
  /** The request made a change, and its response was not stored. */
  | { readonly state: 'lost' }
  /** The key was used for another request, or its owner may no longer read the response. */
  | { readonly state: 'other_request' };

export interface RepeatedRequests<Request, Answer> {
  /** Claims a request: one concurrent call returns `claimed`, until its response is stored or its time expires. */
  claim(request: Request, terms: ClaimTerms): Promise<Claim>;

  /** Stores the response for repetitions. */
  keepAnswer(request: Request, holder: string, answer: Answer): Promise<void>;

  /** Lets the next repetition execute the request with the same seed, because the result is unknown. */
  release(request: Request, holder: string): Promise<void>;

  /** Deletes the claim of a request that failed without a change. */
  forget(request: Request, holder: string): Promise<void>;

  /** Deletes claims made at `before` or earlier; returns their number. */
  deleteOldRequests(before: number): Promise<number>;
}

/** The requests of users. A response is deleted with its account. */
export type IdempotencyStore = RepeatedRequests<RepeatableRequest, WriteAnswer>;

/**
 * The requests of admin keys. A change whose Caller has the claim is made only while the claim is held, and marks the
 * request in its transaction: then no other run is claimed. A response is returned only to a key that is valid.
 */
export type AdminRequestStore = RepeatedRequests<AdminRequest, { readonly body: string }>;
