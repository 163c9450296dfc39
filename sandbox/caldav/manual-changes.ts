/**
 * The changes that people make in the calendar app of their CalDAV provider: to calendars here, to events in
 * manual-events.ts.
 */
import { randomUUID } from 'node:crypto';

import type { EventEditor, ManualChanges } from '../core/provider-sandbox.ts';
import type { Account, Accounts } from './accounts.ts';
import { calendarZone, zoneText } from './calendar-zone.ts';
import { CalendarCollection } from './collection.ts';
import { xmlText } from './dav-answer.ts';
import { byStartThenTitle, instancesOf, listedInstance } from './instances.ts';
import { COLOR, TIME_ZONE, TITLE } from './live-properties.ts';
import { manualEvents } from './manual-events.ts';
import type { Scheduling } from './scheduling.ts';
import type { ServerBehaviour } from './server-behaviour.ts';

export type ManualChangesDeps = {
  readonly behaviour: ServerBehaviour;
  readonly accounts: Accounts;
  readonly scheduling: Scheduling | undefined;
  readonly now: () => number;
  /** The origin of the homes. */
  readonly homeOrigin: string;
};

/** Returns the changes. The id of a calendar is its absolute URL, the id of an event the last segment of its URL. */
export function caldavManualChanges(deps: ManualChangesDeps): ManualChanges & EventEditor {
  const { accounts, scheduling, now } = deps;
  const find = (email: string, calendarId: string) => calendarOf(email, calendarId, deps);

  return {
    ...manualEvents({ now, accounts, scheduling, find }),
    calendars(email) {
      const account = accounts.all().find(({ person }) => person.email === email);
      return account && [...account.calendars.values()].map((calendar) => hrefOf(account, calendar, deps));
    },
    async addPerson(person) {
      accounts.add(person);
    },
    async addCalendar(email, { title, color, timeZone, readOnly = false }) {
      const account = accounts.of(email);
      const name = randomUUID();
      const properties = new Map([
        [TITLE, xmlText(title)],
        [TIME_ZONE, xmlText(zoneText(timeZone, now()))],
        ...(color === undefined ? [] : [[COLOR, xmlText(color)] as const]),
      ]);
      const { newTag } = account;
      const calendar = new CalendarCollection({ name, components: ['VEVENT'], readOnly, properties, newTag });
      account.calendars.set(name, calendar);
      return hrefOf(account, calendar, deps);
    },
    async renameCalendar(email, calendarId, title) {
      find(email, calendarId).properties.set(TITLE, xmlText(title));
    },
    async removeCalendar(email, calendarId) {
      accounts.of(email).calendars.delete(find(email, calendarId).name);
    },
    async revokeAccess(email) {
      accounts.renewPassword(email);
    },
    async forgetSyncTokens(email, calendarId) {
      find(email, calendarId).forgetSyncTokens();
    },
    async instances(email, calendarId, window) {
      const calendar = find(email, calendarId);
      const zone = calendarZone(calendar);
      const instances = calendar.objects().flatMap((object) => instancesOf(object, window, zone));
      return instances.map(listedInstance).sort(byStartThenTitle);
    },
  };
}

/** Returns the absolute URL of a calendar. */
export function hrefOf(
  account: Account,
  calendar: { readonly name: string },
  { behaviour, homeOrigin }: Pick<ManualChangesDeps, 'behaviour' | 'homeOrigin'>,
): string {
  return `${homeOrigin}${behaviour.pathOfHome(account)}${encodeURIComponent(calendar.name)}/`;
}

/** Throws an Error if the person has no such calendar. */
export function calendarOf(email: string, calendarId: string, deps: ManualChangesDeps): CalendarCollection {
  const account = deps.accounts.of(email);
  const calendars = [...account.calendars.values()];
  const calendar = calendars.find((candidate) => hrefOf(account, candidate, deps) === calendarId);
  if (calendar === undefined) throw new Error(`${email} has no calendar ${calendarId}`);
  return calendar;
}
