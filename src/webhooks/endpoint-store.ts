import type { Endpoint } from './endpoint.ts';
import type { EndpointSecret } from './message.ts';

/** Endpoints that an operator sets up. */
export interface EndpointSettings {
  /** Lists endpoints of one application or of all: each application's webhook URL first, then the oldest. */
  listEndpoints(clientId: string | undefined): Promise<ListedEndpoint[]>;

  findEndpoint(endpointId: string): Promise<ListedEndpoint | undefined>;

  /** Throws ApiError 409 `too_many_endpoints` if the application has as many as it may; racing calls included. */
  addEndpoint(endpoint: NewEndpoint): Promise<void>;

  /**
   * Changes an endpoint's topics and URL. A new URL ends a pause: waiting deliveries go there, at once. The URL of the
   * first endpoint stays, since it is its application's. Returns false if the endpoint does not exist.
   */
  changeEndpoint(endpointId: string, change: EndpointChange): Promise<boolean>;

  /**
   * Removes an endpoint with its deliveries and its log. Returns false if it does not exist, or is its application's
   * webhook URL.
   */
  removeEndpoint(endpointId: string): Promise<boolean>;

  /** Sends the endpoint nothing more until it is resumed. Returns false if it does not exist. */
  pauseEndpoint(endpointId: string, now: number): Promise<boolean>;

  /** Continues deliveries where they stopped, at once. Returns false if the endpoint does not exist. */
  resumeEndpoint(endpointId: string): Promise<boolean>;

  /** Returns whether another application has an endpoint at the address of `url` (endpoint-address.ts). */
  isElsewhere(url: string, clientId: string): Promise<boolean>;

  /** Counts the results of its deliveries since then. */
  figuresOf(endpointId: string, since: number): Promise<EndpointFigures>;
}

/** The temporary endpoints of `kalends listen`. */
export interface ListenerStore {
  /** Adds a listener that lives until `expiresAt`. Returns false if the application has `most` listeners already. */
  addListener(listener: NewEndpoint, expiresAt: number, most: number): Promise<boolean>;

  /** Extends a listener's life. Returns false if the application has no such listener, or it expired before `now`. */
  renewListener(listener: ListenerName, expiresAt: number, now: number): Promise<boolean>;

  /** Removes a listener with its deliveries and its log. Returns false if the application has no such listener. */
  removeListener(listener: ListenerName): Promise<boolean>;

  /** Removes listeners that expired before `now`. Returns their number. */
  removeEndedListeners(now: number): Promise<number>;
}

/** The secrets of endpoints. */
export interface EndpointSecretStore {
  /** Returns its secrets, the newest first; `undefined` if the endpoint does not exist. */
  secretsOf(endpointId: string): Promise<EndpointSecret[] | undefined>;

  /**
   * Replaces its secrets by the result of `change`. Of concurrent calls each sees the result of the one before. Returns
   * false if the endpoint does not exist.
   */
  changeSecrets(
    endpointId: string,
    change: (secrets: readonly EndpointSecret[]) => readonly EndpointSecret[],
  ): Promise<boolean>;
}

/** The URLs and listeners that receive deliveries. Instants are epoch milliseconds. */
export type EndpointStore = EndpointSettings & ListenerStore & EndpointSecretStore;

export type NewEndpoint = Pick<Endpoint, 'endpointId' | 'clientId' | 'url' | 'hears' | 'createdAt'> & {
  readonly secret: string;
};

export type EndpointChange = Pick<Endpoint, 'hears'> & { readonly url?: string };

/** Counts of its newest deliveries that were tried, a thousand at most. */
export type EndpointFigures = {
  readonly delivered: number;
  /** Delivered and dead ones, and those that failed and will be retried. */
  readonly judged: number;
  /** When the oldest undelivered change began to wait; undefined if nothing waits. */
  readonly oldestWaiting: number | undefined;
};

export type ListenerName = Pick<Endpoint, 'endpointId' | 'clientId'>;

export type ListedEndpoint = Endpoint & {
  /** The number of streams with something waiting; 10,000 if there are more. */
  readonly waiting: number;
  /** The failure of the last failed attempt. */
  readonly lastFault: string | undefined;
};
