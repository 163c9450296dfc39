/**
 * The cookies of the Connect pages: the running request (docs/wire.md O2.7), a secret for each transaction, the
 * browser's own secret, and the colours chosen. On https both secrets are `__Host-`: no other host can plant them.
 */
import { randomBytes } from 'node:crypto';

import { parseTheme, type Theme } from '../../branding/branding.ts';
import type { CookieToSet } from '../../http/cookies.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';

/** As long as the authorization request itself: two hours. */
const REQUEST_SECONDS = 7200;
/** Browsers keep no cookie longer than 400 days (RFC 6265bis §5.5). */
const DEVICE_SECONDS = 400 * 24 * 3600;
const THEME_SECONDS = 365 * 24 * 3600;
/** So many transactions work side by side in a browser. */
const MOST_TRANSACTIONS = 8;

/** Where the pages are: `publicUrl` is the origin that browsers know us by. */
export type CookiePlace = { readonly publicUrl: string };

/** A transaction that this browser began, with the secret that only its cookie has. */
export type TransactionCookie = {
  readonly transactionId: string;
  readonly secret: string;
  /** Epoch seconds. */
  readonly startedAt: number;
};

export type ConnectCookies = {
  readonly transactions: readonly TransactionCookie[];
  /** 256 random bits: whoever has it stands for the account groups that its hash is kept with. */
  readonly device: string | undefined;
  /** The colours this browser's user chose, for applications that leave the choice (docs/wire.md 4.3). */
  readonly theme: Theme | undefined;
};

type ReceivedCookies = Readonly<Record<string, string | undefined>>;

const TRANSACTION = 'kalends_tx_';
const DEVICE = 'kalends_device';

const prefixOf = ({ publicUrl }: CookiePlace): string => (publicUrl.startsWith('https:') ? '__Host-' : '');

/** Reads them among a browser's cookies; anything that is not ours reads as absent, and so does all where a request was refused before them. */
export function readCookies(received: ReceivedCookies | null, place: CookiePlace): ConnectCookies {
  const cookies = received ?? {};
  const prefix = prefixOf(place);
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
  if (!/^[\w-]{22}$/.test(transactionId) || secret === '') return [];
  return [{ transactionId, secret, startedAt: Number.parseInt(started, 36) }];
}

const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** What is set when a transaction begins: `oauth_req`, its own secret, and the end of the oldest over the limit. */
export function transactionCookies(
  request: AuthorizationRequest,
  secret: string,
  others: readonly TransactionCookie[],
  place: CookiePlace,
): CookieToSet[] {
  const name = (transactionId: string) => prefixOf(place) + TRANSACTION + transactionId;
  const started = Math.floor(request.createdAt / 1000).toString(36);
  const flow = { name: name(request.transactionId), value: `${started}.${secret}`, maxAge: REQUEST_SECONDS };
  // Browsers send the older of two first: of those of one second too, the newer ones stay.
  const ended = others
    .toReversed()
    .toSorted((a, b) => b.startedAt - a.startedAt)
    .slice(MOST_TRANSACTIONS - 1)
    .map(({ transactionId }) => ({ name: name(transactionId), value: '', maxAge: 0 }));
  return [requestCookie(request), flow, ...ended];
}

/** `oauth_req`: a JSON object of exactly these three (docs/security.md T8). It proves nothing. */
function requestCookie({ clientId, userId, transactionId }: AuthorizationRequest): CookieToSet {
  const value = JSON.stringify({ client_id: clientId, user_id: userId, transaction: transactionId });
  return { name: 'oauth_req', value, maxAge: REQUEST_SECONDS };
}

/** 256 random bits, for a transaction or a browser. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Keeps a browser's secret. */
export function deviceCookie(device: string, place: CookiePlace): CookieToSet {
  return { name: prefixOf(place) + DEVICE, value: device, maxAge: DEVICE_SECONDS };
}

/** Remembers the colours chosen. The pages' script sets it too, so that no page need be loaded again. */
export function themeCookie(theme: Theme): CookieToSet {
  return { name: 'kalends_theme', value: theme, maxAge: THEME_SECONDS, isForScripts: true };
}
