/** An endpoint for deliveries of an application. Instants are epoch milliseconds. */
export type Endpoint = {
  readonly endpointId: string;
  readonly clientId: string;
  readonly url: string;
  /** 1 if an owner or the command line set the URL: requests to it may reach what KALENDS_PRIVATE_NETWORK opens. */
  readonly privateNetwork: 0 | 1;
  /** Whether it is the application's webhook URL: it is created and removed with that. */
  readonly isFirst: boolean;
  readonly hears: EndpointHears;
  /** A paused endpoint receives nothing; changes wait. */
  readonly state: 'active' | 'paused';
  readonly pausedReason: PauseReason | undefined;
  readonly pausedAt: number | undefined;
  /** The failed attempts in a row, over all its messages, and since when. */
  readonly failures: number;
  readonly failingSince: number | undefined;
  readonly createdAt: number;
  /** When a listener expires unless it asks for deliveries again (listeners.ts); nothing is sent to it. */
  readonly expiresAt: number | undefined;
};

export type EndpointHears = {
  readonly events: boolean;
  readonly calendars: boolean;
  readonly connections: boolean;
  /** Whether it also receives changes that the application made itself. */
  readonly own: boolean;
};

/** `operator`: a person paused it. `gone`: it responded with 410. `failing`: only failures for five days. */
export type PauseReason = 'operator' | 'gone' | 'failing';
