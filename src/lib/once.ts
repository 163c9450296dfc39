/** What is made at its first use and kept from then on. */

/** Calls that come while it is being made get the same promise. One that failed is made again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
