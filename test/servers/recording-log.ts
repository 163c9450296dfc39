/** A log that keeps what was logged, for tests to look at. */
import type { Log } from '../../src/lib/log.ts';

export type LogEntry = { readonly level: keyof Log; readonly fields: object; readonly message: string };

export function recordingLog(): { log: Log; entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  const record = (level: keyof Log) => (fields: object, message: string) => {
    entries.push({ level, fields, message });
  };
  const log = {
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
  };
  return { log, entries };
}
