/** The resources that another process has used so far, from Linux' /proc; `undefined` if there is no /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second on every architecture Node runs on. */
const TICKS_PER_SECOND = 100;

/** Returns seconds of processor time, of all threads; with `isWithEnded` also of its children that ended. */
export function cpuSeconds(pid: number, isWithEnded = false): number | undefined {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  // The second field is the program's name in parentheses and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const times = fields.slice(11, isWithEnded ? 15 : 13);
  return times.reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/**
 * Returns seconds of processor time of the threads that run now, to the nanosecond: for measurements under a second.
 */
export function threadSeconds(pid: number): number | undefined {
  const threads = readOrNothing(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const used = threads.map((thread) => Number(readProc(pid, `task/${thread}/schedstat`)?.split(' ')[0] ?? 0));
  return used.length === 0 ? undefined : used.reduce((sum, one) => sum + one, 0) / 1e9;
}

/** Returns resident memory in MB (10^6 bytes). */
export function residentMegabytes(pid: number): number | undefined {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, 'status') ?? '')?.[1];
  return kibibytes === undefined ? undefined : (Number(kibibytes) * 1024) / 1e6;
}

function readProc(pid: number, file: string): string | undefined {
  return readOrNothing(() => readFileSync(`/proc/${pid}/${file}`, 'utf8'));
}

function readOrNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // Not Linux: the bench then prints no figure.
  }
}

/** Returns the direct and indirect child processes of a process, except for some. */
export function descendantsOf(
  pid: number,
  except: readonly { readonly pid: number }[],
): { readonly pid: number }[] {
  const children = (readProc(pid, `task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number);
  return children
    .filter((child) => except.every((one) => one.pid !== child))
    .flatMap((child) => [{ pid: child }, ...descendantsOf(child, except)]);
}
