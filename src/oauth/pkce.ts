/** Proof Key for Code Exchange (RFC 7636), method S256 only. */
import { hash } from 'node:crypto';
import type { Client } from './client.ts';

/** Returns whether a `code_challenge` can be one of S256: 43 characters of base64url (RFC 7636 §4.2). */
export const isCodeChallenge = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** The description of the error `invalid_request` (RFC 7636 §4.4.1). */
export const CHALLENGE_REQUIRED =
  'code_challenge is missing: this application requires PKCE with the method S256';

/** Returns whether a request lacks the challenge that its application requires. */
export const lacksChallenge = ({ pkce }: Pick<Client, 'pkce'>, codeChallenge: string | undefined): boolean =>
  pkce === 'required' && codeChallenge === undefined;

/** Returns a verifier's challenge (RFC 7636 §4.6); for an invalid verifier a text that equals no challenge. */
export function deriveChallenge(codeVerifier: string): string {
  const isVerifier = /^[A-Za-z\d\-._~]{43,128}$/.test(codeVerifier);
  return isVerifier ? hash('sha256', codeVerifier, 'base64url') : 'not a code verifier';
}
