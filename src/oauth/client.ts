/** An application (docs/wire.md O2.1): what integrates Kalends. */
export type Client = {
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

/** What can be set and changed; `undefined` in a change leaves a field as it is, `null` empties it. */
export type ClientChange = {
  readonly name?: string | undefined;
  readonly displayName?: string | null | undefined;
  readonly redirectUri?: string | undefined;
  readonly webhookUrl?: string | null | undefined;
};
