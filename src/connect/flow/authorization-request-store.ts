import type { Theme } from '../../branding/branding.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import type { IssuerName } from '../../oauth/issuers.ts';
import type { Scope } from '../../oauth/scope.ts';
import type { Decision, GroupsOfUser } from './account-groups.ts';

/** Where the pages run: in the browser's window, or in a popup that an application's page opened. */
export type Display = 'page' | 'popup';

/** One run through /authorize and the Connect pages, stored for two hours. */
export type AuthorizationRequest = {
  /** 128 random bits, in the page's address. */
  readonly transactionId: string;
  /** The issuer at which it began. */
  readonly issuer: IssuerName;
  readonly clientId: string;
  readonly userId: string;
  /** A registered one or the playground's (docs/wire.md O4.1). */
  readonly redirectUri: string;
  readonly scope: Scope;
  /** Percent-encoded as received, and returned unchanged. */
  readonly state: string | undefined;
  readonly codeChallenge: string | undefined;
  /** The resource for which tokens are requested (RFC 8707). */
  readonly resource: string | undefined;
  /** The thumbprint of the DPoP key that the code will be bound to (RFC 9449 §10). */
  readonly dpopJkt?: string | undefined;
  readonly language: string;
  /** The received value, `auto` included. */
  readonly theme: Theme | undefined;
  readonly display: Display;
  readonly providers: readonly ProviderKind[];
  /** The part of the received query that can start the flow again. */
  readonly query: string;
  /** SHA-256 of the secret in the transaction's cookie. The address alone is not enough (docs/security.md T8). */
  readonly secretHash: string;
  /** Whether it was pushed (RFC 9126), so that only `request_uri` counts in its address. */
  readonly isPushed: boolean;
  /** Whether an authenticated application pushed it, and so vouches for its user. */
  readonly isVouched: boolean;
  /** The user's name for people. Only vouched requests have it. */
  readonly userName: string | undefined;
  /** The account with which a provider's page begins. Only vouched requests have it. */
  readonly loginHint: string | undefined;
  /** When the user allowed it: another approval was to be redeemed first, or a sign-in needed no consent. Epoch milliseconds. */
  readonly allowedAt: number | undefined;
  /** Whether an account was disconnected in it, so that the page ends with "Done". */
  readonly hasDisconnected: boolean;
  readonly wasSentAhead: boolean;
  /** The key of the account to reconnect. */
  readonly reconnects: string | undefined;
  /** Proves that a form comes from a page of this transaction. */
  readonly formToken: string;
  readonly status: 'open' | 'approved' | 'denied';
  /** Epoch milliseconds. */
  readonly createdAt: number;
};

/** Returns whether the text has the form of every issued id: 128 bits of base64url. */
export const isTransactionId = (text: string): boolean => /^[\w-]{22}$/.test(text);

/** Returns whether a reconnect link began it. It then repairs one account, and never gives a code or shows others. */
export const isReconnectLink = ({
  reconnects,
  isPushed,
}: Pick<AuthorizationRequest, 'reconnects' | 'isPushed'>): boolean => reconnects !== undefined && !isPushed;

export type UserKey = Pick<AuthorizationRequest, 'clientId' | 'userId'>;

/** The request and browser of an approval. `now` is in epoch milliseconds. */
export type Approver = {
  readonly request: AuthorizationRequest;
  readonly deviceHash: string | undefined;
  /** The SHA-256 of an opaque code; undefined if the code is the user's id. */
  readonly codeHash?: string | undefined;
  readonly now: number;
};

/** `answered`: the request was not open any more. The others are as in `Decision`. */
export type ApprovalResult = 'approved' | 'answered' | 'nothing' | 'waits';

export type RequestProgress = Partial<
  Pick<AuthorizationRequest, 'allowedAt' | 'hasDisconnected' | 'wasSentAhead' | 'language'>
>;

export const FLOW_STEPS = ['chosen', 'linked', 'allowed'] as const;
export type FlowStep = (typeof FLOW_STEPS)[number];

export interface AuthorizationRequestStore {
  /** Stores the request. If the application has more than `mostOpen`, deletes the oldest in which nothing was done. */
  createRequest(request: AuthorizationRequest, mostOpen: number): Promise<void>;
  findRequest(transactionId: string): Promise<AuthorizationRequest | undefined>;

  /** Returns the user's groups as seen from a browser with this device hash. */
  groupsOf(user: UserKey, deviceHash: string | undefined, now: number): Promise<GroupsOfUser>;

  /**
   * Changes open to approved and writes the record of the code. If the code is the user's id, it replaces one with the
   * same challenge. Calls `decide`
   * with the user's state in the same transaction; if it refuses, nothing changes. Of concurrent calls exactly one
   * returns `approved`, the others `answered`. Durable when it returns.
   */
  approveRequest(approver: Approver, decide: (user: GroupsOfUser) => Decision): Promise<ApprovalResult>;

  /** Denies an open request and deletes its linked accounts; false if another call or an approval came first. */
  denyRequest(transactionId: string, now: number): Promise<boolean>;

  /**
   * Ends the open request of a reconnect link without a code: the account that was signed in to in it joins the account
   * that it reconnects, which gets the new credentials. Coverage does not change. Unless `provesOwner`, the browser does
   * not become known for the user's accounts. Returns false, without a change, if the request or the account has ended.
   */
  reconnectAccount(
    request: Pick<AuthorizationRequest, 'transactionId' | 'clientId' | 'userId' | 'reconnects'>,
    signIn: { readonly provesOwner: boolean; readonly now: number },
  ): Promise<boolean>;

  /** Updates an open request; does nothing if it has ended. */
  noteProgress(transactionId: string, progress: RequestProgress): Promise<void>;

  /** Records that a request reached `step`. Returns each step, skipped ones included, once, also under concurrency. */
  reachStep(transactionId: string, step: FlowStep): Promise<readonly FlowStep[]>;

  /** Deletes requests created before `createdBefore`, in epoch milliseconds, and returns their number. */
  deleteExpiredRequests(createdBefore: number): Promise<number>;
}
