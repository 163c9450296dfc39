/** A user of an application that a person of the dashboard tries it with: one for each person and application. */
export type TestUser = {
  readonly clientId: string;
  readonly userId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** When it is deleted with all it has; epoch milliseconds. */
  readonly endsAt: number;
  /** Whether there are tokens to call with. */
  readonly isConnected: boolean;
};

export type TestUserKey = Pick<TestUser, 'clientId' | 'userId'>;

/** A flow that begins. Instants are epoch milliseconds. */
export type NewFlow = {
  readonly clientId: string;
  readonly personId: string;
  /** The id of the test user, where the person has none at this application. */
  readonly newUserId: string;
  /** The session that alone can end it. */
  readonly sessionId: string;
  readonly stateHash: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: string;
  readonly now: number;
  readonly endsAt: number;
};

/** What calls are made with; `expiresAt` is the access token's, in epoch milliseconds. */
export type TestTokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: number;
};

/** What is kept after a flow, and until when (epoch milliseconds). */
export type Connection = { readonly tokens: TestTokens; readonly endsAt: number };

/** Test users with their flows and tokens, which are sealed at rest and go with the user. */
export interface TestUserStore {
  findTestUser(personId: string, clientId: string): Promise<TestUser | undefined>;

  /** All of a person, by application. */
  listTestUsers(personId: string): Promise<readonly TestUser[]>;

  /**
   * Makes the test user where there is none, and puts the flow in the place of one before. Of concurrent calls of one person
   * all answer one user. `undefined` when the person or the application is gone.
   */
  beginFlow(flow: NewFlow): Promise<TestUser | undefined>;

  /**
   * Spends the flow with this state, of this session, begun after `begunAfter`: of concurrent calls one is answered its
   * verifier, and all others `undefined`.
   */
  takeFlow(
    stateHash: string,
    by: { readonly sessionId: string; readonly begunAfter: number },
  ): Promise<{ readonly user: TestUser; readonly verifier: string } | undefined>;

  /** After a flow. False when the user is gone. */
  connect(user: TestUserKey, connection: Connection): Promise<boolean>;

  tokensOf(user: TestUserKey): Promise<TestTokens | undefined>;

  /** After a renewal; nothing happens where the user is gone. */
  renewTokens(user: TestUserKey, tokens: TestTokens): Promise<void>;

  /** Notes in the audit log that something was changed by a call; `status` is of its answer. */
  noteCall(user: TestUserKey, call: { readonly operation: string; readonly status: number }): Promise<void>;

  /** Those whose time is over, or whose person was removed; at most so many. */
  listEnded(now: number, limit: number): Promise<readonly TestUserKey[]>;
}
