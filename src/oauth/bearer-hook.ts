/** The Bearer check before a request's body is read, for endpoints that take one. */
import { beforeBody } from '../http/before-body.ts';
import { authenticateBearer, type BearerDeps, type BearerRequest } from './bearer-authentication.ts';
import type { Grant } from './grant.ts';

export type BearerHook = {
  /** Runs on `onRequest`: throws 401 before the body is read. */
  check(request: BearerRequest): Promise<void>;
  /** Returns the grant of a request that passed `check`. */
  grantOf(request: object): Grant;
};

export function bearerHook(deps: BearerDeps): BearerHook {
  const { check, foundOf } = beforeBody((request: BearerRequest) => authenticateBearer(request, deps));
  return { check, grantOf: foundOf };
}
