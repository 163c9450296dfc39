import type { LaterException, LaterHalf } from '../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../calendars/provider-error.ts';
import { toInstant } from '../lib/recurrence/event-instant.ts';

/** Returns the exception at the start of the single event. Fails if there are others, for which it has no place. */
export function onlyException({ change, exceptions }: LaterHalf): LaterException | undefined {
  const startsAt = toInstant(change.start, 'UTC');
  const startException = exceptions.find(({ instance }) => toInstant(instance, 'UTC') === startsAt);
  if (exceptions.some((exception) => exception !== startException)) {
    const message =
      'After this occurrence the series has no rule any more, only exceptions: change each of them separately';
    throw new UnsupportedByProvider('mode_not_supported_by_provider', message, 'updateMode');
  }
  return startException;
}
