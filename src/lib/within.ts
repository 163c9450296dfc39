/** Waiting for work for so long and no longer. */

/** What a wait answers when the work took longer. */
export const LATE = Symbol('late');

/**
 * What `work` resolves or rejects with, or LATE once `milliseconds` of real time have passed. The work then goes on; if it
 * fails later, the failure is ignored.
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
