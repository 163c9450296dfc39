/** Codes, access tokens and refresh tokens that the sandbox's identity platform issued. */
import { randomText } from '../../src/oauth/client-registration.ts';
import { aadsts } from './aadsts.ts';
import type { Access, Account } from './directory.ts';

export type IssuedCode = Access & {
  readonly redirectUri: string;
  readonly codeChallenge: string | undefined;
  readonly nonce: string | undefined;
  readonly expiresAt: number;
};

type ExpiringAccess = Access & { readonly expiresAt: number };

/** The lifetime of a code. No source confirms it. */
const CODE_LIFE = 10 * 60_000;
/**
 * The lifetime of an access token. The platform draws 60 to 90 minutes, by no confirmed source; the shortest is the
 * hardest for clients.
 */
export const ACCESS_LIFE = 60 * 60_000;
/**
 * The time without use after which a refresh token expires: each use issues one with a full lifetime. No source
 * confirms it.
 */
const REFRESH_LIFE = 90 * 24 * 60 * 60_000;
/** The time for which a used refresh token still works, for clients whose response got lost. No source confirms it. */
const SUPERSEDED_LIFE = 24 * 60 * 60_000;

/** The issued codes and tokens: maps by their text, which are changed in place. */
export type MicrosoftTokenState = {
  readonly codes: Map<string, IssuedCode | 'redeemed'>;
  readonly accessTokens: Map<string, ExpiringAccess>;
  readonly refreshTokens: Map<string, ExpiringAccess | 'revoked'>;
  readonly holders: Map<string, Account>;
};

export const noMicrosoftTokens = (): MicrosoftTokenState => ({
  codes: new Map(),
  accessTokens: new Map(),
  refreshTokens: new Map(),
  holders: new Map(),
});

export type MicrosoftTokens = {
  issueCode(code: Omit<IssuedCode, 'expiresAt'>): string;
  /** Redeems the code. Throws invalid_grant. */
  redeemCode(code: string): IssuedCode;
  issueAccess(access: Access): string;
  /** Returns the access of the token, or which of the two errors applies. */
  access(token: string): Access | 'expired' | 'unknown';
  issueRefresh(access: Access): string;
  /** Returns the access of a refresh token. Throws invalid_grant. */
  refresh(token: string, clientId: string): Access;
  /** Records that the token was used: it works for a while longer, beside its successor. */
  supersede(token: string): void;
  /** Returns the account of a code or refresh token, whether or not it is still valid. */
  holder(text: string): Account | undefined;
  /** Revokes every token of the account, as after a change of its password (AADSTS50173). */
  revoke(account: Account): void;
};

export function microsoftTokens(now: () => number, state: MicrosoftTokenState): MicrosoftTokens {
  const { codes, accessTokens, refreshTokens, holders } = state;
  return {
    issueCode(code) {
      const text = `0.A${randomText(90)}`;
      holders.set(text, code.account);
      codes.set(text, { ...code, expiresAt: now() + CODE_LIFE });
      return text;
    },
    redeemCode(text) {
      const code = codes.get(text);
      if (code === undefined) throw aadsts(70000);
      if (code === 'redeemed') throw aadsts(54005);
      codes.set(text, 'redeemed');
      if (code.expiresAt <= now()) throw aadsts(70008);
      return code;
    },
    issueAccess(access) {
      const token = `EwB${randomText(120)}`;
      accessTokens.set(token, { ...access, expiresAt: now() + ACCESS_LIFE });
      return token;
    },
    access(token) {
      const issued = accessTokens.get(token);
      if (issued === undefined) return 'unknown';
      return issued.expiresAt <= now() ? 'expired' : issued;
    },
    issueRefresh(access) {
      const token = `0.AX${randomText(120)}`;
      holders.set(token, access.account);
      refreshTokens.set(token, { ...access, expiresAt: now() + REFRESH_LIFE });
      return token;
    },
    refresh(token, clientId) {
      const issued = refreshTokens.get(token);
      if (issued === undefined) throw aadsts(70000);
      if (issued === 'revoked') throw aadsts(50173);
      if (issued.clientId !== clientId) throw aadsts(70000);
      if (issued.expiresAt <= now()) throw aadsts(700082);
      return issued;
    },
    supersede(token) {
      const issued = refreshTokens.get(token);
      if (issued === undefined || issued === 'revoked') return;
      refreshTokens.set(token, { ...issued, expiresAt: Math.min(issued.expiresAt, now() + SUPERSEDED_LIFE) });
    },
    holder: (text) => holders.get(text),
    revoke(account) {
      for (const [token, access] of accessTokens) if (access.account === account) accessTokens.delete(token);
      for (const [token, refresh] of refreshTokens) {
        if (refresh !== 'revoked' && refresh.account === account) refreshTokens.set(token, 'revoked');
      }
      for (const [text, code] of codes) {
        if (code !== 'redeemed' && code.account === account) codes.delete(text);
      }
    },
  };
}
