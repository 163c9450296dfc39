/** `required`: an authorization request of the application is accepted only if it was pushed (RFC 9126). */
export const PUSHED_REQUESTS = ['accepted', 'required'] as const;

/** `prove`: returning users must prove their accounts. `continue`: anyone with a user's id gets all its accounts. */
export const RETURNING_USERS = ['prove', 'continue'] as const;

/** The maximum length of the name and of the display name of an application, in characters. */
export const MOST_NAME_CHARACTERS = 200;

const MOST_REPLAY_SECONDS = 120;

/** The seconds in which a used refresh token still returns its successor (docs/departures.md#refresh-replay-window). */
export const REFRESH_REPLAY_WINDOW = {
  option: 'refresh-replay-window',
  field: 'refresh_replay_window',
  most: MOST_REPLAY_SECONDS,
  about: `Seconds after a refresh for which the rotated refresh token still returns its successor, until the successor is used: 0 (off, the default) to ${MOST_REPLAY_SECONDS}. A client whose response was lost can then repeat the request.`,
  problem: `must be a whole number of seconds from 0 to ${MOST_REPLAY_SECONDS}`,
  /** Returns `undefined` for anything but a whole number in range. */
  parse: (text: string): number | undefined =>
    /^\d{1,3}$/.test(text) && Number(text) <= MOST_REPLAY_SECONDS ? Number(text) : undefined,
} as const;

/** How an application lets its users connect. */
export type ClientSettings = {
  /** The redirect URIs besides the default one. With any, a requested `redirect_uri` must be registered. */
  readonly furtherRedirectUris: readonly string[];
  readonly pushedRequests: (typeof PUSHED_REQUESTS)[number];
  readonly returningUsers: (typeof RETURNING_USERS)[number];
  /** The providers that it offers, in list order; undefined means all of the instance. */
  readonly providers: readonly string[] | undefined;
  readonly refreshReplayWindow: number;
};

export const DEFAULT_SETTINGS: ClientSettings = {
  furtherRedirectUris: [],
  pushedRequests: 'accepted',
  returningUsers: 'prove',
  providers: undefined,
  refreshReplayWindow: 0,
};

/** An application (docs/wire.md O2.1), which integrates Kalends. */
export type Client = ClientSettings & {
  readonly clientId: string;
  /** The operator's name for it; users never see it. */
  readonly name: string;
  /** The name on the Connect pages; if undefined, they use a generic text. */
  readonly displayName: string | undefined;
  /** The default redirect URI. */
  readonly redirectUri: string;
  readonly webhookUrl: string | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
};

/** Returns the redirect URIs in their order, the default first. */
export const registeredUris = ({
  redirectUri,
  furtherRedirectUris,
}: Pick<Client, 'redirectUri' | 'furtherRedirectUris'>): readonly string[] => [
  redirectUri,
  ...furtherRedirectUris,
];

/** An application before it is stored. Absent settings have their defaults. */
export type UnstoredClient = Omit<Client, keyof ClientSettings> & Partial<ClientSettings>;

/** The fields that can be set and changed. In a change, `undefined` keeps a field and `null` empties it. */
export type ClientChange = {
  readonly name?: string | undefined;
  readonly displayName?: string | null | undefined;
  /** Returns the new redirect URIs for the registered ones, the default first. Called in the transaction of the change. */
  readonly redirectUris?: ((registered: readonly string[]) => readonly string[]) | undefined;
  readonly webhookUrl?: string | null | undefined;
  readonly pushedRequests?: ClientSettings['pushedRequests'] | undefined;
  readonly returningUsers?: ClientSettings['returningUsers'] | undefined;
  readonly providers?: readonly string[] | null | undefined;
  readonly refreshReplayWindow?: number | undefined;
};
