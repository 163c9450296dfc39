/** What is found out about a request before its body is read, so that nobody unknown has one read. */

export type BeforeBody<Request extends object, Found> = {
  /** Put on `onRequest`; throws what finding throws. */
  check(request: Request): Promise<void>;
  /** What was found of a request that passed `check`. */
  foundOf(request: object): Found;
};

/** Finds it once for each request, with its header alone. */
export function beforeBody<Request extends object, Found>(
  find: (request: Request) => Promise<Found>,
): BeforeBody<Request, Found> {
  const known = new WeakMap<object, { readonly found: Found }>();
  return {
    async check(request) {
      known.set(request, { found: await find(request) });
    },
    foundOf(request) {
      const entry = known.get(request);
      if (entry === undefined) throw new Error('A route asked for what was not found out of its request');
      return entry.found;
    },
  };
}
