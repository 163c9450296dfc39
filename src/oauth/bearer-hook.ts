/** The Bearer check before a request's body is read, for endpoints that take one. */
import { beforeBody } from '../http/before-body.ts';
import { authenticateBearer, type BearerDeps, type BearerRequest } from './bearer-authentication.ts';
import type { Grant } from './grant.ts';

export type BearerHook = {
  /** Put on `onRequest`: throws 401 before anything is said about the body. */
  check(request: BearerRequest): Promise<void>;
  /** The grant of a request that passed `check`. */
  grantOf(request: object): Grant;
};

export function bearerHook(deps: BearerDeps): BearerHook {
  const { check, foundOf } = beforeBody((request: BearerRequest) => authenticateBearer(request, deps));
  return { check, grantOf: foundOf };
}
