/** The Bearer check before a request's body is read, for endpoints that take one. */
import { beforeBody } from '../http/before-body.ts';
import { authenticateBearer, type BearerDeps } from './bearer-authentication.ts';
import type { Grant } from './grant.ts';

type WithHeaders = { readonly headers: { readonly authorization?: string | undefined } };

export type BearerHook = {
  /** Put on `onRequest`: throws 401 before anything is said about the body. */
  check(request: WithHeaders): Promise<void>;
  /** The grant of a request that passed `check`. */
  grantOf(request: object): Grant;
};

export function bearerHook(deps: BearerDeps): BearerHook {
  const { check, foundOf } = beforeBody(({ headers }: WithHeaders) =>
    authenticateBearer(headers.authorization, deps),
  );
  return { check, grantOf: foundOf };
}
