/** Checks of a request before its body is read, so that no body is read for unknown callers. */

/** Runs the check once for each request, with its header alone. */
export function beforeBody<Request extends object, Found>(find: (request: Request) => Promise<Found>) {
  const resultByRequest = new WeakMap<object, { readonly found: Found }>();
  return {
    /** The `onRequest` hook. Throws the errors of the check. */
    async check(request: Request): Promise<void> {
      resultByRequest.set(request, { found: await find(request) });
    },
    /** Returns the result for a request that passed `check`. */
    foundOf(request: object): Found {
      const entry = resultByRequest.get(request);
      if (entry === undefined) throw new Error('A route asked for what was not found out of its request');
      return entry.found;
    },
  };
}
