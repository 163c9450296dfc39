/** Text that cannot be read as iCalendar at all. `message` says why and repeats nothing of the text. */
export class ICalendarError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ICalendarError';
  }
}
