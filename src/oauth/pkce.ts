/** Proof Key for Code Exchange (RFC 7636), method S256 only. */
import { hash } from 'node:crypto';

/** Returns whether a `code_challenge` can be one of S256: 43 characters of base64url (RFC 7636 §4.2). */
export const isCodeChallenge = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Returns a verifier's challenge (RFC 7636 §4.6); for an invalid verifier a text that equals no challenge. */
export function deriveChallenge(codeVerifier: string): string {
  const isVerifier = /^[A-Za-z\d\-._~]{43,128}$/.test(codeVerifier);
  return isVerifier ? hash('sha256', codeVerifier, 'base64url') : 'not a code verifier';
}
