/** Changes that people make in Outlook besides writing events: invitations, and moves to other calendars. */
import type { ManualChanges } from '../../sandbox/core/provider-sandbox.ts';
import type { MicrosoftManualChanges } from '../../sandbox/microsoft/manual-changes.ts';
import type { Pick } from './random-changes.ts';

const isOutlook = (manual: ManualChanges): manual is MicrosoftManualChanges => 'moveEvent' in manual;

/**
 * The same changes to a calendar, some of them made another way: an event comes from another calendar or from another person,
 * and is moved away instead of deleted. Anywhere else than in Outlook they are as they were.
 */
export async function outlookChanges(
  manual: ManualChanges,
  email: string,
  pick: Pick,
): Promise<ManualChanges> {
  if (!isOutlook(manual)) return manual;
  const other = await manual.addCalendar(email, { title: 'Other', timeZone: 'Europe/Berlin' });
  return {
    ...manual,
    async createEvent(person, calendarId, draft) {
      const way = pick(4);
      if (way === 0) {
        const organizer = { email: 'grace@people.example', name: 'Grace Hopper' };
        return manual.invite(person, calendarId, { ...draft, attendees: [{ email: person }], organizer });
      }
      if (way > 1) return manual.createEvent(person, calendarId, draft);
      const id = await manual.createEvent(person, other, draft);
      await manual.moveEvent(person, other, { id, to: calendarId });
      return id;
    },
    deleteEvent: (person, calendarId, id) =>
      pick(2) === 0
        ? manual.moveEvent(person, calendarId, { id, to: other })
        : manual.deleteEvent(person, calendarId, id),
  };
}
