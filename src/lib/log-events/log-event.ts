/** A row in the table of log events. */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogEvent = {
  readonly level: LogLevel;
  /** When it is logged: the words after "when". */
  readonly when: string;
  /** Instructions for the operator. Undefined if there is nothing to do. */
  readonly act?: string;
  /** The fields that may appear beside `event`. */
  readonly fields: readonly string[];
};
