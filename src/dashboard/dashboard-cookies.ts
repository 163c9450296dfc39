/** The dashboard's cookies: session, known browser, passkey challenge, and pending single sign-on. */

import { parseTheme, type Theme } from '../branding/branding.ts';
import type { CookieToSet } from '../http/cookies.ts';
import { CHALLENGE_SECONDS } from '../people/passkey-challenge.ts';
import { PENDING_SECONDS } from '../people/pending-sign-in.ts';
import { LONGEST_MS } from '../people/sessions.ts';

type Place = { readonly dashboardUrl: string };
type Received = Readonly<Record<string, string | undefined>> | null;

/** Adds the `__Host-` prefix: only this host can set such a cookie (RFC 6265bis §4.1.3.2). It needs https. */
const cookieName = (name: string, { dashboardUrl }: Place): string =>
  dashboardUrl.startsWith('https:') ? `__Host-${name}` : name;

const SESSION = 'kalends_session';
const KNOWN = 'kalends_known';
const PASSKEY = 'kalends_passkey';
const SINGLE_SIGN_ON = 'kalends_single_sign_on';
const KNOWN_SECONDS = 180 * 24 * 3600;

export type DashboardCookies = {
  readonly session: string | undefined;
  readonly mark: string | undefined;
  /** The challenge of the passkey request sent to this browser. */
  readonly passkey: string | undefined;
  /** The sealed state of a single sign-on that this browser started. */
  readonly singleSignOn: string | undefined;
  readonly theme: Theme;
};

export const readDashboardCookies = (received: Received, place: Place): DashboardCookies => ({
  session: received?.[cookieName(SESSION, place)],
  mark: received?.[cookieName(KNOWN, place)],
  passkey: received?.[cookieName(PASSKEY, place)],
  singleSignOn: received?.[cookieName(SINGLE_SIGN_ON, place)],
  theme: parseTheme(received?.kalends_theme) ?? 'auto',
});

/** Returns the session cookie, which browsers do not send with requests that another site started. */
export const sessionCookie = (secret: string, place: Place): CookieToSet => ({
  name: cookieName(SESSION, place),
  value: secret,
  maxAge: LONGEST_MS / 1000,
  isStrict: true,
});

export const endedSessionCookie = (place: Place): CookieToSet => ({ ...sessionCookie('', place), maxAge: 0 });

export const knownCookie = (mark: string, place: Place): CookieToSet => ({
  name: cookieName(KNOWN, place),
  value: mark,
  maxAge: KNOWN_SECONDS,
  isStrict: true,
});

/** Returns the cookie that holds the challenge until the passkey responds. */
export const passkeyCookie = (challenge: string, place: Place): CookieToSet => ({
  name: cookieName(PASSKEY, place),
  value: challenge,
  maxAge: CHALLENGE_SECONDS,
  isStrict: true,
});

/** Returns the cookie of a pending single sign-on. It is Lax: the issuer's site sends the browser back. */
export const singleSignOnCookie = (pending: string, place: Place): CookieToSet => ({
  name: cookieName(SINGLE_SIGN_ON, place),
  value: pending,
  maxAge: PENDING_SECONDS,
});

export const endedSingleSignOnCookie = (place: Place): CookieToSet => ({
  ...singleSignOnCookie('', place),
  maxAge: 0,
});
