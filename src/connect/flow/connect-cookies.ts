/** The cookies of the Connect pages. On https both secrets are `__Host-` cookies, which no other host can set. */
import { randomBytes } from 'node:crypto';

import { parseTheme, type Theme } from '../../branding/branding.ts';
import type { CookieToSet } from '../../http/cookies.ts';
import {
  type AuthorizationRequest,
  isReconnectLink,
  isTransactionId,
} from './authorization-request-store.ts';

const REQUEST_SECONDS = 7200;
/** Browsers limit a cookie to 400 days (RFC 6265bis §5.5). */
const DEVICE_SECONDS = 400 * 24 * 3600;
const THEME_SECONDS = 365 * 24 * 3600;
const MOST_TRANSACTIONS = 8;

/** `publicUrl` is the public origin. */
export type CookiePlace = { readonly publicUrl: string };

export type TransactionCookie = {
  readonly transactionId: string;
  readonly secret: string;
  /** Epoch seconds. */
  readonly startedAt: number;
};

export type ConnectCookies = {
  readonly transactions: readonly TransactionCookie[];
  /** 256 random bits that prove the account groups stored with their hash. */
  readonly device: string | undefined;
  /** The color scheme that the user chose, for applications that leave the choice (docs/wire.md 4.3). */
  readonly theme: Theme | undefined;
};

type ReceivedCookies = Readonly<Record<string, string | undefined>>;

const TRANSACTION = 'kalends_tx_';
const DEVICE = 'kalends_device';

const cookiePrefix = ({ publicUrl }: CookiePlace): string =>
  publicUrl.startsWith('https:') ? '__Host-' : '';

/** Parses our cookies; invalid ones count as absent. `received` is null if the request failed before they were read. */
export function readCookies(received: ReceivedCookies | null, place: CookiePlace): ConnectCookies {
  const cookies = received ?? {};
  const prefix = cookiePrefix(place);
  const device = cookies[prefix + DEVICE];
  const transactions = Object.entries(cookies).flatMap(([name, value]) => {
    if (!name.startsWith(prefix + TRANSACTION)) return [];
    return readTransaction(name.slice(prefix.length + TRANSACTION.length), value ?? '');
  });
  return {
    transactions,
    device: device !== undefined && isSecret(device) ? device : undefined,
    theme: parseTheme(cookies.kalends_theme),
  };
}

function readTransaction(transactionId: string, value: string): TransactionCookie[] {
  const [, started = '', secret = ''] = /^([\da-z]{1,8})\.([\w-]{43})$/.exec(value) ?? [];
  if (!isTransactionId(transactionId) || secret === '') return [];
  return [{ transactionId, secret, startedAt: Number.parseInt(started, 36) }];
}

const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Returns the cookies of a new transaction: `oauth_req`, its secret, and the removal of the oldest over the limit. */
export function transactionCookies(
  request: AuthorizationRequest,
  secret: string,
  others: readonly TransactionCookie[],
  place: CookiePlace,
): CookieToSet[] {
  const name = (transactionId: string) => cookiePrefix(place) + TRANSACTION + transactionId;
  const started = Math.floor(request.createdAt / 1000).toString(36);
  const flow = { name: name(request.transactionId), value: `${started}.${secret}`, maxAge: REQUEST_SECONDS };
  // Browsers send older cookies first. Reversed, the newer of one second stay.
  const ended = others
    .toReversed()
    .toSorted((a, b) => b.startedAt - a.startedAt)
    .slice(MOST_TRANSACTIONS - 1)
    .map(({ transactionId }) => ({ name: name(transactionId), value: '', maxAge: 0 }));
  // A reconnect link can leak, so it does not reveal the user's id.
  return isReconnectLink(request) ? [flow, ...ended] : [requestCookie(request), flow, ...ended];
}

/** Builds `oauth_req`, a JSON object of exactly these three (docs/security.md T8). It proves nothing. */
function requestCookie({ clientId, userId, transactionId }: AuthorizationRequest): CookieToSet {
  const value = JSON.stringify({ client_id: clientId, user_id: userId, transaction: transactionId });
  return { name: 'oauth_req', value, maxAge: REQUEST_SECONDS };
}

export const newSecret = (): string => randomBytes(32).toString('base64url');

export function deviceCookie(device: string, place: CookiePlace): CookieToSet {
  return { name: cookiePrefix(place) + DEVICE, value: device, maxAge: DEVICE_SECONDS };
}

/** Remembers the color scheme. The script of the pages sets the same cookie without a reload. */
export function themeCookie(theme: Theme): CookieToSet {
  return { name: 'kalends_theme', value: theme, maxAge: THEME_SECONDS, isForScripts: true };
}
