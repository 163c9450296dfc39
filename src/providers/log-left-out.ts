import type { Changes } from '../calendars/calendar-provider.ts';
import type { Log } from '../lib/log.ts';

/** Logs the events of a part that are unreadable or too complex. */
export function logLeftOut(
  log: Log,
  calendar: string,
  { changed, leftOut = [] }: Pick<Changes, 'changed' | 'leftOut'>,
): void {
  for (const { kind, href, reason } of leftOut) {
    if (kind === 'unreadable') logUnreadable(log, { calendar, href, reason });
    else
      log.warn(
        { event: 'event_too_complex', calendar, href, reason },
        'Left out an event that is too complex',
      );
  }
  for (const { href, unreadable: reason } of changed)
    if (reason !== undefined) logUnreadable(log, { calendar, href, reason });
}

export function logUnreadable(log: Log, fields: Record<'calendar' | 'href' | 'reason', string>): void {
  log.warn({ event: 'event_not_read', ...fields }, 'Skipped an event that cannot be read');
}
