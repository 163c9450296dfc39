/** A user's tokens: kept current by one refresh at a time, and handed over to be stored before they are used. */
import { KalendsError, ReauthorizationRequired } from './kalends-error.ts';

/** A user's access and refresh token. */
export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Of the access token, epoch milliseconds. */
  readonly expiresAt: number;
};

/** Where the application keeps a user's tokens. */
export type TokenStore = {
  /** The tokens as they are stored now: another process may have refreshed them. */
  load(): Promise<Tokens | undefined> | Tokens | undefined;
  /** Called with each new pair before it is used; the old refresh token is spent by then. */
  save(tokens: Tokens): Promise<void> | void;
};

/** Gives out access tokens. Both fail with ReauthorizationRequired when the grant has ended. */
export type TokenKeeper = {
  /** An access token that is good for a while yet. */
  accessToken(): Promise<string>;
  /** Another one than `refused`. */
  renewed(refused: string): Promise<string>;
};

/** What the keeper needs besides the store. */
export type TokenKeeperDeps = {
  /** Spends a refresh token at the service. */
  readonly refresh: (refreshToken: string) => Promise<Tokens>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** An access token that ends within this many milliseconds is renewed first. */
const SPARE = 30_000;
/** Another process spent the refresh token, and may be about to store what it got: how often to look, and when. */
const LOOKS_MS = [0, 200, 800];

/** A keeper for the tokens of one store. */
export function tokenKeeper(store: TokenStore, { refresh, now }: TokenKeeperDeps): TokenKeeper {
  let current: Tokens | undefined;
  /** New ones that the store did not take: the only ones that work, and not to be used before they are kept. */
  let unsaved: Tokens | undefined;
  let renewing: Promise<Tokens> | undefined;

  const load = async (): Promise<Tokens> => {
    current ??= await store.load();
    if (current !== undefined) return current;
    const nothing = new KalendsError('No tokens are stored', { status: 0, code: 'no_tokens' });
    throw new ReauthorizationRequired(nothing);
  };
  const keep = async (tokens: Tokens): Promise<Tokens> => {
    unsaved = tokens;
    await store.save(tokens);
    unsaved = undefined;
    return tokens;
  };
  const renew = async (refused: string): Promise<Tokens> => {
    if (unsaved !== undefined) return keep(unsaved);
    const stored = (await store.load()) ?? (await load());
    // Another process that shares the store, or a new authorization, was first.
    if (stored.accessToken !== refused && stored.expiresAt - now() > SPARE) return stored;
    const renewed = await refresh(stored.refreshToken).catch((error: unknown) =>
      storedByAnother(error, stored, store),
    );
    return 'saved' in renewed ? renewed.saved : keep(renewed);
  };
  const renewOnce = (refused: string): Promise<Tokens> => {
    renewing ??= renew(refused)
      .then((tokens) => {
        current = tokens;
        return tokens;
      })
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };

  return {
    async accessToken() {
      const tokens = await load();
      const good = tokens.expiresAt - now() > SPARE;
      return good ? tokens.accessToken : (await renewOnce(tokens.accessToken)).accessToken;
    },
    async renewed(refused) {
      const tokens = renewing === undefined ? await load() : await renewing;
      return tokens.accessToken === refused ? (await renewOnce(refused)).accessToken : tokens.accessToken;
    },
  };
}

/** The tokens of whoever spent the refresh token first; throws when nobody did. */
async function storedByAnother(error: unknown, spent: Tokens, store: TokenStore): Promise<{ saved: Tokens }> {
  if (!(error instanceof KalendsError) || error.code !== 'invalid_grant') throw error;
  for (const wait of LOOKS_MS) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const stored = await store.load();
    if (stored !== undefined && stored.refreshToken !== spent.refreshToken) return { saved: stored };
  }
  throw new ReauthorizationRequired(error);
}
