import type { Caller } from '../audit/audit-entry.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointSecret } from './message.ts';

/** Endpoints that an operator manages. Changes of `by` are audited. */
export interface EndpointSettings {
  /** Lists endpoints of one, several or all applications, in the order of their ids: each webhook URL first, then the oldest. */
  listEndpoints(
    clientId: string | readonly string[] | undefined,
    page?: EndpointPage,
  ): Promise<ListedEndpoint[]>;

  findEndpoint(endpointId: string): Promise<ListedEndpoint | undefined>;

  /** Throws ApiError 409 `too_many_endpoints` at the application's limit, even for concurrent calls. */
  addEndpoint(endpoint: NewEndpoint, by: Caller | undefined): Promise<void>;

  /**
   * Changes topics and URL; false if it does not exist. A new URL ends a pause and is due at once. The first endpoint
   * keeps its application's URL.
   */
  changeEndpoint(endpointId: string, change: EndpointChange, by: Caller | undefined): Promise<boolean>;

  /** Removes an endpoint with its deliveries; false if it does not exist or is its application's webhook URL. */
  removeEndpoint(endpointId: string, by: Caller | undefined): Promise<boolean>;

  /** Stops deliveries until a resume. Returns false if the endpoint does not exist. */
  pauseEndpoint(endpointId: string, now: number, by: Caller | undefined): Promise<boolean>;

  /** Continues deliveries at once. Returns false if the endpoint does not exist. */
  resumeEndpoint(endpointId: string, by: Caller | undefined): Promise<boolean>;

  /** Returns whether another application has an endpoint at the address of `url` (endpoint-address.ts). */
  isElsewhere(url: string, clientId: string): Promise<boolean>;

  /** Counts the attempts of the hours since then. */
  figuresOf(endpointId: string, since: number): Promise<EndpointFigures>;
}

/** The temporary endpoints of `kalends listen`. */
export interface ListenerStore {
  /** Adds a listener until `expiresAt`. Returns false if the application has `most` listeners. */
  addListener(listener: NewEndpoint, expiresAt: number, most: number): Promise<boolean>;

  /** Extends a listener's life. Returns false if it does not exist or expired before `now`. */
  renewListener(listener: ListenerName, expiresAt: number, now: number): Promise<boolean>;

  /** Removes a listener with its deliveries. Returns false if it does not exist. */
  removeListener(listener: ListenerName): Promise<boolean>;

  /** Removes listeners that expired before `now`; returns their number. */
  removeEndedListeners(now: number): Promise<number>;
}

export interface EndpointSecretStore {
  /** Returns the secrets, the newest first; `undefined` if the endpoint does not exist. */
  secretsOf(endpointId: string): Promise<EndpointSecret[] | undefined>;

  /** Replaces the secrets by the result of `change`; concurrent calls serialize. False without the endpoint. */
  changeSecrets(
    endpointId: string,
    change: (secrets: readonly EndpointSecret[]) => readonly EndpointSecret[],
    by: Caller | undefined,
  ): Promise<boolean>;
}

/** The endpoints of deliveries. Instants are epoch milliseconds. */
export type EndpointStore = EndpointSettings & ListenerStore & EndpointSecretStore;

/** The position after an endpoint. */
export type EndpointPlace = Pick<Endpoint, 'clientId' | 'isFirst' | 'createdAt' | 'endpointId'>;

export type EndpointPage = { readonly after: EndpointPlace | undefined; readonly limit: number };

export type NewEndpoint = Pick<Endpoint, 'endpointId' | 'clientId' | 'url' | 'hears' | 'createdAt'> & {
  readonly secret: string;
};

export type EndpointChange = Pick<Endpoint, 'hears'> & { readonly url?: string };

export type EndpointFigures = {
  /** The attempts of deliveries, resends included. */
  readonly attempts: number;
  readonly failures: number;
  /** The same for each hour with attempts; `hour` is its start in epoch milliseconds. */
  readonly hours: readonly {
    readonly hour: number;
    readonly attempts: number;
    readonly failures: number;
  }[];
  /** When the oldest undelivered change began to wait; undefined if nothing waits. */
  readonly oldestWaiting: number | undefined;
};

export type ListenerName = Pick<Endpoint, 'endpointId' | 'clientId'>;

export type ListedEndpoint = Endpoint & {
  /** The number of streams with waiting changes, at most 10,000. */
  readonly waiting: number;
  readonly lastFault: string | undefined;
};
