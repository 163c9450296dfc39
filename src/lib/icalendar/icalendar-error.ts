/** An error for text that is not iCalendar. `message` says why and contains nothing of the text. */
export class ICalendarError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ICalendarError';
  }
}
