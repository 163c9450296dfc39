/**
 * The Connect pages as a state machine. A request is kept for two hours, and its state is in the store;
 * where its reader stands is in the address, and nothing is in the browser but the three cookies (connect-cookies.ts).
 *
 *   GET /authorize                    application, user, scope, … are checked
 *        │  302, Set-Cookie oauth_req
 *        ▼
 *   ┌─ selection ◄──────────────┐     GET /authorize?…&transaction=T; while calendars load, its script asks
 *   │    │  ▲ │                 │       GET /connect/progress
 *   │    │  └─┘ Disconnect      │     POST /connect/disconnect (accounts this browser linked)
 *   │    ├──► disconnect all ───┤     GET, POST /connect/disconnect-all (the question; Disconnect, or back)
 *   │    ├──────────► form ─────┤     GET, POST /connect/apple, /connect/caldav
 *   │    │         (wrong: form again, 4xx; right: account linked, 303)
 *   │    ├──────► provider's ───┤     GET /connect/google, /connect/microsoft: 303 to the provider's pages
 *   │    │          pages       │     GET /connect/google/callback …: account linked, or a word why not
 *   │    │ Continue, with an account at least
 *   │    ▼                      │
 *   │  consent ─────────────────┘     GET /connect/consent (no account any more: selection)
 *   │    │       │
 *   │    │ Allow │ Cancel             POST /connect/approve, POST /connect/cancel
 *   │    ▼       │
 *   │ [approved] │                    one code's record
 *   │    │       ▼
 *   └────┼──► [denied]                Cancel on the selection page is that of the consent page
 *        │       │
 *        ▼       ▼
 *      the answer, `code` or `error=access_denied`, each time it is asked for:
 *        ├── display=page ──► 303 to the application's redirect URI with it
 *        └── display=popup ─► a last page, 200: it tells the page that opened the popup, and closes; where there is
 *                             none to tell, it leads to that redirect URI
 *
 * On every page before the answer: POST /connect/language, kept with the request, and POST /connect/theme, kept by the
 * browser. Both lead back to the page they were sent from and change no state.
 *
 * `open` → `approved` and `open` → `denied` are each one conditional statement: of any number of
 * clicks one decides, and a repeated click is sent where the first one was. At every step page, cookie
 * and stored request must name the same transaction, application and user (`standingOf`).
 */
import { hash, timingSafeEqual } from 'node:crypto';

import type { Account } from '../../calendars/account-store.ts';
import type { AccountTrouble } from '../../calendars/account-trouble.ts';
import type { ProviderKind } from '../../calendars/provider-kind.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import type { RequestCookie } from './connect-cookies.ts';

/** How long a request can be answered, in milliseconds (requirement §8). */
export const REQUEST_LIFETIME_MS = 7200 * 1000;

/** What a page's address names. */
export type PageAddress = {
  readonly transactionId: string | undefined;
  /** Where the address has them, they must agree as well. */
  readonly clientId?: string | undefined;
  readonly userId?: string | undefined;
};

export type Standing = 'current' | 'finished' | 'other_connection' | 'session_expired';

/** Whether this browser may go on with `request`, and why not. */
export function standingOf(
  page: PageAddress,
  cookie: RequestCookie | undefined,
  request: AuthorizationRequest | undefined,
  now: number,
): Standing {
  if (cookie && page.transactionId !== undefined && cookie.transactionId !== page.transactionId) {
    return 'other_connection';
  }
  if (!cookie || !request || request.transactionId !== page.transactionId) return 'session_expired';
  if (now - request.createdAt >= REQUEST_LIFETIME_MS) return 'session_expired';
  const pairs = [
    [cookie.clientId, request.clientId],
    [cookie.userId, request.userId],
    [page.clientId ?? request.clientId, request.clientId],
    [page.userId ?? request.userId, request.userId],
  ];
  if (pairs.some(([claimed, stored]) => claimed !== stored)) return 'session_expired';
  return request.status === 'open' ? 'current' : 'finished';
}

/** What a browser tells about where a form was sent from. */
export type FormOrigin = {
  readonly formToken: string | undefined;
  readonly secFetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
};

/**
 * Whether a form came from a page of this request: its token says so, and no header says otherwise.
 * `Origin: null` is what a page with `Referrer-Policy: no-referrer` sends, so it speaks for nobody.
 */
export function isOwnForm(form: FormOrigin, request: AuthorizationRequest, publicUrl: string): boolean {
  if (!equalSecrets(form.formToken ?? '', request.formToken)) return false;
  if (form.secFetchSite !== undefined && !['same-origin', 'none'].includes(form.secFetchSite)) return false;
  if (form.origin === undefined || form.origin === 'null' || form.origin === publicUrl) return true;
  // Reached under another name than the public one, the browser's own origin is the one it asked.
  return form.host !== undefined && URL.parse(form.origin)?.host === form.host;
}

/** A linked account as this browser may see it. */
export type AccountView = {
  readonly accountKey: string;
  readonly provider: ProviderKind;
  /** Masked unless this browser linked it: whoever knows a user's id can open its page. */
  readonly name: string;
  readonly own: boolean;
  readonly trouble: AccountTrouble | undefined;
};

/** `troubleOf` says what is the matter with an account, for this request. */
export function viewAccounts(
  accounts: readonly Account[],
  ownKeys: ReadonlySet<string>,
  troubleOf: (account: Account) => AccountTrouble | undefined,
): AccountView[] {
  return accounts.map((account) => {
    const { accountKey, provider, display } = account;
    const own = ownKeys.has(accountKey);
    const name = own ? display : maskedName(display);
    return { accountKey, provider, name, own, trouble: troubleOf(account) };
  });
}

/** `jane@example.com` → `j•••@e•••.com`; any other name keeps its first character. */
export function maskedName(name: string): string {
  const at = name.lastIndexOf('@');
  if (at < 1) return mask(name);
  const domain = name.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  return `${mask(name.slice(0, at))}@${mask(domain)}${dot > 0 ? domain.slice(dot) : ''}`;
}

const mask = (text: string): string => `${firstCharacter(text)}•••`;

/** What a reader takes for one character, whatever it is made of. */
export function firstCharacter(text: string): string {
  for (const { segment } of new Intl.Segmenter('en').segment(text.trim())) return segment;
  return '';
}

/** Compares without telling by its time how much was right. */
function equalSecrets(presented: string, kept: string): boolean {
  const digest = (text: string) => Buffer.from(hash('sha256', text), 'hex');
  return timingSafeEqual(digest(presented), digest(kept));
}
