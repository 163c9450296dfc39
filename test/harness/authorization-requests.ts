/** Authorization requests as the tests of the Connect pages begin with them. */
import type { AuthorizationRequest } from '../../src/connect/flow/authorization-request-store.ts';
import { hashOfSecret } from '../../src/lib/sealing.ts';

/** What the browser's cookie has for `openRequest`. */
export const SECRET = 'a-secret-of-one-transaction-that-no-page-shows';

/** One that is open. */
export const openRequest = (changes: Partial<AuthorizationRequest> = {}): AuthorizationRequest => ({
  transactionId: 'T1',
  secretHash: hashOfSecret(SECRET),
  clientId: 'acme',
  userId: 'ada',
  redirectUri: 'https://app.example.com/cb',
  scope: 'read',
  state: undefined,
  codeChallenge: undefined,
  language: 'en',
  theme: 'auto',
  display: 'page',
  providers: ['caldav'],
  query: '',
  formToken: 'secret',
  status: 'open',
  isPushed: false,
  userName: undefined,
  loginHint: undefined,
  allowedAt: undefined,
  hasDisconnected: false,
  wasSentAhead: false,
  createdAt: 1000,
  ...changes,
});
