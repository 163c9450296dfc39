/** Making, changing and deleting calendars in Outlook. They have a name, which none other has, and one of a few colours. */
import type { Calendar as GraphCalendar } from '@microsoft/microsoft-graph-types';

import type { CalendarChange, CalendarDraft, CalendarWriting } from '../../calendars/calendar-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import { type Graph, type GraphWrite, graphWrite } from './api.ts';
import { codeOf, statusOf } from './api-refusal.ts';

/** Graph's `calendarColor`. It publishes no RGB for them; `hexColor` can only be read. */
const COLORS = [
  'auto',
  'lightBlue',
  'lightGreen',
  'lightOrange',
  'lightGray',
  'lightYellow',
  'lightTeal',
  'lightPink',
  'lightBrown',
  'lightRed',
  'maxColor',
] as const;

export function calendarWriting(graph: Graph): CalendarWriting {
  const urlOf = (href: string): string => `${graph.apiUrl}/me/calendars/${encodeURIComponent(href)}`;
  return {
    async create(draft) {
      const url = `${graph.apiUrl}/me/calendars`;
      const body = bodyOf(draft);
      const answer = await written(graph, { operation: 'calendars.create', method: 'POST', url, body });
      if (typeof answer?.id === 'string' && answer.id !== '') return answer.id;
      throw new ProviderError('invalid_response', 'Microsoft sent a calendar without an id', {
        reason: 'provider_answer_unreadable',
      });
    },
    async change(calendarHref, change) {
      const request = { operation: 'calendars.update', method: 'PATCH', url: urlOf(calendarHref) } as const;
      await written(graph, { ...request, body: bodyOf(change) });
    },
    async delete(calendarHref) {
      const request = { operation: 'calendars.delete', method: 'DELETE', url: urlOf(calendarHref) } as const;
      await written(graph, request).catch((failure: unknown) => {
        if (!(failure instanceof ProviderError) || failure.kind !== 'not_found') throw failure;
      });
    },
  };
}

function bodyOf({ title, color, description, timeZone }: CalendarChange & Partial<CalendarDraft>) {
  if (description !== undefined) throw unsupported('description', 'A calendar of Outlook has no description');
  if (timeZone !== undefined)
    throw unsupported('timeZone', 'Calendars of Outlook are in the time zone of the mailbox');
  const body: GraphCalendar = {
    ...(title === undefined ? {} : { name: title }),
    ...(color === undefined ? {} : { color: colorOf(color) }),
  };
  return body;
}

function colorOf(color: string): (typeof COLORS)[number] {
  const found = COLORS.find((name) => name.toLowerCase() === color.toLowerCase());
  if (found !== undefined) return found;
  throw unsupported('color', `A calendar of Outlook has one of these colours: ${COLORS.join(', ')}`);
}

async function written(graph: Graph, request: GraphWrite) {
  try {
    return await graphWrite(graph, request);
  } catch (failure) {
    if (/^error(folderexists|duplicate)/i.test(codeOf(failure) ?? ''))
      throw unsupported('title', 'Outlook has a calendar of this name already');
    // (k) What may not be renamed or deleted, and names it does not take.
    if (statusOf(failure) === 400 && failure instanceof ProviderError && failure.kind === 'invalid_response')
      throw request.method === 'DELETE'
        ? new UnsupportedByProvider('calendar_not_deletable', 'Outlook does not let this calendar be deleted')
        : unsupported('title', 'Outlook does not accept this for the calendar');
    throw failure;
  }
}

const unsupported = (field: string, message: string): UnsupportedByProvider =>
  new UnsupportedByProvider('field_not_supported_by_provider', message, field);
