/** A user's tokens: kept current by one refresh at a time, and handed over to be stored before they are used. */
import { KalendsError, ReauthorizationRequired } from './kalends-error.ts';

export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
};

/** Where the application keeps a user's tokens. */
export type TokenStore = {
  /** The tokens as they are stored now: another process may have refreshed them. */
  load(): Promise<Tokens | undefined> | Tokens | undefined;
  /** Called with each new pair before it is used; the old refresh token is spent by then. */
  save(tokens: Tokens): Promise<void> | void;
};

export type TokenKeeper = {
  /** An access token that is good for a while yet. */
  accessToken(): Promise<string>;
  /** Another one than `refused`. Fails with ReauthorizationRequired. */
  renewed(refused: string): Promise<string>;
};

/** An access token that ends within this many milliseconds is renewed first. */
const SPARE = 30_000;

/** `refresh` spends a refresh token at the service. */
export function tokenKeeper(
  store: TokenStore,
  refresh: (refreshToken: string) => Promise<Tokens>,
  now: () => number = Date.now,
): TokenKeeper {
  let current: Tokens | undefined;
  let renewing: Promise<Tokens> | undefined;

  const known = async (): Promise<Tokens> => {
    current ??= await store.load();
    if (current !== undefined) return current;
    throw new ReauthorizationRequired(
      new KalendsError('No tokens are stored', { status: 0, code: 'no_tokens' }),
    );
  };
  const renew = async (): Promise<Tokens> => {
    const spent = await known();
    try {
      current = await refresh(spent.refreshToken);
    } catch (error) {
      if (!(error instanceof KalendsError) || error.code !== 'invalid_grant') throw error;
      // Another process that shares the store was first: its tokens are the ones that work.
      const stored = await store.load();
      if (stored === undefined || stored.refreshToken === spent.refreshToken) {
        throw new ReauthorizationRequired(error);
      }
      current = stored;
      return current;
    }
    await store.save(current);
    return current;
  };
  const renewOnce = (): Promise<Tokens> => {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  return {
    async accessToken() {
      const tokens = await known();
      const { accessToken } = tokens.expiresAt - now() > SPARE ? tokens : await renewOnce();
      return accessToken;
    },
    async renewed(refused) {
      const tokens = renewing === undefined ? await known() : await renewing;
      return tokens.accessToken === refused ? (await renewOnce()).accessToken : tokens.accessToken;
    },
  };
}
