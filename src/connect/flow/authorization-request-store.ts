import type { Theme } from '../../branding/branding.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import type { Scope } from '../../oauth/scope.ts';
import type { Decision, GroupsOfUser } from './account-groups.ts';

/** Where the pages run: in the browser's own window, or in one that an application's page opened. */
export type Display = 'page' | 'popup';

/** One run through /authorize and the Connect pages, kept for two hours. */
export type AuthorizationRequest = {
  /** 128 random bits, in the page's address. */
  readonly transactionId: string;
  readonly clientId: string;
  readonly userId: string;
  /** The registered one; whatever was sent as `redirect_uri` is ignored (docs/wire.md O4.1). */
  readonly redirectUri: string;
  readonly scope: Scope;
  /** As received, still percent-encoded: it goes back exactly so. */
  readonly state: string | undefined;
  readonly codeChallenge: string | undefined;
  /** The matched catalogue, such as `fr`. */
  readonly language: string;
  /** As it was sent, `auto` included; `undefined` when none was. */
  readonly theme: Theme | undefined;
  readonly display: Display;
  /** The choices the page offers. */
  readonly providers: readonly ProviderKind[];
  /** The part of the received query string with which the flow can be started again. */
  readonly query: string;
  /** SHA-256 of its second secret, which only a cookie has: an address alone finishes nothing (docs/security.md T8). */
  readonly secretHash: string;
  /** Whether the application pushed it (RFC 9126), and so says who its user is. */
  readonly isPushed: boolean;
  /** Of a pushed one: what people call the user. */
  readonly userName: string | undefined;
  /** Of a pushed one: the account that a provider's page is to begin with. */
  readonly loginHint: string | undefined;
  /** Since when its user, who allowed it, waits for another approval to be redeemed. Epoch milliseconds. */
  readonly allowedAt: number | undefined;
  /** Whether an account was disconnected in it: then it is left with "Done". */
  readonly hasDisconnected: boolean;
  /** Whether it went straight to the only provider it offers. */
  readonly wasSentAhead: boolean;
  /** Proves that a form was made by a page of this transaction. */
  readonly formToken: string;
  readonly status: 'open' | 'approved' | 'denied';
  /** Epoch milliseconds. */
  readonly createdAt: number;
};

export type UserKey = Pick<AuthorizationRequest, 'clientId' | 'userId'>;

/** Who allows what, and when, in epoch milliseconds. */
export type Approver = {
  readonly request: AuthorizationRequest;
  /** SHA-256 of the browser's device cookie; `undefined` when it has none. */
  readonly deviceHash: string | undefined;
  readonly now: number;
};

/** As `Decision` has it, and `answered` for a request that was not open any more. */
export type ApprovalResult = 'approved' | 'answered' | 'nothing' | 'waits';

export type RequestProgress = Partial<
  Pick<AuthorizationRequest, 'allowedAt' | 'hasDisconnected' | 'wasSentAhead'>
>;

/** How far a flow comes before it is over, in this order. */
export const FLOW_STEPS = ['chosen', 'linked', 'allowed'] as const;
export type FlowStep = (typeof FLOW_STEPS)[number];

export interface AuthorizationRequestStore {
  /**
   * Keeps it. Where the application has more than `mostOpen` requests, the oldest in which nothing was done are forgotten.
   */
  createRequest(request: AuthorizationRequest, mostOpen: number): Promise<void>;
  findRequest(transactionId: string): Promise<AuthorizationRequest | undefined>;

  /** The user's groups, as a browser with this device hash stands to them. */
  groupsOf(user: UserKey, deviceHash: string | undefined, now: number): Promise<GroupsOfUser>;

  /**
   * open → approved, writing the code's record in place of one with the same challenge. `decide` says what that does,
   * on the user's state in the same database transaction; what it refuses changes nothing. Of concurrent calls exactly
   * one answers `approved`; the others `answered`. Durable.
   */
  approveRequest(approver: Approver, decide: (user: GroupsOfUser) => Decision): Promise<ApprovalResult>;

  /**
   * open → denied, deleting the accounts that were linked in it. Of concurrent calls, and of approvals beside them,
   * exactly one answers true.
   */
  denyRequest(transactionId: string, now: number): Promise<boolean>;

  /** Notes on an open request how far it went; nothing happens to one that ended. */
  noteProgress(transactionId: string, progress: RequestProgress): Promise<void>;

  /**
   * Notes that it came so far, and answers which steps it had not come to before, those it skipped included: each of a
   * request is answered once, whatever happens at the same time. None of a request that is forgotten.
   */
  reachStep(transactionId: string, step: FlowStep): Promise<readonly FlowStep[]>;

  /** Shows the rest of an open request's pages in `language`; nothing happens to one that ended. */
  setLanguage(transactionId: string, language: string): Promise<void>;

  /** Forgets requests made before `createdBefore`. */
  deleteExpiredRequests(createdBefore: number): Promise<number>;
}
