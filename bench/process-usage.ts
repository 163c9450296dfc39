/** What another process has used so far, from Linux' /proc; `undefined` where there is none. */
import { readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second on every architecture Node runs on. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time, of all threads. */
export function cpuSeconds(pid: number): number | undefined {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  // The second field is the program's name in parentheses and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory in MB (10^6 bytes). */
export function residentMegabytes(pid: number): number | undefined {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, 'status') ?? '')?.[1];
  return kibibytes === undefined ? undefined : (Number(kibibytes) * 1024) / 1e6;
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined; // Not Linux: the bench then prints no figure.
  }
}

/** The processes that a process has started and those that they started, but for some. */
export function descendantsOf(
  pid: number,
  except: readonly { readonly pid: number }[],
): { readonly pid: number }[] {
  const children = (readProc(pid, `task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number);
  return children
    .filter((child) => except.every((one) => one.pid !== child))
    .flatMap((child) => [{ pid: child }, ...descendantsOf(child, except)]);
}
