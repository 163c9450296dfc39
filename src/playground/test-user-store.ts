import type { By } from '../audit/audit-entry.ts';
import type { TestKey } from './test-key.ts';

/** A user of an application for a member's tests: one for each member and application. */
export type TestUser = {
  readonly clientId: string;
  readonly userId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** When it is deleted with all its data, in epoch milliseconds. */
  readonly endsAt: number;
  /** Whether it has tokens for calls. */
  readonly isConnected: boolean;
};

export type TestUserKey = Pick<TestUser, 'clientId' | 'userId'>;

/** A new flow. Instants are epoch milliseconds. */
export type NewFlow = {
  readonly clientId: string;
  readonly personId: string;
  /** The id of the test user if the member has none at this application. */
  readonly newUserId: string;
  /** The only session that can finish it. */
  readonly sessionId: string;
  readonly stateHash: string;
  /** The code verifier of PKCE (RFC 7636). */
  readonly verifier: string;
  readonly now: number;
  readonly endsAt: number;
};

/** The tokens for calls. `expiresAt` is the access token's, in epoch milliseconds. */
export type TestTokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: number;
  /** The DPoP key that they are bound to. */
  readonly key?: TestKey | undefined;
};

/** The tokens after a flow. `endsAt` is when the test user is deleted, in epoch milliseconds. */
export type Connection = { readonly tokens: TestTokens; readonly endsAt: number };

/** Test users with their flows and tokens, which are sealed at rest and deleted with the user. */
export interface TestUserStore {
  findTestUser(personId: string, clientId: string): Promise<TestUser | undefined>;

  listTestUsers(personId: string): Promise<readonly TestUser[]>;

  /**
   * Creates the test user if absent and replaces an earlier flow. Concurrent calls of one member return one user.
   * Returns `undefined` if the member or the application is gone.
   */
  beginFlow(flow: NewFlow): Promise<TestUser | undefined>;

  /** Uses the session's flow with this state, begun after `begunAfter`. Only one concurrent call returns it. */
  takeFlow(
    stateHash: string,
    by: { readonly sessionId: string; readonly begunAfter: number },
  ): Promise<{ readonly user: TestUser; readonly verifier: string } | undefined>;

  /** Stores the tokens after a flow. Returns false if the user is gone. */
  connect(user: TestUserKey, connection: Connection & By): Promise<boolean>;

  tokensOf(user: TestUserKey): Promise<TestTokens | undefined>;

  /** Stores renewed tokens. Does nothing if the user is gone. */
  renewTokens(user: TestUserKey, tokens: TestTokens): Promise<void>;

  /** Records in the audit log that a call changed something; `status` is that of its response. */
  noteCall(
    user: TestUserKey,
    call: By & { readonly operation: string; readonly status: number },
  ): Promise<void>;

  /** Returns expired test users and those whose member was removed, at most `limit`. */
  listEnded(now: number, limit: number): Promise<readonly TestUserKey[]>;
}
