/** The dashboard's cookies: session, known browser, passkey challenge, and pending single sign-on. */
import type { FastifyReply } from 'fastify';
import { parseTheme, type Theme } from '../branding/branding.ts';
import { setCookie } from '../http/cookies.ts';
import { CHALLENGE_SECONDS } from '../people/passkey-challenge.ts';
import { PENDING_SECONDS } from '../people/pending-sign-in.ts';
import { LONGEST_MS } from '../people/sessions.ts';

type Place = { readonly dashboardUrl: string };
type Received = Readonly<Record<string, string | undefined>> | null;

/** Adds the `__Host-` prefix: only this host can set such a cookie (RFC 6265bis §4.1.3.2). It needs https. */
const cookieName = (name: string, { dashboardUrl }: Place): string =>
  dashboardUrl.startsWith('https:') ? `__Host-${name}` : name;

const DAY_SECONDS = 24 * 3600;

/** The cookies and how long each stays, in seconds. */
const COOKIES = {
  session: { name: 'kalends_session', maxAge: LONGEST_MS / 1000 },
  mark: { name: 'kalends_known', maxAge: 180 * DAY_SECONDS },
  passkey: { name: 'kalends_passkey', maxAge: CHALLENGE_SECONDS },
  singleSignOn: { name: 'kalends_single_sign_on', maxAge: PENDING_SECONDS },
} as const;

export type DashboardCookies = {
  readonly session: string | undefined;
  readonly mark: string | undefined;
  /** The challenge of the passkey request sent to this browser. */
  readonly passkey: string | undefined;
  /** The sealed state of a single sign-on that this browser started. */
  readonly singleSignOn: string | undefined;
  readonly theme: Theme;
};

export const readDashboardCookies = (received: Received, place: Place): DashboardCookies => {
  const read = (cookie: keyof typeof COOKIES) => received?.[cookieName(COOKIES[cookie].name, place)];
  const cookies = { session: read('session'), mark: read('mark'), passkey: read('passkey') };
  const theme = parseTheme(received?.kalends_theme) ?? 'auto';
  return { ...cookies, singleSignOn: read('singleSignOn'), theme };
};

/**
 * Sets a cookie, or ends it if the value is empty. Browsers do not send it with requests that another site started,
 * except that of single sign-on: the issuer's site sends the browser back.
 */
export function setDashboardCookie(
  reply: FastifyReply,
  [cookie, value]: readonly [cookie: keyof typeof COOKIES, value: string],
  place: Place,
): void {
  const { name, maxAge } = COOKIES[cookie];
  const lifetime = { maxAge: value === '' ? 0 : maxAge, isStrict: cookie !== 'singleSignOn' };
  setCookie(reply, { name: cookieName(name, place), value, ...lifetime }, { publicUrl: place.dashboardUrl });
}
