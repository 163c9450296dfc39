/** Waits for work for a limited time. */

/** The result of a wait if the work took longer. */
export const LATE = Symbol('late');

/**
 * Resolves or rejects as `work` does, or resolves to LATE after `milliseconds` of real time. The work then continues;
 * if it fails later, the failure is ignored.
 */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, milliseconds, LATE);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
