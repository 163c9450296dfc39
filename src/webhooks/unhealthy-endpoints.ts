import type { ListedEndpoint } from './endpoint-store.ts';

/** Lists endpoints that are paused, failed three times in a row, or have failed for a minute. Listeners are left out. */
export interface UnhealthyEndpoints {
  /** Lists at most UNHEALTHY_ON_A_PAGE endpoints after a position, the newest problem first. */
  listUnhealthy(filter: UnhealthyEndpointFilter, after?: UnhealthyPlace): Promise<UnhealthyEndpoint[]>;
}

export const UNHEALTHY_ON_A_PAGE = 50;

export type UnhealthyEndpointFilter = {
  /** Undefined selects all applications. */
  readonly clientIds?: readonly string[] | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
};

export type UnhealthyEndpoint = Pick<
  ListedEndpoint,
  'endpointId' | 'clientId' | 'url' | 'state' | 'pausedReason' | 'failures' | 'lastFault'
> & {
  /** When it was paused or began to fail, in epoch milliseconds. */
  readonly since: number;
};

/** The endpoint after which a page begins. */
export type UnhealthyPlace = Pick<UnhealthyEndpoint, 'since' | 'endpointId'>;
