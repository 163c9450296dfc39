/** Writing events to a CalDAV calendar: whole resources, each under the condition of the version it was made from. */
import type { EventWriting } from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';

export function eventWriting(): EventWriting {
  const notYet = async () => {
    throw new ProviderError('unavailable', 'Writing is not in use yet');
  };
  return { create: notYet, update: notYet, delete: notYet, respond: notYet, read: notYet };
}
