/** Writing events in Outlook's calendars. */
import type { EventWriting } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import { readEvents, type Source } from './read-events.ts';

/** What all calendars of an account have in common. */
export type WritingAccount = Omit<Source, 'url'>;

export function eventWriting(account: WritingAccount): EventWriting {
  const sourceOf = (calendarHref: string): Source => ({
    ...account,
    url: `${account.graph.apiUrl}/me/calendars/${encodeURIComponent(calendarHref)}`,
  });
  return {
    create: () => Promise.reject(notYet()),
    update: () => Promise.reject(notYet()),
    delete: () => Promise.reject(notYet()),
    respond: () => Promise.reject(notYet()),
    async read(calendarHref, href) {
      for await (const [event] of readEvents(sourceOf(calendarHref), new Map([[href, false]])))
        return event === undefined || event.found === 'gone' ? undefined : event.found;
      return undefined;
    },
  };
}

const notYet = (): UnsupportedByProvider =>
  new UnsupportedByProvider('mode_not_supported_by_provider', 'Events at Microsoft cannot be changed yet');
