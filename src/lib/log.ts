import type { LogLine } from './log-events/log-events.ts';

/** What features log through; pino stands behind it. An event of the table with its fields first, then a sentence in the past tense. */
export interface Log {
  debug(fields: LogLine<'debug'>, message: string): void;
  info(fields: LogLine<'info'>, message: string): void;
  warn(fields: LogLine<'warn'>, message: string): void;
  error(fields: LogLine<'error'>, message: string): void;
}
