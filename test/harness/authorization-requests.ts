/** Authorization requests with which the tests of the Connect pages begin. */
import type { AuthorizationRequest } from '../../src/connect/flow/authorization-request-store.ts';
import { hashOfSecret } from '../../src/lib/sealing.ts';

/** The secret in the browser's cookie for `openRequest`. */
export const SECRET = 'a-secret-of-one-transaction-that-no-page-shows';

/** Returns an open authorization request. */
export const openRequest = (changes: Partial<AuthorizationRequest> = {}): AuthorizationRequest => ({
  transactionId: 'T1',
  issuer: 'default',
  secretHash: hashOfSecret(SECRET),
  clientId: 'acme',
  userId: 'ada',
  redirectUri: 'https://app.example.com/cb',
  scope: 'read',
  state: undefined,
  codeChallenge: undefined,
  resource: undefined,
  language: 'en',
  theme: 'auto',
  display: 'page',
  providers: ['caldav'],
  query: '',
  formToken: 'secret',
  status: 'open',
  isPushed: false,
  isVouched: false,
  userName: undefined,
  loginHint: undefined,
  allowedAt: undefined,
  hasDisconnected: false,
  wasSentAhead: false,
  reconnects: undefined,
  createdAt: 1000,
  ...changes,
});
