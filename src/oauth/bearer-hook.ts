/** The Bearer check before a request's body is read, for endpoints that take one. */
import { authenticateBearer, type BearerDeps } from './bearer-authentication.ts';
import type { Grant } from './grant.ts';

export type BearerHook = {
  /** Put on `onRequest`: throws 401 before anything is said about the body. */
  check(request: { headers: { authorization?: string | undefined } }): Promise<void>;
  /** The grant of a request that passed `check`. */
  grantOf(request: object): Grant;
};

export function bearerHook(deps: BearerDeps): BearerHook {
  const grants = new WeakMap<object, Grant>();
  return {
    async check(request) {
      grants.set(request, await authenticateBearer(request.headers.authorization, deps));
    },
    grantOf(request) {
      const grant = grants.get(request);
      if (grant === undefined) throw new Error('A route asked for the grant of a request it did not check');
      return grant;
    },
  };
}
