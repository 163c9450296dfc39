/** A user's tokens: refreshed by one request at a time, and passed on for storage before they are used. */
import { KalendsError, ReauthorizationRequired } from './kalends-error.ts';

/** A user's access and refresh token. */
export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The expiry of the access token, in epoch milliseconds. */
  readonly expiresAt: number;
};

/** The application's storage of a user's tokens. */
export type TokenStore = {
  /** The tokens as they are stored now: another process may have refreshed them. */
  load(): Promise<Tokens | undefined> | Tokens | undefined;
  /** Called with each new pair before it is used; by then the old refresh token no longer works. */
  save(tokens: Tokens): Promise<void> | void;
};

/** A source of access tokens. Both calls fail with ReauthorizationRequired if the grant has ended. */
export type TokenKeeper = {
  /** Returns an access token that remains valid for a while. */
  accessToken(): Promise<string>;
  /** Returns an access token other than `refused`. */
  renewed(refused: string): Promise<string>;
};

/** The dependencies of the keeper besides the store. */
export type TokenKeeperDeps = {
  /** Uses a refresh token at the service. */
  readonly refresh: (refreshToken: string) => Promise<Tokens>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** An access token that expires within this many milliseconds is refreshed first. */
const SPARE = 30_000;
/**
 * The waits between looks at the store, if another process used the refresh token and may be about to store its result.
 */
const LOOKS_MS = [0, 200, 800];

/** Returns a keeper for the tokens of one store. */
export function tokenKeeper(store: TokenStore, { refresh, now }: TokenKeeperDeps): TokenKeeper {
  let current: Tokens | undefined;
  /** New tokens that the store did not accept: only these work, and they must be stored before they are used. */
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

/** Returns the tokens of the process that used the refresh token first; throws if there is none. */
async function storedByAnother(error: unknown, spent: Tokens, store: TokenStore): Promise<{ saved: Tokens }> {
  if (!(error instanceof KalendsError) || error.code !== 'invalid_grant') throw error;
  for (const wait of LOOKS_MS) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const stored = await store.load();
    if (stored !== undefined && stored.refreshToken !== spent.refreshToken) return { saved: stored };
  }
  throw new ReauthorizationRequired(error);
}
