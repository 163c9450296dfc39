import type { LogLine } from './log-events/log-events.ts';

/** The logger of all features (pino). A line is fields with an event of the table, and a sentence in the past tense. */
export interface Log {
  debug(fields: LogLine<'debug'>, message: string): void;
  info(fields: LogLine<'info'>, message: string): void;
  warn(fields: LogLine<'warn'>, message: string): void;
  error(fields: LogLine<'error'>, message: string): void;
}
