/** What the table of log events says of each. */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogEvent = {
  readonly level: LogLevel;
  /** When it is logged, as a sentence goes on after "when". */
  readonly when: string;
  /** What the operator is to do. Absent where there is nothing to do. */
  readonly act?: string;
  /** What may stand beside `event`. */
  readonly fields: readonly string[];
};
