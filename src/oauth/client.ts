import type { ClientKeys } from './client-key-store.ts';
import { DEFAULT_SWITCHES, type Switches } from './switches.ts';

/** `prove`: returning users must prove their accounts. `continue`: anyone with a user's id gets all its accounts. */
export const RETURNING_USERS = ['prove', 'continue'] as const;

/** The maximum length of the name and of the display name of an application, in characters. */
export const MOST_NAME_CHARACTERS = 200;

/** How an application lets its users connect. */
export type ClientSettings = Switches & {
  /** The redirect URIs besides the default one. With any, a requested `redirect_uri` must be registered. */
  readonly furtherRedirectUris: readonly string[];
  readonly returningUsers: (typeof RETURNING_USERS)[number];
  /** The providers that it offers, in list order; undefined means all of the instance. */
  readonly providers: readonly string[] | undefined;
};

export const DEFAULT_SETTINGS: ClientSettings = {
  ...DEFAULT_SWITCHES,
  furtherRedirectUris: [],
  returningUsers: 'prove',
  providers: undefined,
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
export type UnstoredClient = Omit<Client, keyof ClientSettings> &
  Partial<ClientSettings> & { readonly keys?: ClientKeys | undefined };

/** The fields that can be set and changed. In a change, `undefined` keeps a field and `null` empties it. */
export type ClientChange = { readonly [K in keyof Switches]?: Switches[K] | undefined } & {
  readonly name?: string | undefined;
  readonly displayName?: string | null | undefined;
  /** Returns the new redirect URIs for the registered ones, the default first. Called in the transaction of the change. */
  readonly redirectUris?: ((registered: readonly string[]) => readonly string[]) | undefined;
  readonly webhookUrl?: string | null | undefined;
  readonly returningUsers?: ClientSettings['returningUsers'] | undefined;
  readonly providers?: readonly string[] | null | undefined;
  readonly keys?: ClientKeys | null | undefined;
};
