/** Wakes the worker of this process when a job is created. */
export type WakeUp = {
  /** Ends the current wait, or the next one at once. */
  notify(): void;
  /** Resolves at the next notification, or after `milliseconds`. Only one caller may wait at a time. */
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
