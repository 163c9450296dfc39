/** `required`: an authorization request of the application counts only when it was pushed (RFC 9126). */
export const PUSHED_REQUESTS = ['accepted', 'required'] as const;

/**
 * `prove`: returning users prove the accounts that a grant shall cover. `continue`: whoever knows a user's id goes on
 * with all of that user's accounts.
 */
export const RETURNING_USERS = ['prove', 'continue'] as const;

/** How an application lets its users connect. */
export type ClientSettings = {
  readonly pushedRequests: (typeof PUSHED_REQUESTS)[number];
  readonly returningUsers: (typeof RETURNING_USERS)[number];
  /** The kinds of provider it offers, in the order every list has; undefined: all that the instance offers. */
  readonly providers: readonly string[] | undefined;
};

/** Of an application that has set nothing. */
export const DEFAULT_SETTINGS: ClientSettings = {
  pushedRequests: 'accepted',
  returningUsers: 'prove',
  providers: undefined,
};

/** An application (docs/wire.md O2.1): what integrates Kalends. */
export type Client = ClientSettings & {
  readonly clientId: string;
  /** The operator's name for it; never shown to its users. */
  readonly name: string;
  /** Shown on the Connect pages; without one they use a generic text. */
  readonly displayName: string | undefined;
  readonly redirectUri: string;
  readonly webhookUrl: string | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
};

/** An application before it is stored: settings that are absent have their defaults. */
export type UnstoredClient = Omit<Client, keyof ClientSettings> & Partial<ClientSettings>;

/** What can be set and changed; `undefined` in a change leaves a field as it is, `null` empties it. */
export type ClientChange = {
  readonly name?: string | undefined;
  readonly displayName?: string | null | undefined;
  readonly redirectUri?: string | undefined;
  readonly webhookUrl?: string | null | undefined;
  readonly pushedRequests?: ClientSettings['pushedRequests'] | undefined;
  readonly returningUsers?: ClientSettings['returningUsers'] | undefined;
  readonly providers?: readonly string[] | null | undefined;
};
