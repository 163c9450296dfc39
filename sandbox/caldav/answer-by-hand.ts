/** Somebody answers an invitation in the calendar app of the server. */
import type { Account } from './accounts.ts';
import type { CalendarCollection } from './collection.ts';
import { rewritten, scheduled } from './received-message.ts';
import { addressIn, comparable, withParameters } from './scheduled-object.ts';
import type { Scheduling } from './scheduling.ts';

export type HandAnswer = {
  /** The event's, as the calendar has it. */
  readonly id: string;
  readonly answer: 'ACCEPTED' | 'DECLINED' | 'TENTATIVE';
};

/** Throws an Error for an event that is not there, or that the person is not invited to. */
export function answerByHand(
  { account, calendar }: { readonly account: Account; readonly calendar: CalendarCollection },
  { id, answer }: HandAnswer,
  scheduling: Scheduling,
): void {
  const before = calendar.object(id);
  if (before === undefined) throw new Error(`The calendar ${calendar.name} has no event ${id}`);
  const userAddresses = scheduling.addressesOf(account).map(comparable);
  const object = scheduled(before.icalendar);
  if (!object.events.some(({ attendees }) => userAddresses.some((address) => attendees.has(address))))
    throw new Error(`${account.person.email} is not invited to ${id}`);
  const after = rewritten(object, ({ component }) => ({
    ...component,
    lines: component.lines.map((line) =>
      /^\s*ATTENDEE\b/i.test(line) && userAddresses.includes(addressIn(line))
        ? withParameters(line, { PARTSTAT: answer, RSVP: undefined })
        : line,
    ),
  }));
  const text = scheduling.write({ account, before: before.icalendar, after }) ?? after;
  calendar.put(before.name, before.uid, text);
}
