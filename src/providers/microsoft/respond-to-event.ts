/** The account's user answers an invitation. */
import type { Rsvp, WriteResult, WriteTarget } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import { currentEvent, currentOccurrence } from './current-event.ts';
import { graphWrite } from './graph-client.ts';
import { eventUrl, type Source } from './read-events.ts';
import { toldRefusal } from './write-refusal.ts';
import { writtenTo } from './written.ts';

const ACTIONS: Readonly<Record<Rsvp['response'], string>> = {
  accepted: 'accept',
  tentative: 'tentativelyAccept',
  declined: 'decline',
};

/**
 * The organizer is told, unless the invitation asks for no answers. Graph takes no `If-Match` with an answer; the version
 * is compared before. (k) A declined invitation leaves the calendar.
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
    throw new UnsupportedByProvider(
      'field_not_supported_by_provider',
      'Only an invitation can be answered; this event is the own one of the account',
      'response',
    );
  const sendResponse = item.responseRequested !== false;
  const action = ACTIONS[response];
  await toldRefusal(source, () =>
    graphWrite(source.graph, {
      operation: `events.${action}`,
      method: 'POST',
      url: `${eventUrl(source, id)}/${action}`,
      body: { sendResponse, ...(sendResponse && comment !== undefined && { comment }) },
    }),
  );
  return writtenTo(source, target, series.event.recurrence !== undefined);
}
