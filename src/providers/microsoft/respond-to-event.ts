/** Responds to an invitation for the account's user. */
import type { Rsvp, WriteResult, WriteTarget } from '../../calendars/event-writing.ts';
import { unsupportedField } from '../unsupported-field.ts';
import { currentEvent, currentOccurrence } from './current-event.ts';
import { isInCalendar } from './membership.ts';
import { eventUrl, type Source } from './read-events.ts';
import { writeTo } from './write-requests.ts';
import { deletedResult, readWriteResult } from './write-result.ts';

const ACTIONS: Readonly<Record<Rsvp['response'], string>> = {
  accepted: 'accept',
  tentative: 'tentativelyAccept',
  declined: 'decline',
};

/**
 * Responds to an invitation. Notifies the organizer if a response was requested. Graph accepts no `If-Match` here, so
 * the version is compared first. A declined invitation goes to Deleted Items, or stays as free if the user keeps those.
 */
export async function respondToEvent(
  source: Source,
  target: WriteTarget,
  { response, comment }: Rsvp,
): Promise<WriteResult> {
  const { instance } = target;
  const series = await currentEvent(source, target);
  const { id, item } =
    instance === undefined ? series : await currentOccurrence(source, series, { ...target, instance });
  if (item.isOrganizer !== false)
    throw unsupportedField(
      'response',
      'Only invitations can be answered, but the account organizes this event',
    );
  const sendResponse = item.responseRequested !== false;
  const action = ACTIONS[response];
  await writeTo(source, {
    operation: `events.${action}`,
    method: 'POST',
    url: `${eventUrl(source, id)}/${action}`,
    body: { sendResponse, ...(sendResponse && comment !== undefined && { comment }) },
  });
  if (instance === undefined && !(await isInCalendar(source, target.href))) return deletedResult(target);
  return readWriteResult(source, target, series.event.recurrence !== undefined);
}
