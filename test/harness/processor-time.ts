/** Limits on work that hold on a machine whose speed others bend: no clock decides alone. */

const SECOND_MS = 1000;
/** What `yardstick` takes while the machine is quiet, at the most. */
const YARDSTICK_MS = 100;

/**
 * Whether `work` takes less than a second of the processor. Where it takes more, a piece of work of known size is
 * measured right behind it: a machine that is ten times slower for a while is so for both.
 */
export function takesUnderASecond(work: () => void): boolean {
  if (spentOn(work) < SECOND_MS) return true;
  return spentOn(work) / spentOn(yardstick) < SECOND_MS / YARDSTICK_MS;
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
