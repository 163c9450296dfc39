/** Holding calls, such as a provider's, until a test lets them continue. */

/** Calls of `pass` wait until `open`; `arrived` counts them. */
export function holdCalls() {
  const opened = Promise.withResolvers<void>();
  const waiters: (() => void)[] = [];
  let arrived = 0;
  return {
    open: () => opened.resolve(),
    arrived: () => arrived,
    /** Resolves once that many have arrived. */
    until: (count: number) =>
      new Promise<void>((resolve) => {
        waiters.push(() => {
          if (arrived >= count) resolve();
        });
        waiters.at(-1)?.();
      }),
    async pass(): Promise<void> {
      arrived += 1;
      for (const look of waiters) look();
      await opened.promise;
    },
  };
}
