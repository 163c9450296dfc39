/** A bell between those who make jobs and the worker of this process. */
export type WakeUp = {
  /** Ends the wait under way, or the next one at once. */
  ring(): void;
  /** Resolves at the next ring, or after so many milliseconds. One waits at a time. */
  wait(milliseconds: number): Promise<void>;
};

export function wakeUp(): WakeUp {
  let rung = false;
  let end = () => {};
  return {
    ring() {
      rung = true;
      end();
    },
    async wait(milliseconds) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
      end = () => {};
    },
  };
}
