/**
 * Writing events in Outlook's calendars. Each change reads the event first and compares its version, since Graph does
 * not clearly promise to honour `If-Match` on events; it is sent all the same, for what happens in between. Then the event is read
 * as a sync would read it: answers to writes come without extended properties and without what became of exceptions.
 */
import type { EventWriting } from '../../calendars/event-writing.ts';
import { calendarUrl, ownerOfCalendar } from './calendars.ts';
import { copyLater } from './copy-later.ts';
import { createEvent, findCreated } from './create-event.ts';
import { deleteEvent } from './delete-event.ts';
import { inviteLater } from './invite-later.ts';
import { isInCalendar } from './membership.ts';
import { readEvent, type Source } from './read-events.ts';
import { respondToEvent } from './respond-to-event.ts';
import { updateEvent } from './update-event.ts';

/** What all calendars of an account have in common. */
export type WritingAccount = Omit<Source, 'url' | 'owner'>;

export function eventWriting(account: WritingAccount): EventWriting {
  const sourceOf = (calendarHref: string): Source => {
    const url = calendarUrl(account.graph, calendarHref);
    return { ...account, url, owner: ownerOfCalendar(account.graph, url) };
  };
  return {
    create: (calendarHref, draft, key) => createEvent(sourceOf(calendarHref), draft, key),
    copyLater: (calendarHref, target, later) => copyLater(sourceOf(calendarHref), target, later),
    inviteLater: (calendarHref, href, invitations) => inviteLater(sourceOf(calendarHref), href, invitations),
    findCreated: (calendarHref, key) => findCreated(sourceOf(calendarHref), key),
    update: (calendarHref, target, change) => updateEvent(sourceOf(calendarHref), target, change),
    delete: (calendarHref, target) => deleteEvent(sourceOf(calendarHref), target),
    respond: (calendarHref, target, rsvp) => respondToEvent(sourceOf(calendarHref), target, rsvp),
    async read(calendarHref, href) {
      const source = sourceOf(calendarHref);
      const resources = await readEvent(source, href, false);
      return resources === 'gone' || !(await isInCalendar(source, href)) ? undefined : resources;
    },
  };
}
