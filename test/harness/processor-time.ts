/** Limits on work that hold on a machine whose speed others bend: no clock decides alone. */

/** What `yardstick` takes while the machine is quiet, at the most. */
const YARDSTICK_MS = 100;

/** As takesUnder, of a second. */
export const takesUnderASecond = (work: () => void): boolean => takesUnder(1000, work);

/**
 * Whether `work` takes less than so many milliseconds of the processor. Where it takes more, it is done again, and a piece
 * of work of known size is measured right behind it: a machine that is ten times slower for a while is so for both.
 */
export function takesUnder(ms: number, work: () => void): boolean {
  if (spentOn(work) < ms) return true;
  return spentOn(work) / spentOn(yardstick) < ms / YARDSTICK_MS;
}

/** Starts counting: the function returns the milliseconds of all this process's work since then. */
export function countWork(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

/** Milliseconds of this thread's work: what else the machine does is not counted. */
function spentOn(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function yardstick(): void {
  const texts = Array.from({ length: 100_000 }, (_, i) => `${(i * 7919) % 100_003}`);
  JSON.parse(JSON.stringify(texts.sort()));
}
