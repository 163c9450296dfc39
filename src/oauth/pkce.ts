/** Proof Key for Code Exchange (RFC 7636), method S256 only. */
import { hash, timingSafeEqual } from 'node:crypto';

/** Whether a `code_challenge` can be one of S256: 43 characters of base64url (RFC 7636 §4.2). */
export const isCodeChallenge = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** RFC 7636 §4.1 and §4.6. */
export function verifierMatches(codeVerifier: string, codeChallenge: string): boolean {
  if (!/^[A-Za-z\d\-._~]{43,128}$/.test(codeVerifier)) return false;
  const computed = Buffer.from(hash('sha256', codeVerifier, 'base64url'));
  const expected = Buffer.from(codeChallenge);
  return computed.length === expected.length && timingSafeEqual(computed, expected);
}
