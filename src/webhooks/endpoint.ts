/** Where deliveries of an application go. Instants are epoch milliseconds. */
export type Endpoint = {
  readonly endpointId: string;
  readonly clientId: string;
  readonly url: string;
  /** 1 if an owner or the command line set the URL: requests to it may reach what KALENDS_PRIVATE_NETWORK opens. */
  readonly privateNetwork: 0 | 1;
  /** Whether it is the application's webhook URL: it comes and goes with that. */
  readonly isFirst: boolean;
  readonly hears: EndpointHears;
  /** Nothing is sent to a paused one; what changes meanwhile waits. */
  readonly state: 'active' | 'paused';
  readonly pausedReason: PauseReason | undefined;
  readonly pausedAt: number | undefined;
  /** Attempts in a row that failed, over all its messages, and since when. */
  readonly failures: number;
  readonly failingSince: number | undefined;
  readonly createdAt: number;
  /** Of a listener: nothing is sent to it, it asks (listeners.ts), and it ends then unless it asks again. */
  readonly expiresAt: number | undefined;
};

export type EndpointHears = {
  readonly events: boolean;
  readonly calendars: boolean;
  readonly connections: boolean;
  /** Also of changes that the application made itself. */
  readonly own: boolean;
};

/** `operator`: somebody asked for it. `gone`: it answered 410. `failing`: nothing but failures for five days. */
export type PauseReason = 'operator' | 'gone' | 'failing';
