/** Codes, access tokens and refresh tokens of the sandbox's Google, and when each of them expires. */
import { hash } from 'node:crypto';

import { randomText } from '../../src/oauth/client-registration.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';

export type GoogleApp = {
  readonly clientId: string;
  /** The name that users see; the client id if absent. */
  readonly name?: string;
  readonly clientSecret: string;
  /** The redirect URIs, compared exactly. */
  readonly redirectUris: readonly string[];
  /** The publishing status. Refresh tokens of an app in Testing expire after seven days. `production` if absent. */
  readonly status?: 'testing' | 'production';
};

export type AccessGrant = {
  /** The person's address. */
  readonly user: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
};

export type NewCode = AccessGrant & {
  readonly redirectUri: string;
  readonly codeChallenge: string | undefined;
  readonly nonce: string | undefined;
  /** Whether a refresh token is issued too. */
  readonly offline: boolean;
};

export type RedeemedCode = {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string | undefined;
};

type Code = NewCode & { readonly expiresAt: number };
type AccessToken = AccessGrant & { readonly expiresAt: number };
type RefreshToken = AccessGrant & { readonly issuedAt: number; readonly usedAt: number };

export type IssuedTokens = AccessGrant & {
  readonly accessToken: string;
  /** The lifetime of the access token, in seconds. */
  readonly expiresIn: number;
  readonly refreshToken?: string;
  /** The lifetime of the refresh token of an app in Testing, in seconds. */
  readonly refreshTokenExpiresIn?: number;
  readonly nonce?: string | undefined;
};

/** The issued codes and tokens: maps by their text, which are changed in place. */
export type GoogleTokenState = {
  readonly codes: Map<string, Code>;
  readonly access: Map<string, AccessToken>;
  readonly refresh: Map<string, RefreshToken>;
  readonly owners: Map<string, string>;
  readonly grants: Map<string, AccessGrant>;
};

export const noGoogleTokens = (): GoogleTokenState => ({
  codes: new Map(),
  access: new Map(),
  refresh: new Map(),
  owners: new Map(),
  grants: new Map(),
});

export interface GoogleTokens {
  /** Returns the scopes that the user has granted the app. */
  granted(user: string, clientId: string): readonly string[];
  issueCode(code: NewCode): string;
  /** Throws the codes of RFC 6749 §5.2. A code works once. */
  redeemCode(redeemed: RedeemedCode, app: GoogleApp): IssuedTokens;
  /** Throws `invalid_grant` for a token that is unknown, revoked, expired, or another app's. */
  refresh(refreshToken: string, app: GoogleApp): IssuedTokens;
  /** Returns the owner of a token, whether or not it is still valid. */
  ownerOf(token: string): string | undefined;
  accessOf(accessToken: string): AccessGrant | undefined;
  /** Ends everything that the user granted the app of this token; returns false if it is not a token. */
  revoke(token: string): boolean;
  /** Ends everything that the user granted to any app. */
  revokeUser(user: string): void;
}

const CODE_MS = 10 * 60_000;
const ACCESS_SECONDS = 3599;
const DAY = 86_400_000;
const TESTING_MS = 7 * DAY;
/** Six months without use. */
const IDLE_MS = 183 * DAY;
/** The maximum of refresh tokens per account and app: the oldest ends silently. */
const MOST_REFRESH_TOKENS = 100;

export function googleTokens(now: () => number, state: GoogleTokenState): GoogleTokens {
  const { codes, access, refresh, owners, grants } = state;
  const keyOf = ({ user, clientId }: Pick<AccessGrant, 'user' | 'clientId'>) =>
    JSON.stringify([user, clientId]);

  const issueAccess = ({ user, clientId, scopes }: AccessGrant) => {
    const accessToken = `ya29.${randomText(60)}`;
    access.set(accessToken, { user, clientId, scopes, expiresAt: now() + ACCESS_SECONDS * 1000 });
    return { user, clientId, scopes, accessToken, expiresIn: ACCESS_SECONDS };
  };
  const issueRefresh = ({ user, clientId, scopes }: AccessGrant): string => {
    const token = `1//0${randomText(60)}`;
    const issued = { user, clientId, scopes, issuedAt: now(), usedAt: now() };
    const others = [...refresh].filter(([, other]) => keyOf(other) === keyOf(issued));
    for (const [oldest] of others.slice(0, Math.max(0, others.length - MOST_REFRESH_TOKENS + 1))) {
      refresh.delete(oldest);
    }
    refresh.set(token, issued);
    owners.set(token, user);
    return token;
  };
  const end = (ends: (grant: Pick<AccessGrant, 'user' | 'clientId'>) => boolean) => {
    for (const map of [codes, access, refresh, grants]) {
      for (const [key, grant] of map) if (ends(grant)) map.delete(key);
    }
  };

  return {
    granted: (user, clientId) => grants.get(keyOf({ user, clientId }))?.scopes ?? [],
    issueCode(code) {
      const text = `4/0${randomText(60)}`;
      codes.set(text, { ...code, expiresAt: now() + CODE_MS });
      const { user, clientId } = code;
      const scopes = [...new Set([...this.granted(user, clientId), ...code.scopes])];
      grants.set(keyOf(code), { user, clientId, scopes });
      return text;
    },
    redeemCode({ code: text, redirectUri, codeVerifier }, app) {
      const code = codes.get(text);
      if (code === undefined || code.clientId !== app.clientId || code.expiresAt <= now()) {
        throw new SandboxRefusal(400, 'invalid_grant', 'Malformed auth code.');
      }
      if (code.redirectUri !== redirectUri)
        throw new SandboxRefusal(400, 'redirect_uri_mismatch', 'Bad Request');
      checkVerifier(code.codeChallenge, codeVerifier);
      codes.delete(text);
      const issued = { ...issueAccess(code), nonce: code.nonce };
      if (!code.offline) return issued;
      const testing = app.status === 'testing' ? { refreshTokenExpiresIn: TESTING_MS / 1000 - 1 } : {};
      return { ...issued, refreshToken: issueRefresh(code), ...testing };
    },
    refresh(text, app) {
      const token = refresh.get(text);
      if (token === undefined || token.clientId !== app.clientId || isTooOld(token, app, now())) {
        throw new SandboxRefusal(400, 'invalid_grant', 'Token has been expired or revoked.');
      }
      refresh.set(text, { ...token, usedAt: now() });
      return issueAccess(token);
    },
    ownerOf: (token) => owners.get(token) ?? access.get(token)?.user,
    accessOf(text) {
      const token = access.get(text);
      return token === undefined || token.expiresAt <= now() ? undefined : token;
    },
    revoke(text) {
      const grant = access.get(text) ?? refresh.get(text);
      if (grant === undefined) return false;
      end((other) => keyOf(other) === keyOf(grant));
      return true;
    },
    revokeUser(user) {
      end((grant) => grant.user === user);
    },
  };
}

function isTooOld({ issuedAt, usedAt }: RefreshToken, { status }: GoogleApp, now: number): boolean {
  return (status === 'testing' && issuedAt + TESTING_MS <= now) || usedAt + IDLE_MS <= now;
}

/** RFC 7636 §4.6, S256. */
function checkVerifier(challenge: string | undefined, verifier: string | undefined): void {
  if (challenge === undefined) return;
  if (verifier === undefined) throw new SandboxRefusal(400, 'invalid_grant', 'Missing code verifier.');
  if (hash('sha256', verifier, 'base64url') !== challenge)
    throw new SandboxRefusal(400, 'invalid_grant', 'Invalid code verifier.');
}
