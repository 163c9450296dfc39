/** Adding people, and changes to their calendars in Outlook. */
import { type Account, type Directory, findAccount, newAccount } from './directory.ts';
import { newCalendarId } from './item-id.ts';
import { nextChange, type StoredCalendar } from './mailbox.ts';
import type { ManualChangesDeps, MicrosoftManualChanges } from './manual-changes.ts';

type ManualCalendars = Pick<
  MicrosoftManualChanges,
  'addPerson' | 'addCalendar' | 'removeCalendar' | 'renameCalendar' | 'shareCalendar'
>;

export function manualCalendars({ directory, deltas }: ManualChangesDeps): ManualCalendars {
  return {
    async addPerson({ email, name }) {
      if (findAccount(directory, email) !== undefined) throw new Error(`${email} is there already`);
      directory.accounts.set(email.toLowerCase(), newAccount(email, name));
    },
    async addCalendar(email, { title, color = '', timeZone, readOnly = false }) {
      const { mailbox } = accountOf(directory, email);
      const isDefault = mailbox.calendars.size === 0;
      // Outlook's calendars have one zone, the mailbox's.
      if (isDefault) mailbox.timeZone = timeZone;
      const calendar = { name: title, hexColor: color, canEdit: !readOnly, isDefault, sharedBy: undefined };
      return added(mailbox, calendar);
    },
    async shareCalendar(email, { title, owner, readOnly = false }) {
      const { mailbox } = accountOf(directory, email);
      const sharedBy = { address: owner.email, name: owner.name };
      return added(mailbox, { name: title, hexColor: '', canEdit: !readOnly, isDefault: false, sharedBy });
    },
    async renameCalendar(email, calendarId, title) {
      const { mailbox } = accountOf(directory, email);
      const calendar = calendarById({ mailbox }, calendarId);
      mailbox.calendars.set(calendarId, { ...calendar, name: title, change: nextChange(mailbox) });
    },
    async removeCalendar(email, calendarId) {
      const account = accountOf(directory, email);
      calendarById(account, calendarId);
      account.mailbox.calendars.delete(calendarId);
      deltas.forget(account, calendarId);
    },
  };
}

function added(
  mailbox: Account['mailbox'],
  calendar: Omit<StoredCalendar, 'id' | 'change' | 'events' | 'eventsChange'>,
): string {
  const id = newCalendarId();
  const change = nextChange(mailbox);
  mailbox.calendars.set(id, { ...calendar, id, change, events: new Map(), eventsChange: change });
  return id;
}

/** Throws an Error for an address nobody has. */
export function accountOf(directory: Directory, email: string): Account {
  const account = findAccount(directory, email);
  if (account === undefined) throw new Error(`Nobody is ${email}`);
  return account;
}

/** Throws an Error for a calendar that is not there. */
export function calendarById({ mailbox }: Pick<Account, 'mailbox'>, calendarId: string): StoredCalendar {
  const calendar = mailbox.calendars.get(calendarId);
  if (calendar === undefined) throw new Error(`${mailbox.email} has no calendar ${calendarId}`);
  return calendar;
}
