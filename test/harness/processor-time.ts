/** Limits on work that hold on a machine of varying speed: no clock decides alone. */

/** The most that `yardstick` takes on a quiet machine, in milliseconds. */
const YARDSTICK_MS = 100;

/** Reports whether `work` takes less than a second of processor time; see `takesUnder`. */
export const takesUnderASecond = (work: () => void): boolean => takesUnder(1000, work);

/**
 * Reports whether `work` takes less than `ms` milliseconds of processor time. If it takes more, it is repeated and
 * followed by work of known size: a machine that is slow for a while slows down both equally.
 */
export function takesUnder(ms: number, work: () => void): boolean {
  if (spentOn(work) < ms) return true;
  return spentOn(work) / spentOn(yardstick) < ms / YARDSTICK_MS;
}

/** Starts counting; the returned function returns this process's processor time since then, in milliseconds. */
export function countWork(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

/** Returns this thread's processor time for `work`, in milliseconds: other work on the machine is not counted. */
function spentOn(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Returns how many times as long as on a quiet machine the same work takes now; at least 1. */
export function slowness(): number {
  const from = performance.now();
  yardstick();
  return Math.max(1, (performance.now() - from) / YARDSTICK_MS);
}

function yardstick(): void {
  const texts = Array.from({ length: 100_000 }, (_, i) => `${(i * 7919) % 100_003}`);
  JSON.parse(JSON.stringify(texts.sort()));
}
