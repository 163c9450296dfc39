/** The dashboard's cookies: the session, and the mark of a browser in which somebody signed in before. */

import { parseTheme, type Theme } from '../branding/branding.ts';
import type { CookieToSet } from '../http/cookies.ts';
import { CHALLENGE_SECONDS } from '../people/passkey-challenge.ts';
import { PENDING_SECONDS } from '../people/pending-sign-in.ts';
import { LONGEST_MS } from '../people/sessions.ts';

type Place = { readonly dashboardUrl: string };
type Received = Readonly<Record<string, string | undefined>> | null;

/** Only this host can set one with this name (RFC 6265bis §4.1.3.2). It needs https. */
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
  /** The challenge of a passkey that this browser was asked for. */
  readonly passkey: string | undefined;
  /** What this browser left for an issuer with. */
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

/** Kept from every request that another site began. */
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

/** Until the passkey answers. */
export const passkeyCookie = (challenge: string, place: Place): CookieToSet => ({
  name: cookieName(PASSKEY, place),
  value: challenge,
  maxAge: CHALLENGE_SECONDS,
  isStrict: true,
});

/** Until the browser comes back from the issuer: Lax, since another site sends it. */
export const singleSignOnCookie = (pending: string, place: Place): CookieToSet => ({
  name: cookieName(SINGLE_SIGN_ON, place),
  value: pending,
  maxAge: PENDING_SECONDS,
});

export const endedSingleSignOnCookie = (place: Place): CookieToSet => ({
  ...singleSignOnCookie('', place),
  maxAge: 0,
});
