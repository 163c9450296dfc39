import type { Theme } from '../../branding/branding.ts';
import type { ProviderKind } from '../../calendars/provider-kind.ts';
import type { Scope } from '../../oauth/scope.ts';

/** Where the pages run: in the browser's own window, or in one that an application's page opened. */
export type Display = 'page' | 'popup';

/** One run through /authorize and the Connect pages, kept for two hours. */
export type AuthorizationRequest = {
  /** 128 random bits: in the page's address and in the cookie, which must agree. */
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
  /** The received query string, with which the flow can be started again. */
  readonly query: string;
  /** Proves that a form was made by a page of this transaction. */
  readonly formToken: string;
  readonly status: 'open' | 'approved' | 'denied';
  /** Epoch milliseconds. */
  readonly createdAt: number;
};

export interface AuthorizationRequestStore {
  createRequest(request: AuthorizationRequest): Promise<void>;
  findRequest(transactionId: string): Promise<AuthorizationRequest | undefined>;

  /**
   * open → approved, writing the code's record (a later approval replaces an earlier one), provided
   * the user has an account at least. Of concurrent calls exactly one answers true. Durable.
   */
  approveRequest(transactionId: string, now: number): Promise<boolean>;

  /** open → denied. Of concurrent calls, and of approvals beside them, exactly one answers true. */
  denyRequest(transactionId: string): Promise<boolean>;

  /** Shows the rest of an open request's pages in `language`; nothing happens to one that ended. */
  setLanguage(transactionId: string, language: string): Promise<void>;

  /** Forgets requests made before `createdBefore`. */
  deleteExpiredRequests(createdBefore: number): Promise<number>;
}
