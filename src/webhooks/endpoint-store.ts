import type { Endpoint } from './endpoint.ts';
import type { EndpointSecret } from './message.ts';

/** Endpoints that an operator sets up. */
export interface EndpointSettings {
  /** Of one application, or of all; the first of each first, then the oldest. */
  listEndpoints(clientId: string | undefined): Promise<ListedEndpoint[]>;

  findEndpoint(endpointId: string): Promise<ListedEndpoint | undefined>;

  /** Throws ApiError 409 `too_many_endpoints` if the application has as many as it may; racing calls included. */
  addEndpoint(endpoint: NewEndpoint): Promise<void>;

  /**
   * What it hears from now on, and where it is. A new address ends a pause: what waits goes there, and is tried at once. The URL
   * of the first endpoint stays: it is its application's. False when there is none.
   */
  changeEndpoint(endpointId: string, change: EndpointChange): Promise<boolean>;

  /** With all that waits for it and its log. False when there is none, or it is its application's webhook URL. */
  removeEndpoint(endpointId: string): Promise<boolean>;

  /** Sends it nothing more until it is resumed. False when there is none. */
  pauseEndpoint(endpointId: string, now: number): Promise<boolean>;

  /** Goes on where it stood, at once. False when there is none. */
  resumeEndpoint(endpointId: string): Promise<boolean>;

  /** Returns whether an application other than `clientId` has an endpoint at the address of `url` (endpoint-address.ts). */
  isElsewhere(url: string, clientId: string): Promise<boolean>;

  /** How its deliveries since then went. */
  figuresOf(endpointId: string, since: number): Promise<EndpointFigures>;
}

/** The temporary endpoints of `kalends listen`. */
export interface ListenerStore {
  /** The same for one that is asked for its messages, and lives until then. False where the application has `most` already. */
  addListener(listener: NewEndpoint, expiresAt: number, most: number): Promise<boolean>;

  /** It lives until then. False when the application has no such listener, or it has ended before `now`. */
  renewListener(listener: ListenerName, expiresAt: number, now: number): Promise<boolean>;

  /** With all that waits for it and its log. False when the application has none such. */
  removeListener(listener: ListenerName): Promise<boolean>;

  /** Removes those that ended before. Answers how many they were. */
  removeEndedListeners(now: number): Promise<number>;
}

/** The secrets of endpoints. */
export interface EndpointSecretStore {
  /** Its secrets, the newest first; `undefined` when there is no such endpoint. */
  secretsOf(endpointId: string): Promise<EndpointSecret[] | undefined>;

  /**
   * Makes what `change` answers of its secrets its secrets; of concurrent calls each sees what the one before it made.
   * False when there is none.
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

/** Of its newest deliveries, a thousand at most, that were tried. */
export type EndpointFigures = {
  readonly delivered: number;
  /** Those, the dead ones, and those that failed and are tried again. */
  readonly judged: number;
  /** Since when the oldest waits of what is not told yet; undefined where nothing waits. */
  readonly oldestWaiting: number | undefined;
};

export type ListenerName = Pick<Endpoint, 'endpointId' | 'clientId'>;

export type ListedEndpoint = Endpoint & {
  /** Streams for which something waits; 10,000 where there are more. */
  readonly waiting: number;
  /** What the last attempt that failed came to. */
  readonly lastFault: string | undefined;
};
