/** An application's endpoint for deliveries. Instants are epoch milliseconds. */
export type Endpoint = {
  readonly endpointId: string;
  readonly clientId: string;
  readonly url: string;
  /** 1 if an owner or the command line set the URL: it may then use what KALENDS_PRIVATE_NETWORK allows. */
  readonly privateNetwork: 0 | 1;
  /** Whether it is the application's webhook URL, with which it is created and removed. */
  readonly isFirst: boolean;
  readonly hears: EndpointHears;
  /** A paused endpoint receives nothing; changes wait. */
  readonly state: 'active' | 'paused';
  readonly pausedReason: PauseReason | undefined;
  readonly pausedAt: number | undefined;
  /** Failed attempts in a row, over all messages, and their start. */
  readonly failures: number;
  readonly failingSince: number | undefined;
  readonly createdAt: number;
  /** When a listener expires unless it requests deliveries (listeners.ts). Nothing is sent to it. */
  readonly expiresAt: number | undefined;
};

export type EndpointHears = {
  readonly events: boolean;
  readonly calendars: boolean;
  readonly connections: boolean;
  /** Whether it also receives the application's own changes. */
  readonly own: boolean;
};

/** `operator`: a person paused it. `gone`: it responded with 410. `failing`: only failures for five days. */
export type PauseReason = 'operator' | 'gone' | 'failing';
