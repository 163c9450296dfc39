/** The result of a wait if the work took longer. */
export const LATE = Symbol('late');

/** Settles as `work` does, or resolves to LATE after `milliseconds`. The work continues; later failures are ignored. */
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
