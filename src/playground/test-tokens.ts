/** The tokens of a test user. They never leave the server and are refreshed when a call needs it. */
import type { ClientStore } from '../oauth/client-store.ts';
import { OAuthError } from '../oauth/oauth-error.ts';
import { type RefreshTokenDeps, refreshTokenGrant } from '../oauth/refresh-token-grant.ts';
import { signerOf, type TokenResponse } from '../oauth/token-signer.ts';
import type { TestTokens, TestUserKey, TestUserStore } from './test-user-store.ts';

export type TestTokenDeps = RefreshTokenDeps & {
  readonly clients: Pick<ClientStore, 'findClient'>;
  readonly testUsers: Pick<TestUserStore, 'tokensOf' | 'renewTokens'>;
  /** The origin of the issuers. */
  readonly publicUrl: string;
};

/** A margin for the duration of a call. */
const SPARE_MS = 60_000;

/** Converts a token response. `now` is in epoch milliseconds. */
export const toTestTokens = (answer: TokenResponse, now: number): TestTokens => ({
  accessToken: answer.access_token,
  refreshToken: answer.refresh_token,
  expiresAt: now + answer.expires_in * 1000,
});

/** Returns current tokens, or the stored ones if the refresh fails: the call's response then shows the problem. */
export async function currentTokens(user: TestUserKey, deps: TestTokenDeps): Promise<TestTokens | undefined> {
  const tokens = await deps.testUsers.tokensOf(user);
  if (tokens === undefined || tokens.expiresAt - SPARE_MS > deps.now()) return tokens;
  const client = await deps.clients.findClient(user.clientId);
  if (client === undefined) return tokens;
  try {
    const signer = await signerOf(client, deps);
    const { refreshToken } = tokens;
    const refreshed = await refreshTokenGrant({ client, refreshToken }, { ...deps, signer });
    const renewed = toTestTokens(refreshed.tokens, deps.now());
    await deps.testUsers.renewTokens(user, renewed);
    return renewed;
  } catch (refusal) {
    if (!(refusal instanceof OAuthError)) throw refusal;
    // A concurrent call was faster, or the grant has ended: read again.
    return deps.testUsers.tokensOf(user);
  }
}
