/** A few people with believable calendars over the coming weeks, so that the sandbox has something to show. */
import type { SandboxKind } from '../core/faults.ts';
import type { EventDraft, Person, ProviderSandbox } from '../core/provider-sandbox.ts';
import { type CalendarPlan, weekOf } from './calendar-plan.ts';
import { CALENDARS } from './people-calendars.ts';

/** One account of one person, with its calendars. */
export type AccountPlan = { readonly person: Person; readonly calendars: readonly CalendarPlan[] };

/** Passwords that are easy to type. The first has the form of Apple's passwords. */
export const APPLE_PASSWORD = 'demo-demo-demo-demo';
export const CALDAV_PASSWORD = 'demo';

const MARA = 'Mara Lindqvist';
const THEO = 'Theo Okafor';

const { job, freelance, family, choir, travel, holidays, writing } = CALENDARS;

/**
 * The accounts of each person. Mara has one of each kind; Theo works in another zone. Nobody has a calendar twice,
 * because that would look like a defect.
 */
export const ACCOUNTS: Readonly<Record<SandboxKind, readonly AccountPlan[]>> = {
  google: [
    { person: { email: 'mara@gmail.example', name: MARA }, calendars: [freelance, holidays] },
    { person: { email: 'theo@gmail.example', name: THEO }, calendars: [writing, travel] },
  ],
  microsoft: [
    { person: { email: 'mara@northwind.example', name: MARA }, calendars: [job] },
    { person: { email: 'theo@northwind.example', name: THEO }, calendars: [job] },
  ],
  icloud: [
    {
      person: { email: 'mara@icloud.example', name: MARA, password: APPLE_PASSWORD },
      calendars: [family, travel],
    },
    { person: { email: 'theo@icloud.example', name: THEO, password: APPLE_PASSWORD }, calendars: [family] },
  ],
  caldav: [
    { person: { email: 'mara', name: MARA, password: CALDAV_PASSWORD }, calendars: [choir] },
    { person: { email: 'theo', name: THEO, password: CALDAV_PASSWORD }, calendars: [choir] },
  ],
};

/** An event or series of an account, under the provider's own ids. */
export type AccountEvent = {
  readonly email: string;
  readonly calendarId: string;
  readonly eventId: string;
  readonly draft: EventDraft;
  /** Whether the person owns the calendar. */
  readonly isWritable: boolean;
};

/**
 * Creates the accounts of one provider with their calendars and events, and returns the events. `now` is epoch
 * milliseconds.
 */
export async function addAccounts(
  { kind, manual }: Pick<ProviderSandbox, 'kind' | 'manual'>,
  now: number,
): Promise<AccountEvent[]> {
  const week = weekOf(now);
  const added: AccountEvent[] = [];
  for (const { person, calendars } of ACCOUNTS[kind]) {
    await manual.addPerson(person);
    for (const { title, color, timeZone, readOnly = false, events } of calendars) {
      const calendarId = await manual.addCalendar(person.email, { title, color, timeZone, readOnly });
      for (const { exceptions = [], ...draft } of events(week)) {
        const eventId = await manual.createEvent(person.email, calendarId, draft);
        added.push({ email: person.email, calendarId, eventId, draft, isWritable: !readOnly });
        for (const { originalStart, change } of exceptions) {
          if (change === undefined)
            await manual.deleteOccurrence(person.email, calendarId, { id: eventId, original: originalStart });
          else
            await manual.changeOccurrence(person.email, calendarId, {
              ...change,
              id: eventId,
              original: originalStart,
            });
        }
      }
    }
  }
  return added;
}

/** The events that were added to the accounts, by provider. */
export type AccountsEvents = Readonly<Record<SandboxKind, readonly AccountEvent[]>>;

/** Adds the accounts of all four providers. */
export async function addAllAccounts(
  providers: readonly Pick<ProviderSandbox, 'kind' | 'manual'>[],
  now: number,
): Promise<AccountsEvents> {
  const events: Record<SandboxKind, readonly AccountEvent[]> = {
    google: [],
    microsoft: [],
    icloud: [],
    caldav: [],
  };
  for (const provider of providers) events[provider.kind] = await addAccounts(provider, now);
  return events;
}
