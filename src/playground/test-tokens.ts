/** The tokens of a test user. They never leave the server and are refreshed when a call needs it. */
import type { Client } from '../oauth/client.ts';
import type { ClientStore } from '../oauth/client-store.ts';
import { OAuthError } from '../oauth/oauth-error.ts';
import { type RefreshTokenDeps, refreshTokenGrant } from '../oauth/refresh-token-grant.ts';
import { signerOf, type TokenResponse } from '../oauth/token-signer.ts';
import { createTestKey, proveKey, type TestKey } from './test-key.ts';
import type { TestTokens, TestUserKey, TestUserStore } from './test-user-store.ts';

export type TestTokenDeps = RefreshTokenDeps & {
  readonly clients: Pick<ClientStore, 'findClient'>;
  readonly testUsers: Pick<TestUserStore, 'tokensOf' | 'renewTokens'>;
  /** The origin of the issuers. */
  readonly publicUrl: string;
};

/** A margin for the duration of a call. */
const SPARE_MS = 60_000;

/** Returns the stored key, or a new one, if the application has a sender constraint. */
export const keyFor = (
  { senderConstraint }: Pick<Client, 'senderConstraint'>,
  stored?: TestKey,
): TestKey | undefined => (senderConstraint === 'off' ? undefined : (stored ?? createTestKey()));

/** Converts a token response that is bound to `key`. `now` is in epoch milliseconds. */
export const toTestTokens = (answer: TokenResponse, key: TestKey | undefined, now: number): TestTokens => ({
  accessToken: answer.access_token,
  refreshToken: answer.refresh_token,
  expiresAt: now + answer.expires_in * 1000,
  key,
});

/** Returns current tokens, or the stored ones if the refresh fails: the call's response then shows the problem. */
export async function currentTokens(user: TestUserKey, deps: TestTokenDeps): Promise<TestTokens | undefined> {
  const tokens = await deps.testUsers.tokensOf(user);
  if (tokens === undefined) return undefined;
  const client = await deps.clients.findClient(user.clientId);
  const isRefused = client?.senderConstraint === 'required' && tokens.key === undefined;
  const isCurrent = !isRefused && tokens.expiresAt - SPARE_MS > deps.now();
  if (client === undefined || isCurrent) return tokens;
  try {
    const signer = await signerOf(client, deps);
    const { refreshToken } = tokens;
    const key = keyFor(client, tokens.key);
    const request = { client, refreshToken, proof: key && (await proveKey(key)) };
    const refreshed = await refreshTokenGrant(request, { ...deps, signer });
    const renewed = toTestTokens(refreshed.tokens, key, deps.now());
    await deps.testUsers.renewTokens(user, renewed);
    return renewed;
  } catch (refusal) {
    if (!(refusal instanceof OAuthError)) throw refusal;
    // A concurrent call was faster, or the grant has ended: read again.
    return deps.testUsers.tokensOf(user);
  }
}
