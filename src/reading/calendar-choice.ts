/** Which calendars a read is of. */
import type { MirroredAccount, ReadableCalendar } from './event-reader.ts';

/** `undefined` chooses all. */
export type CalendarChoice = ((calendar: ReadableCalendar, account: MirroredAccount) => boolean) | undefined;

/** The account's chosen calendars. */
export function chosenOf(account: MirroredAccount, choice: CalendarChoice): readonly ReadableCalendar[] {
  if (choice === undefined) return account.calendars;
  return account.calendars.filter((calendar) => choice(calendar, account));
}

/** What fails elsewhere is no concern of a read of certain calendars, once it is known whose they are. */
export function concerns(account: MirroredAccount, choice: CalendarChoice): boolean {
  return choice === undefined || account.syncedAt === undefined || chosenOf(account, choice).length > 0;
}
