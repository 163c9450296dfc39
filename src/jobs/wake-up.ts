/** Between those who make jobs and the worker of this process. */
export type WakeUp = {
  /** Ends the wait under way, or the next one at once. */
  notify(): void;
  /** Resolves at the next notification, or after so many milliseconds. One waits at a time. */
  wait(milliseconds: number): Promise<void>;
};

export function createWakeUp(): WakeUp {
  let isNotified = false;
  let end = () => {};
  return {
    notify() {
      isNotified = true;
      end();
    },
    async wait(milliseconds) {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isNotified = false;
      end = () => {};
    },
  };
}
