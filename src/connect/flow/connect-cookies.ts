/**
 * The cookies of the Connect pages: the running request (docs/wire.md O2.7), the device, and the colours
 * chosen.
 */
import { randomBytes } from 'node:crypto';

import { parseTheme, type Theme } from '../../branding/branding.ts';
import type { CookieToSet } from '../../http/cookies.ts';

/** As long as the authorization request itself: two hours. */
const REQUEST_SECONDS = 7200;
/** Browsers keep no cookie longer than 400 days (RFC 6265bis §5.5). */
const DEVICE_SECONDS = 400 * 24 * 3600;
const THEME_SECONDS = 365 * 24 * 3600;

/** What `oauth_req` says; everything else about the request is kept by the server. */
export type RequestCookie = {
  readonly clientId: string;
  readonly userId: string;
  readonly transactionId: string;
};

export type ConnectCookies = {
  readonly request: RequestCookie | undefined;
  /** 256 random bits: whoever has it linked the accounts that its hash is kept with. */
  readonly device: string | undefined;
  /** The colours this browser's user chose, for applications that leave the choice (docs/wire.md 4.3). */
  readonly theme: Theme | undefined;
};

/** Reads them among a browser's cookies; anything that is not ours reads as absent. */
export function readCookies(cookies: Readonly<Record<string, string | undefined>>): ConnectCookies {
  const { oauth_req: request, kalends_device: device, kalends_theme: theme } = cookies;
  return {
    request: readRequestCookie(request),
    device: device !== undefined && /^[\w-]{43}$/.test(device) ? device : undefined,
    theme: parseTheme(theme),
  };
}

/** `oauth_req`: a JSON object of exactly these three (docs/security.md T8). */
export function requestCookie(cookie: RequestCookie): CookieToSet {
  const { clientId, userId, transactionId } = cookie;
  const value = JSON.stringify({ client_id: clientId, user_id: userId, transaction: transactionId });
  return { name: 'oauth_req', value, maxAge: REQUEST_SECONDS };
}

/** A fresh secret for a browser that has none. */
export const newDevice = (): string => randomBytes(32).toString('base64url');

/** Keeps a browser's secret. */
export function deviceCookie(device: string): CookieToSet {
  return { name: 'kalends_device', value: device, maxAge: DEVICE_SECONDS };
}

/** Remembers the colours chosen. The pages' script sets it too, so that no page need be loaded again. */
export function themeCookie(theme: Theme): CookieToSet {
  return { name: 'kalends_theme', value: theme, maxAge: THEME_SECONDS, isForScripts: true };
}

function readRequestCookie(value: string | undefined): RequestCookie | undefined {
  const parsed = value === undefined ? undefined : parseJson(value);
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const { client_id: clientId, user_id: userId, transaction } = parsed as Record<string, unknown>; // any object is one
  const readable =
    typeof clientId === 'string' && typeof userId === 'string' && typeof transaction === 'string';
  return readable ? { clientId, userId, transactionId: transaction } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Whatever a browser sends that we did not write is no cookie of ours.
  }
}
