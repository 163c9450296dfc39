/** Proof Key for Code Exchange (RFC 7636), method S256 only. */
import { hash } from 'node:crypto';

/** Whether a `code_challenge` can be one of S256: 43 characters of base64url (RFC 7636 §4.2). */
export const isCodeChallenge = (text: string): boolean => /^[\w-]{43}$/.test(text);

/**
 * The challenge that a verifier proves (RFC 7636 §4.1, §4.6); for text that cannot be a verifier one that
 * no challenge equals. A hash of what was presented need not be compared in constant time.
 */
export function challengeOf(codeVerifier: string): string {
  const isVerifier = /^[A-Za-z\d\-._~]{43,128}$/.test(codeVerifier);
  return isVerifier ? hash('sha256', codeVerifier, 'base64url') : 'not a code verifier';
}
