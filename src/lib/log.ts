import type { LogLine } from './log-events/log-events.ts';

/**
 * The logger of all features, implemented by pino. The fields, with an event of the table, come first, then a sentence
 * in the past tense.
 */
export interface Log {
  debug(fields: LogLine<'debug'>, message: string): void;
  info(fields: LogLine<'info'>, message: string): void;
  warn(fields: LogLine<'warn'>, message: string): void;
  error(fields: LogLine<'error'>, message: string): void;
}
